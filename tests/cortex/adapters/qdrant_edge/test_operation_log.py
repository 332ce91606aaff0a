"""The log of writes for a copy: in order, bounded, and gone with its process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.operation_log import OperationLog


@pytest.fixture
def log(tmp_path: Path) -> Iterator[OperationLog]:
    made = OperationLog(tmp_path, bytes_max=200)
    yield made
    made.close()


def _delete(number: int) -> pb.DeletePoints:
    return pb.DeletePoints(collection_name="c", points=pb.PointsSelector(points=pb.PointsIdsList(ids=[_id(number)])))


def _id(number: int) -> pb.PointId:
    return pb.PointId(num=number)


def test_writes_come_back_in_their_order_whenever_they_are_taken(log: OperationLog) -> None:
    log.append("delete_points", _delete(1))
    log.append("set_payload", pb.SetPayloadPoints(collection_name="c"))
    assert log.take() == ("delete_points", _delete(1).SerializeToString())
    log.append("delete_points", _delete(2))
    assert [kind for kind, _ in (log.take() or ("", b""), log.take() or ("", b""))] == ["set_payload", "delete_points"]
    assert (log.take(), log.bytes_left) == (None, 0)
    log.append("delete_points", _delete(3))
    assert log.take() == ("delete_points", _delete(3).SerializeToString())


def test_a_log_that_would_grow_too_large_is_not_complete(log: OperationLog) -> None:
    for number in range(20):
        log.append("delete_points", _delete(number))
    assert not log.is_complete
    assert 0 < log.bytes_left <= 200


def test_it_has_no_name_on_disk(log: OperationLog, tmp_path: Path) -> None:
    log.append("delete_points", _delete(1))
    assert not list(tmp_path.iterdir())
