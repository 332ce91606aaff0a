"""Qdrant's filters as the engine's. What is not understood is refused: a condition left out would widen the answer."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, cast

import numpy
import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.points import point_ids
from cortex.adapters.qdrant_edge.refusal import honours, invalid, unimplemented
from cortex.adapters.qdrant_edge.schema import FieldKind, Fields

EngineCondition: TypeAlias = "edge.ConditionType"
EngineMatch: TypeAlias = edge.MatchValue | edge.MatchAny | edge.MatchExcept

# As Qdrant's strict mode: the kind of index that answers each kind of match.
_MATCHES: Mapping[str, tuple[FieldKind, Callable[[pb.Match], EngineMatch]]] = {
    "keyword": (FieldKind.KEYWORD, lambda match: edge.MatchValue(match.keyword)),
    "keywords": (FieldKind.KEYWORD, lambda match: edge.MatchAny(list(match.keywords.strings))),
    "except_keywords": (FieldKind.KEYWORD, lambda match: edge.MatchExcept(list(match.except_keywords.strings))),
    "integer": (FieldKind.INTEGER, lambda match: edge.MatchValue(match.integer)),
    "integers": (FieldKind.INTEGER, lambda match: edge.MatchAny(list(match.integers.integers))),
    "except_integers": (FieldKind.INTEGER, lambda match: edge.MatchExcept(list(match.except_integers.integers))),
    # The binding takes Python's bool for an integer, which matches no boolean; numpy's is no integer.
    "boolean": (FieldKind.BOOL, lambda match: edge.MatchValue(cast("bool", numpy.bool_(match.boolean)))),
}
_BOUNDS = ("lt", "gt", "lte", "gte")


def indexed(key: str, fields: Fields) -> FieldKind:
    """The kind of the index on `key`. The engine would scan without one; the server refuses, as in strict mode."""
    kind = fields.get(key)
    if kind is None:
        raise invalid(f"Index required but not found for {key!r}; create a payload index on it first")
    return kind


def _suits(key: str, *, kind: FieldKind, needed: FieldKind) -> None:
    if kind is not needed:
        raise invalid(f"{key!r} has a {kind.name.lower()} index; this condition needs {needed.name.lower()}")


def _match(key: str, kind: FieldKind, match: pb.Match) -> edge.FieldCondition:
    variant = match.WhichOneof("match_value")
    if variant is None or variant not in _MATCHES:
        raise unimplemented(f"a match by {variant or 'nothing'}")
    honours(match, variant)
    needed, build = _MATCHES[variant]
    _suits(key, kind=kind, needed=needed)
    return edge.FieldCondition(key, match=build(match))


def _bounds(message: Message) -> list[str]:
    honours(message, *_BOUNDS)
    present = [bound for bound in _BOUNDS if message.HasField(bound)]
    if not present:
        raise invalid("a range without a bound")
    return present


def _field(condition: pb.FieldCondition, fields: Fields) -> edge.FieldCondition:
    honours(condition, "key", "match", "range", "datetime_range")
    key, kind = condition.key, indexed(condition.key, fields)
    present = [name for name in ("match", "range", "datetime_range") if condition.HasField(name)]
    if len(present) != 1:
        raise invalid(f"the condition on {key!r} needs one of match, range and datetime_range")
    if present == ["match"]:
        return _match(key, kind, condition.match)
    if present == ["range"]:
        _suits(key, kind=kind, needed=FieldKind.INTEGER)
        numbers = {bound: getattr(condition.range, bound) for bound in _bounds(condition.range)}
        return edge.FieldCondition(key, range=edge.RangeFloat(**numbers))
    _suits(key, kind=kind, needed=FieldKind.DATETIME)
    bounds = _bounds(condition.datetime_range)
    times = {bound: getattr(condition.datetime_range, bound).ToJsonString() for bound in bounds}
    return edge.FieldCondition(key, range=edge.RangeDateTime(**times))


def _condition(condition: pb.Condition, fields: Fields) -> EngineCondition:
    variant = condition.WhichOneof("condition_one_of")
    if variant == "field":
        return _field(condition.field, fields)
    if variant == "filter":
        return filter_(condition.filter, fields)
    if variant == "has_id":
        return edge.HasIdCondition(set(point_ids(condition.has_id.has_id)))
    if variant == "is_empty":
        indexed(condition.is_empty.key, fields)
        return edge.IsEmptyCondition(condition.is_empty.key)
    if variant == "is_null":
        indexed(condition.is_null.key, fields)
        return edge.IsNullCondition(condition.is_null.key)
    raise unimplemented(f"a condition of kind {variant or 'unknown'}")


def _conditions(messages: Iterable[pb.Condition], fields: Fields) -> list[EngineCondition] | None:
    # An empty list is no clause in the protocol, while the engine tells it from None.
    return [_condition(message, fields) for message in messages] or None


def filter_(message: pb.Filter, fields: Fields) -> edge.Filter:
    honours(message, "must", "should", "must_not", "min_should")
    least = None
    if message.HasField("min_should"):
        conditions = _conditions(message.min_should.conditions, fields)
        least = edge.MinShould(conditions or [], message.min_should.min_count)
    return edge.Filter(
        must=_conditions(message.must, fields),
        should=_conditions(message.should, fields),
        must_not=_conditions(message.must_not, fields),
        min_should=least,
    )


def optional_filter(message: Message, name: str, fields: Fields) -> edge.Filter | None:
    return filter_(getattr(message, name), fields) if message.HasField(name) else None
