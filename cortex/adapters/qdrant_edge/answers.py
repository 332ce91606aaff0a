"""The engine's results as Qdrant's messages."""

import uuid
from collections.abc import Iterable, Mapping
from typing import cast

import qdrant_edge as edge
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.points import Json


def id_message(value: int | str | uuid.UUID) -> pb.PointId:
    return pb.PointId(num=value) if isinstance(value, int) else pb.PointId(uuid=str(value))


def value_message(value: Json) -> pb.Value:
    # bool before int: True is both.
    if isinstance(value, str):
        return pb.Value(string_value=value)
    if isinstance(value, bool):
        return pb.Value(bool_value=value)
    if isinstance(value, int):
        return pb.Value(integer_value=value)
    if isinstance(value, float):
        return pb.Value(double_value=value)
    if isinstance(value, list):
        return pb.Value(list_value=pb.ListValue(values=[value_message(item) for item in value]))
    if value is None:
        return pb.Value(null_value=pb.NullValue.NULL_VALUE)
    return pb.Value(struct_value=pb.Struct(fields={key: value_message(item) for key, item in value.items()}))


def payload_message(payload: Mapping[str, Json] | None) -> dict[str, pb.Value]:
    return {key: value_message(value) for key, value in (payload or {}).items()}


def _vector_message(value: "list[float] | list[list[float]] | edge.SparseVector") -> pb.VectorOutput:
    if isinstance(value, edge.SparseVector):
        return pb.VectorOutput(sparse=pb.SparseVector(indices=value.indices, values=value.values))
    rows = [row for row in value if isinstance(row, list)]
    if rows:
        dense_rows = [pb.DenseVector(data=row) for row in rows]
        return pb.VectorOutput(multi_dense=pb.MultiDenseVector(vectors=dense_rows))
    return pb.VectorOutput(dense=pb.DenseVector(data=cast("list[float]", value)))


def vectors_message(vectors: "edge.Vector | None") -> pb.VectorsOutput | None:
    """Named vectors alone: this server has no others."""
    if not isinstance(vectors, dict):
        return None
    named = {name: _vector_message(value) for name, value in vectors.items()}
    return pb.VectorsOutput(vectors=pb.NamedVectorsOutput(vectors=named))


def order_message(value: int | float | None) -> pb.OrderValue | None:
    if value is None:
        return None
    return pb.OrderValue(int=value) if isinstance(value, int) else pb.OrderValue(float=value)


def scored(points: "Iterable[edge.ScoredPoint]") -> list[pb.ScoredPoint]:
    return [
        pb.ScoredPoint(
            id=id_message(point.id),
            payload=payload_message(point.payload),
            score=point.score,
            version=point.version,
            vectors=vectors_message(point.vector),
            order_value=order_message(point.order_value),
        )
        for point in points
    ]


def retrieved(records: "Iterable[edge.Record]") -> list[pb.RetrievedPoint]:
    return [
        pb.RetrievedPoint(
            id=id_message(record.id),
            payload=payload_message(record.payload),
            vectors=vectors_message(record.vector),
            order_value=order_message(record.order_value),
        )
        for record in records
    ]
