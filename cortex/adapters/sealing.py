"""Envelope encryption with AES-256-GCM (ports/sealer.py), and the platform's keys in a file of the data folder."""

import asyncio
import base64
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cortex.adapters.private_files import make_private, read_private, replace_private
from cortex.domain.errors import Bug, Conflict, Invalid, NotFound
from cortex.ports.sealer import KeyWrapper, Sealed

KEY_BITS = 256
NONCE_BYTES = 12


class EnvelopeSealer:
    """Implements Sealer over a KeyWrapper. No data key and no nonce is used twice."""

    def __init__(self, keys: KeyWrapper) -> None:
        self._keys = keys

    async def seal(self, secret: bytes, context: bytes) -> Sealed:
        data_key, nonce = AESGCM.generate_key(KEY_BITS), os.urandom(NONCE_BYTES)
        key_id, wrapped = await self._keys.wrap(data_key, context)
        return Sealed(key_id, wrapped, nonce, AESGCM(data_key).encrypt(nonce, secret, context))

    async def open(self, sealed: Sealed, context: bytes) -> bytes:
        data_key = await self._keys.unwrap(sealed.key_id, sealed.wrapped_key, context)
        return _decrypted(data_key, sealed.nonce, sealed.ciphertext, context)

    async def rewrap(self, sealed: Sealed, context: bytes) -> Sealed | None:
        if sealed.key_id == await self._keys.current():
            return None
        data_key = await self._keys.unwrap(sealed.key_id, sealed.wrapped_key, context)
        key_id, wrapped = await self._keys.wrap(data_key, context)
        return replace(sealed, key_id=key_id, wrapped_key=wrapped)


@dataclass(frozen=True, slots=True)
class KeyRing:
    """`current` wraps; the others only unwrap what has yet to be wrapped anew."""

    current: str
    keys: dict[str, bytes]

    @classmethod
    def made(cls) -> Self:
        return cls("1", {"1": AESGCM.generate_key(KEY_BITS)})

    @classmethod
    def read(cls, content: bytes, path: Path) -> Self:
        try:
            stored = json.loads(content)
            keys = {str(name): base64.b64decode(key, validate=True) for name, key in stored["keys"].items()}
            ring = cls(str(stored["current"]), keys)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Invalid(f"{path} holds no keys: restore it; without it no stored secret can be read") from error
        if ring.current not in keys or any(len(key) * 8 != KEY_BITS for key in keys.values()):
            raise Invalid(f"{path} holds no keys: restore it; without it no stored secret can be read")
        return ring

    @property
    def content(self) -> bytes:
        keys = {name: base64.b64encode(key).decode() for name, key in self.keys.items()}
        return json.dumps({"current": self.current, "keys": keys}, indent=2).encode()


class KeyFile:
    """Implements KeyWrapper. Read again at each use, so that a rotation holds at once, in every process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def current(self) -> str:
        return (await asyncio.to_thread(self.ring)).current

    async def wrap(self, data_key: bytes, context: bytes) -> tuple[str, bytes]:
        ring = await asyncio.to_thread(self.ring)
        nonce = os.urandom(NONCE_BYTES)
        wrapped = nonce + AESGCM(ring.keys[ring.current]).encrypt(nonce, data_key, context)
        return ring.current, wrapped

    async def unwrap(self, key_id: str, wrapped: bytes, context: bytes) -> bytes:
        key = (await asyncio.to_thread(self.ring)).keys.get(key_id)
        if key is None:
            raise NotFound(f"the platform's key {key_id} is gone; {self._path} held it")
        return _decrypted(key, wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], context)

    def ring(self) -> KeyRing:
        """Made at first use. Raises Invalid where others may read the file."""
        content = read_private(self._path)
        if content is None:
            make_private(self._path, KeyRing.made().content)
            content = read_private(self._path) or b""
        return KeyRing.read(content, self._path)

    def rotate(self) -> str:
        """A new key from now on; the old ones stay until they are retired."""
        ring = self.ring()
        name = str(max(int(known) for known in ring.keys) + 1)
        keys = {**ring.keys, name: AESGCM.generate_key(KEY_BITS)}
        replace_private(self._path, KeyRing(name, keys).content)
        return name

    def retire(self, key_id: str) -> None:
        """Nothing under it can be read any more. Conflict for the current one."""
        ring = self.ring()
        if key_id == ring.current:
            raise Conflict(f"{key_id} is the current key; rotate first")
        if key_id not in ring.keys:
            raise NotFound(f"there is no key {key_id}")
        keys = {name: key for name, key in ring.keys.items() if name != key_id}
        replace_private(self._path, KeyRing(ring.current, keys).content)


def _decrypted(key: bytes, nonce: bytes, ciphertext: bytes, context: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, context)
    except InvalidTag as error:
        raise Bug("a stored secret was altered, or belongs elsewhere") from error
