"""Checks of points, as properties."""

import math
import re

import pytest
import qdrant_edge as edge
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge import points
from cortex.adapters.qdrant_edge.answers import payload_message
from cortex.adapters.qdrant_edge.refusal import Refused
from cortex.adapters.qdrant_edge.schema import FieldKind, VectorField, VectorKind

VECTORS = {
    "dense": VectorField(VectorKind.DENSE, dimensions=3),
    "tokens": VectorField(VectorKind.MULTI, dimensions=2),
    "sparse": VectorField(VectorKind.SPARSE),
}
floats = st.floats(width=32)
rows = st.lists(st.lists(floats, max_size=3), max_size=3)
json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(floats, max_size=4))
def test_dense_vectors_pass_exactly_when_sound(values: list[float]) -> None:
    message = pb.Vector(dense=pb.DenseVector(data=values))
    if len(values) == 3 and all(map(math.isfinite, values)):
        assert points.vector(message, name="dense", vectors=VECTORS) == values
    else:
        with pytest.raises(Refused):
            points.vector(message, name="dense", vectors=VECTORS)


@given(rows)
def test_multivectors_pass_exactly_when_sound(values: list[list[float]]) -> None:
    message = pb.Vector(multi_dense=pb.MultiDenseVector(vectors=[pb.DenseVector(data=row) for row in values]))
    sound = values and all(len(row) == 2 and all(map(math.isfinite, row)) for row in values)
    if sound:
        assert points.vector(message, name="tokens", vectors=VECTORS) == values
    else:
        with pytest.raises(Refused):
            points.vector(message, name="tokens", vectors=VECTORS)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=5), st.lists(floats, max_size=5))
def test_sparse_vectors_pass_exactly_when_sound_and_arrive_sorted(indices: list[int], values: list[float]) -> None:
    message = pb.Vector(sparse=pb.SparseVector(indices=indices, values=values))
    sound = len(indices) == len(values) == len(set(indices)) and all(map(math.isfinite, values))
    if sound:
        built = points.vector(message, name="sparse", vectors=VECTORS)
        assert isinstance(built, edge.SparseVector)
        assert built.indices == sorted(indices)
        assert dict(zip(built.indices, built.values, strict=True)) == dict(zip(indices, values, strict=True))
    else:
        with pytest.raises(Refused):
            points.vector(message, name="sparse", vectors=VECTORS)


@given(st.dictionaries(st.text(), json, max_size=4))
def test_payloads_survive_the_way_there_and_back(payload: dict[str, points.Json]) -> None:
    assert points.payload(payload_message(payload), {}) == payload


@pytest.mark.parametrize("date", ["2026-03-01", "2026-03-01T10:00:00Z", "2026-03-01 10:00:00.123456789+02:00"])
def test_dates_that_the_index_reads_are_taken(date: str) -> None:
    assert points.payload(payload_message({"at": [date, None]}), {"at": FieldKind.DATETIME})


@pytest.mark.parametrize("date", ["yesterday", "2026-13-01", "20260301", "2026-W09-7", "", 5, True, {"a": 1}])
def test_dates_that_the_index_would_drop_are_refused(date: points.Json) -> None:
    with pytest.raises(Refused, match=re.escape("payload 'at'")):
        points.payload(payload_message({"at": date}), {"at": FieldKind.DATETIME})
