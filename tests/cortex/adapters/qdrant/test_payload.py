"""Points as Qdrant stores them."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from qdrant_client import models

from cortex.adapters.qdrant import payload
from cortex.domain.errors import Invalid
from cortex.domain.identity import ContainerId
from cortex.domain.vector import IndexAcl, SparseVector
from cortex.testing.vector_index import ALICE, BOB, acl, new_document, new_tenant, point

POINT = point(new_tenant(), new_document())


def stored(struct: models.PointStruct) -> payload.Payload:
    assert struct.payload is not None
    return struct.payload


def test_unused_clauses_are_open_and_an_empty_one_admits_nobody() -> None:
    assert payload.acl_payload(acl(ALICE)) == {
        "acl_0": [ALICE],
        "acl_1": ["*"],
        "acl_2": ["*"],
        "acl_3": ["*"],
        "acl_deny": [],
    }
    nobody = stored(payload.point_struct(replace(POINT, acl=IndexAcl((frozenset(),), frozenset()))))
    assert "acl_0" not in nobody


def test_empty_fields_are_left_out_of_a_new_point() -> None:
    fields = stored(payload.point_struct(POINT))
    assert "acl_deny" not in fields
    assert not {"container_ids", "author_ids", "created_at", "updated_at", "valid_to"} & set(fields)
    assert fields["is_deleted"] is False


def test_times_are_written_in_utc() -> None:
    east = datetime(2026, 3, 1, 2, tzinfo=timezone(timedelta(hours=8)))
    assert stored(payload.point_struct(replace(POINT, created_at=east)))["created_at"] == "2026-02-28T18:00:00+00:00"
    with pytest.raises(Invalid, match="time zone"):
        payload.point_struct(replace(POINT, created_at=datetime(2026, 3, 1)))  # noqa: DTZ001


def test_a_chunk_without_words_has_no_sparse_vector() -> None:
    assert set(payload.point_struct(replace(POINT, sparse=SparseVector([], []))).vector) == {"dense"}


def test_a_point_comes_back_as_it_went() -> None:
    full = replace(
        POINT,
        container_ids=(ContainerId(uuid.uuid4()),),
        updated_at=datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC),
        acl=acl(ALICE, deny=[BOB]),
    )
    struct = payload.point_struct(full)
    answered = models.ScoredPoint(id=struct.id, version=1, score=0.5, payload=struct.payload)
    back = payload.scored_point(answered)
    for field in ("chunk_id", "document_id", "revision", "acl_revision", "source_id", "source_type"):
        assert getattr(back, field) == getattr(full, field)
    assert (back.container_ids, back.updated_at, back.score) == (full.container_ids, full.updated_at, 0.5)


def test_batches_are_bounded_by_points_and_by_bytes() -> None:
    assert [len(batch) for batch in payload.batches([POINT] * 1201)] == [500, 500, 201]
    assert not list(payload.batches([]))
    wide = replace(POINT, dense=[0.0] * 1_000_000)
    assert [len(batch) for batch in payload.batches([wide] * 9)] == [4, 4, 1]
    giant = replace(POINT, dense=[0.0] * 5_000_000)
    assert [len(batch) for batch in payload.batches([POINT, giant, POINT])] == [1, 1, 1]
