"""The platform's Ed25519 key (ports/signer.py), in a file of the data folder, its public half beside it."""

import base64
import binascii
import hashlib
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cortex.adapters.private_files import make_private, read_private
from cortex.domain.errors import Invalid

KEY_FILE = "signing.key"


class PlatformSigner:
    """Implements Signer. The key is made at first use, and signs for as long as the data folder lives."""

    def __init__(self, folder: Path) -> None:
        path = folder / KEY_FILE
        content = read_private(path)
        if content is None:
            make_private(path, base64.b64encode(Ed25519PrivateKey.generate().private_bytes_raw()) + b"\n")
            content = read_private(path) or b""
        try:
            self._key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(content.strip(), validate=True))
        except (ValueError, binascii.Error) as error:
            raise Invalid(f"{path} is no signing key: restore it") from error

    @property
    def public_key(self) -> bytes:
        return self._key.public_key().public_bytes_raw()

    @property
    def key_id(self) -> str:
        return key_id(self.public_key)

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    def verify(self, message: bytes, signature: bytes) -> bool:
        return verified(self.public_key, message, signature)


def key_id(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()[:16]


def verified(public_key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
