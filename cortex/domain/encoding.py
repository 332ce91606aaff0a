"""What the encoders make of texts. Vectors travel as bytes, so that this module needs nothing but the standard library.

Floats are little-endian float32; token ids little-endian uint16, as they are stored.
"""

import array
import sys
from dataclasses import dataclass

from cortex.domain.errors import Invalid

TOKEN_ID_MAX = 0xFFFF
EVERY_LANGUAGE = "*"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Which model, exactly. `sha256` is that of the weights' file, or of what the operator of an engine declared.

    `languages` are ISO 639-1 codes; `*` among them stands for all.
    """

    name: str
    revision: str
    sha256: str
    dimensions: int
    tokens_max: int
    languages: frozenset[str]

    @property
    def key(self) -> str:
        """Names the model wherever vectors are stored or cached. Equal keys: comparable vectors."""
        return f"{self.name}@{self.revision}:{self.sha256[:16]}"

    def supports(self, language: str) -> bool:
        """Whether dense and token vectors mean anything for texts in `language`."""
        return language in self.languages or EVERY_LANGUAGE in self.languages


@dataclass(frozen=True, slots=True)
class Language:
    """`code` is the likeliest (ISO 639-1); `candidates` are all plausible ones, `code` first."""

    code: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredTokens:
    """A passage's token vectors, special tokens left out: the signs of each, packed to `dimensions / 8` bytes a token.

    Bit 7 of a token's first byte is its first dimension; a set bit is a positive component. A model without token
    vectors gives none: no tokens.
    """

    token_bits: bytes
    token_ids: tuple[int, ...]

    @property
    def tokens(self) -> int:
        return len(self.token_ids)

    @property
    def size_bytes(self) -> int:
        return len(self.token_bits) + 2 * len(self.token_ids)


@dataclass(frozen=True, slots=True)
class PassageEncoding:
    """A passage's unit vector (float32) and its token vectors. `truncated`: the end of the text went unseen."""

    dense: bytes
    stored: StoredTokens
    truncated: bool


@dataclass(frozen=True, slots=True)
class QueryEncoding:
    """A question's unit vector and one unit vector (float32) for each of `token_ids`, special tokens left out."""

    dense: bytes
    token_vectors: bytes
    token_ids: tuple[int, ...]


def pack_token_ids(token_ids: tuple[int, ...]) -> bytes:
    """Little-endian uint16. A vocabulary beyond 65,536 needs another form of storage."""
    if any(not 0 <= token <= TOKEN_ID_MAX for token in token_ids):
        raise Invalid(f"token ids: expected 0 to {TOKEN_ID_MAX}")
    packed = array.array("H", token_ids)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def unpack_token_ids(packed: bytes) -> tuple[int, ...]:
    if len(packed) % 2:
        raise Invalid("token ids: expected two bytes each")
    token_ids = array.array("H", packed)
    if sys.byteorder == "big":
        token_ids.byteswap()
    return tuple(token_ids)


def unpack_floats(packed: bytes) -> tuple[float, ...]:
    """Little-endian float32, as `dense` holds them."""
    if len(packed) % 4:
        raise Invalid("vector: expected four bytes for each component")
    floats = array.array("f", packed)
    if sys.byteorder == "big":
        floats.byteswap()
    return tuple(floats)
