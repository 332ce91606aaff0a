"""The platform's own signature, under what it states: certificates of erasure, heads of the audit."""

from typing import Protocol


class Signer(Protocol):
    """Ed25519. `public_key` is 32 bytes, `key_id` the start of their SHA-256 in hex."""

    @property
    def key_id(self) -> str: ...

    @property
    def public_key(self) -> bytes: ...

    def sign(self, message: bytes) -> bytes: ...

    def verify(self, message: bytes, signature: bytes) -> bool:
        """Whether this platform signed exactly this."""
        ...
