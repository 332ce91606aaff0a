"""Stored 1-bit token vectors, for late interaction."""

from collections.abc import Collection
from typing import Protocol

from cortex.domain.encoding import StoredTokens
from cortex.domain.identity import TenantId


class TokenVectorStore(Protocol):
    """Reads of one tenant's token vectors under one model (`ModelCard.key`). A foreign tenant's hash does not exist.

    What a hash maps to never changes while it is stored. Errors: Transient.
    """

    async def load(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, StoredTokens]:
        """Those of the hashes that are stored; the others are absent from the answer."""

    async def sample(self, tenant: TenantId, *, model_key: str, limit: int) -> list[tuple[int, ...]]:
        """The token ids of at most `limit` stored passages, spread over the whole.

        The same at each call while nothing is written.
        """

    async def count(self, tenant: TenantId, *, model_key: str) -> int:
        """How many passages are stored. An estimate will do."""
