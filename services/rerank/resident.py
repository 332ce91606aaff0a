"""Stored tokens that were asked for lately, kept in memory up to a number of bytes."""

from collections import OrderedDict
from collections.abc import Collection

from cortex.domain.encoding import StoredTokens
from cortex.domain.identity import TenantId
from cortex.ports.token_vector_store import TokenVectorStore

# What a key, an entry and its two objects take beside the vectors themselves, roughly.
ENTRY_BYTES = 500

_Key = tuple[TenantId, str, str]


class ResidentTokens:
    """Implements TokenVectorStore over another. Nothing goes stale, since a hash never maps to anything else.

    What is missing is not remembered: it may be written a moment later.
    """

    def __init__(self, store: TokenVectorStore, *, bytes_max: int) -> None:
        self._store = store
        self._bytes_max = bytes_max
        self._entries: OrderedDict[_Key, StoredTokens] = OrderedDict()
        self.resident_bytes = 0

    async def load(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, StoredTokens]:
        found: dict[str, StoredTokens] = {}
        for sha256 in embedded_sha256s:
            key = (tenant, model_key, sha256)
            if key in self._entries:
                self._entries.move_to_end(key)
                found[sha256] = self._entries[key]
        absent = [sha256 for sha256 in embedded_sha256s if sha256 not in found]
        if absent:
            loaded = await self._store.load(tenant, model_key=model_key, embedded_sha256s=absent)
            for sha256, tokens in loaded.items():
                self._keep((tenant, model_key, sha256), tokens)
            found |= loaded
        return found

    async def sample(self, tenant: TenantId, *, model_key: str, limit: int) -> list[tuple[int, ...]]:
        return await self._store.sample(tenant, model_key=model_key, limit=limit)

    async def count(self, tenant: TenantId, *, model_key: str) -> int:
        return await self._store.count(tenant, model_key=model_key)

    def _keep(self, key: _Key, tokens: StoredTokens) -> None:
        if key in self._entries:
            return
        self._entries[key] = tokens
        self.resident_bytes += tokens.size_bytes + ENTRY_BYTES
        while self.resident_bytes > self._bytes_max:
            _, oldest = self._entries.popitem(last=False)
            self.resident_bytes -= oldest.size_bytes + ENTRY_BYTES
