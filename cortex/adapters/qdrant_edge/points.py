"""Points, vectors and payloads, checked whole before the engine sees them.

The engine logs a write before it applies it. A sparse vector with fewer values than indices, or a ragged multivector,
would panic then and at every start from then on; a bad point in a batch would leave the good ones before it written.
"""

import math
import re
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeAlias

import qdrant_edge as edge
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.refusal import honours, invalid, unimplemented
from cortex.adapters.qdrant_edge.schema import FieldKind, Fields, VectorField, VectorKind, Vectors

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
PointId: TypeAlias = int | uuid.UUID | str
EngineVector: TypeAlias = list[float] | list[list[float]] | edge.SparseVector

MULTIVECTOR_ROWS_MAX = 4096
SPARSE_VALUES_MAX = 65_536
# What the engine's index of dates reads; anything else it would leave out without a word.
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?")


def point_id(message: pb.PointId) -> PointId:
    kind = message.WhichOneof("point_id_options")
    if kind == "num":
        return message.num
    if kind == "uuid":
        try:
            return str(uuid.UUID(message.uuid))
        except ValueError:
            raise invalid(f"point id {message.uuid!r} is no UUID") from None
    raise invalid("a point needs an id: an unsigned integer or a UUID")


def point_ids(messages: Iterable[pb.PointId]) -> list[PointId]:
    return [point_id(message) for message in messages]


def _finite(values: list[float], where: str) -> list[float]:
    # A sum of 32-bit floats in doubles cannot overflow, so it is finite exactly when all of them are.
    if not math.isfinite(sum(values)):
        raise invalid(f"{where}: a value is not finite")
    return values


def _dense(data: Iterable[float], field: VectorField, where: str) -> list[float]:
    values = list(data)
    if len(values) != field.dimensions:
        raise invalid(f"{where}: expected dim: {field.dimensions}, got {len(values)}")
    return _finite(values, where)


def _multi(message: pb.MultiDenseVector, field: VectorField, where: str) -> list[list[float]]:
    if not 0 < len(message.vectors) <= MULTIVECTOR_ROWS_MAX:
        raise invalid(f"{where}: {len(message.vectors)} rows; use 1 to {MULTIVECTOR_ROWS_MAX}")
    return [_dense(row.data, field, f"{where} row {number}") for number, row in enumerate(message.vectors)]


def _sparse(message: pb.SparseVector, where: str) -> edge.SparseVector:
    indices, values = list(message.indices), _finite(list(message.values), where)
    if len(indices) != len(values):
        raise invalid(f"{where}: {len(indices)} indices but {len(values)} values")
    if len(indices) > SPARSE_VALUES_MAX:
        raise invalid(f"{where}: {len(indices)} values; use {SPARSE_VALUES_MAX} at most")
    if len(set(indices)) != len(indices):
        raise invalid(f"{where}: an index occurs twice")
    order = sorted(range(len(indices)), key=indices.__getitem__)
    return edge.SparseVector([indices[place] for place in order], [values[place] for place in order])


def vector(message: pb.Vector | pb.VectorInput, *, name: str, vectors: Vectors) -> EngineVector:
    """One vector of a point or a query, of the kind and size that the collection declares for `name`."""
    field = vectors.get(name)
    if field is None:
        raise invalid(f"Not existing vector name error: {name}")
    kind = message.WhichOneof("variant") if isinstance(message, pb.VectorInput) else message.WhichOneof("vector")
    where = f"vector {name!r}"
    if kind not in {"dense", "multi_dense", "sparse"}:
        raise unimplemented(f"{where} given as {kind or 'an untyped list'}")
    if kind == "dense" and field.kind is VectorKind.DENSE:
        return _dense(message.dense.data, field, where)
    if kind == "multi_dense" and field.kind is VectorKind.MULTI:
        return _multi(message.multi_dense, field, where)
    if kind == "sparse" and field.kind is VectorKind.SPARSE:
        return _sparse(message.sparse, where)
    raise invalid(f"{where} is {field.kind.value}, not {kind}")


def named_vectors(message: pb.Vectors, vectors: Vectors) -> dict[str, EngineVector]:
    honours(message, "vectors")
    return {name: vector(value, name=name, vectors=vectors) for name, value in message.vectors.vectors.items()}


def _json(value: pb.Value, where: str) -> Json:
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        return [_json(item, where) for item in value.list_value.values]
    if kind == "struct_value":
        return {key: _json(item, where) for key, item in value.struct_value.fields.items()}
    if kind is None or kind == "null_value":
        return None
    scalar: bool | int | float | str = getattr(value, kind)
    if isinstance(scalar, float) and not math.isfinite(scalar):
        raise invalid(f"payload {where!r}: a number is not finite")
    return scalar


def _check_date(value: Json, where: str) -> None:
    for date in value if isinstance(value, list) else [value]:
        if date is None:
            continue
        if not isinstance(date, str) or not DATE.fullmatch(date):
            raise invalid(f"payload {where!r}: expected an RFC 3339 date, not {date!r}")
        try:
            # Python keeps six digits of a second; the engine takes nine.
            datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", date))
        except ValueError as error:
            raise invalid(f"payload {where!r}: {error}") from None


def payload(message: Mapping[str, pb.Value], fields: Fields) -> dict[str, Json]:
    converted = {key: _json(value, key) for key, value in message.items()}
    for key, value in converted.items():
        if fields.get(key) is FieldKind.DATETIME:
            _check_date(value, key)
    return converted


def points(messages: Iterable[pb.PointStruct], *, vectors: Vectors, fields: Fields) -> list[edge.Point]:
    return [
        edge.Point(
            point_id(message.id),
            named_vectors(message.vectors, vectors),
            payload(message.payload, fields),
        )
        for message in messages
    ]


def point_vectors(messages: Iterable[pb.PointVectors], vectors: Vectors) -> list[edge.PointVectors]:
    return [edge.PointVectors(point_id(message.id), named_vectors(message.vectors, vectors)) for message in messages]
