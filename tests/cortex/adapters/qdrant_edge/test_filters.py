"""Filters that the client cannot even send: whatever is not understood is refused."""

import grpc
import pytest
import qdrant_edge as edge
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.filters import filter_
from cortex.adapters.qdrant_edge.refusal import Refused
from cortex.adapters.qdrant_edge.schema import FieldKind

FIELDS = {"kind": FieldKind.KEYWORD, "at": FieldKind.DATETIME}


def refuses(condition: pb.Condition) -> grpc.StatusCode:
    with pytest.raises(Refused) as caught:
        filter_(pb.Filter(must=[condition]), FIELDS)
    return caught.value.code


@pytest.mark.parametrize(
    "condition",
    [
        pb.Condition(field=pb.FieldCondition(key="kind")),
        pb.Condition(field=pb.FieldCondition(key="at", match=pb.Match(keyword="a"), datetime_range=pb.DatetimeRange())),
        pb.Condition(field=pb.FieldCondition(key="at", datetime_range=pb.DatetimeRange())),
    ],
)
def test_a_field_needs_exactly_one_test(condition: pb.Condition) -> None:
    assert refuses(condition) is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "condition",
    [
        pb.Condition(),
        pb.Condition(field=pb.FieldCondition(key="kind", match=pb.Match())),
        pb.Condition(field=pb.FieldCondition(key="kind", match=pb.Match(keyword="a"), is_empty=True)),
        pb.Condition(nested=pb.NestedCondition(key="kind", filter=pb.Filter())),
        pb.Condition(slice=pb.SliceCondition(total=2, index=1)),
    ],
)
def test_what_this_version_does_not_know_is_unimplemented(condition: pb.Condition) -> None:
    assert refuses(condition) is grpc.StatusCode.UNIMPLEMENTED


def test_a_field_of_a_newer_protocol_is_refused_rather_than_dropped() -> None:
    newer = pb.Filter.FromString(bytes([15 << 3 | 2, 1, 0]))
    with pytest.raises(Refused, match="newer than this server"):
        filter_(newer, FIELDS)


def test_an_empty_list_of_conditions_is_no_clause() -> None:
    built = filter_(pb.Filter(must=[pb.Condition(filter=pb.Filter())]), FIELDS)
    assert built.should is None
    assert built.must_not is None


def test_booleans_stay_booleans() -> None:
    """The binding takes Python's False for 0, which matches no boolean at all."""
    condition = pb.Condition(field=pb.FieldCondition(key="flag", match=pb.Match(boolean=False)))
    built = filter_(pb.Filter(must=[condition]), {"flag": FieldKind.BOOL})
    assert built.must is not None
    (field,) = built.must
    assert isinstance(field, edge.FieldCondition)
    assert isinstance(field.match, edge.MatchValue)
    assert field.match.value is False
