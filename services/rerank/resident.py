"""Stored tokens that were asked for lately, kept in memory up to a number of bytes and for a time."""

import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from cortex.domain.encoding import StoredTokens
from cortex.domain.identity import TenantId
from cortex.ports.token_vector_store import TokenVectorStore

# What a key, an entry and its two objects take beside the vectors themselves, roughly.
ENTRY_BYTES = 500

_Key = tuple[TenantId, str, str]


@dataclass(slots=True)
class _Entry:
    tokens: StoredTokens
    used_at_s: float


class ResidentTokens:
    """Implements TokenVectorStore over another. Nothing goes stale, since a hash never maps to anything else.

    What is missing is not remembered: it may be written a moment later. What was not used for `idle_s_max` goes at the
    next question: nobody asks for what was erased, and it may not stay.
    """

    def __init__(
        self,
        store: TokenVectorStore,
        *,
        bytes_max: int,
        idle_s_max: float,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._bytes_max = bytes_max
        self._idle_s_max = idle_s_max
        self._clock_s = clock_s
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self.resident_bytes = 0

    async def load(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, StoredTokens]:
        self._forget_idle()
        found: dict[str, StoredTokens] = {}
        for sha256 in embedded_sha256s:
            key = (tenant, model_key, sha256)
            if key in self._entries:
                self._entries.move_to_end(key)
                self._entries[key].used_at_s = self._clock_s()
                found[sha256] = self._entries[key].tokens
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
        self._entries[key] = _Entry(tokens, self._clock_s())
        self.resident_bytes += tokens.size_bytes + ENTRY_BYTES
        while self.resident_bytes > self._bytes_max:
            self._forget_oldest()

    def _forget_idle(self) -> None:
        """The least recently used comes first."""
        before_s = self._clock_s() - self._idle_s_max
        while self._entries and next(iter(self._entries.values())).used_at_s < before_s:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        _, oldest = self._entries.popitem(last=False)
        self.resident_bytes -= oldest.tokens.size_bytes + ENTRY_BYTES
