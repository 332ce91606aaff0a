"""Envelope encryption: every secret under a data key of its own, every data key wrapped by the platform's key."""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Sealed:
    """`key_id` names the platform's key that wraps the data key."""

    key_id: str
    wrapped_key: bytes = field(repr=False)
    nonce: bytes = field(repr=False)
    ciphertext: bytes = field(repr=False)


class KeyWrapper(Protocol):
    """The platform's keys, which never leave it: a file of the data folder, or a key management service.

    `context` is bound to what is wrapped: with another one it does not open.
    """

    async def wrap(self, data_key: bytes, context: bytes) -> tuple[str, bytes]:
        """By the current key; returns its id. Raises Transient."""
        ...

    async def unwrap(self, key_id: str, wrapped: bytes, context: bytes) -> bytes:
        """Raises NotFound for a key that was retired, Bug for what was altered or belongs elsewhere, Transient."""
        ...

    async def current(self) -> str: ...


class Sealer(Protocol):
    """The same errors as KeyWrapper."""

    async def seal(self, secret: bytes, context: bytes) -> Sealed: ...

    async def open(self, sealed: Sealed, context: bytes) -> bytes: ...

    async def rewrap(self, sealed: Sealed, context: bytes) -> Sealed | None:
        """The same ciphertext with its data key under the current key; None where it is so already."""
        ...
