"""How engines are asked for vectors, and what they answer. Pure."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cortex.domain.errors import Invalid, Transient

LITTLE_ENDIAN_FLOAT = np.dtype("<f4")

Vectors = NDArray[np.float32]
Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Shape:
    """`rows` finds in an answer one vector a text, in order; it raises Transient for anything else."""

    path: str
    body: Callable[[str, Sequence[str]], Body]
    rows: Callable[[object, int], list[object]]


def unit_vectors(answer: object, shape: Shape, *, texts: int, dimensions: int) -> list[bytes]:
    """One unit vector a text, as float32. Raises Invalid for another length than was declared."""
    vectors = [_floats(row) for row in shape.rows(answer, texts)]
    for vector in vectors:
        if vector.size != dimensions:
            raise Invalid(
                f"the embedding engine answers with {vector.size} dimensions, and CORTEX_EMBEDDER_DIMENSIONS says"
                f" {dimensions}"
            )
    return [_unit(vector) for vector in vectors]


def _unit(vector: Vectors) -> bytes:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or not length:
        raise other_shape()
    return (vector / np.float32(length)).astype(LITTLE_ENDIAN_FLOAT).tobytes()


def _floats(row: object) -> Vectors:
    """Numbers, or base64 of them: an engine that does not know the one form answers in the other."""
    try:
        if isinstance(row, str):
            return np.frombuffer(base64.b64decode(row, validate=True), LITTLE_ENDIAN_FLOAT).astype(np.float32)
        if isinstance(row, list) and all(type(one) in (int, float) for one in row):
            with np.errstate(over="ignore"):
                return np.asarray(row, np.float32)
    except (binascii.Error, ValueError, OverflowError) as error:
        raise other_shape() from error
    raise other_shape()


def _openai_body(model: str, texts: Sequence[str]) -> Body:
    return {"model": model, "input": list(texts), "encoding_format": "base64"}


def _openai_rows(answer: object, texts: int) -> list[object]:
    """By index: nothing promises an order."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise other_shape()
    found = {row["index"]: row.get("embedding") for row in data if isinstance(row, dict) and "index" in row}
    if len(data) != texts or found.keys() != set(range(texts)):
        raise other_shape()
    return [found[n] for n in range(texts)]


def _tei_body(_model: str, texts: Sequence[str]) -> Body:
    return {"inputs": list(texts), "normalize": True, "truncate": True}


def _tei_rows(answer: object, texts: int) -> list[object]:
    if not isinstance(answer, list) or len(answer) != texts:
        raise other_shape()
    return answer


def other_shape() -> Transient:
    return Transient("the embedding engine answered in another shape than its interface has")


OPENAI = Shape("embeddings", _openai_body, _openai_rows)
TEI = Shape("embed", _tei_body, _tei_rows)
