"""Immutable payloads by key: a folder in evaluation mode, S3 in a cluster."""

from collections.abc import AsyncIterator
from typing import Protocol


class ObjectStore(Protocol):
    """Keys are `/`-separated, at most 1,024 bytes. Every call raises Transient when the store is out of reach."""

    async def put(self, key: str, data: bytes) -> None:
        """Durable when it returns. Writing an existing key again is allowed and expected to hold the same bytes."""
        ...

    async def get(self, key: str) -> bytes:
        """The bytes; NotFound when absent."""
        ...

    async def delete(self, key: str) -> None:
        """Gone when it returns; an absent key is fine."""
        ...

    def keys(self, prefix: str) -> AsyncIterator[str]:
        """Every key below a folder-like prefix, in no particular order."""
        ...
