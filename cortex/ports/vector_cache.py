"""Vectors by the hash of the embedded text, so that no text is embedded twice under one model."""

from collections.abc import Collection, Mapping
from typing import Protocol

from cortex.domain.encoding import PassageEncoding
from cortex.domain.identity import TenantId


class VectorCache(Protocol):
    """One tenant's vectors under one model (`ModelCard.key`). Raises Transient."""

    async def dense(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, tuple[float, ...]]:
        """Those that are stored, and from then on kept for at least the sweep's grace."""
        ...

    async def save(
        self, tenant: TenantId, *, model_key: str, encodings: Mapping[str, PassageEncoding]
    ) -> dict[str, tuple[float, ...]]:
        """Durable when it returns: the dense vectors as `dense` will give them, rounded to what is stored."""
        ...
