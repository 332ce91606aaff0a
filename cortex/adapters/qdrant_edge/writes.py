"""qdrant.Points, the half that changes something. Each write is converted whole before any of it is applied."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.filters import filter_, optional_filter
from cortex.adapters.qdrant_edge.method import Method, Methods, method
from cortex.adapters.qdrant_edge.points import PointId, payload, point_ids, point_vectors, points
from cortex.adapters.qdrant_edge.refusal import honours, invalid, not_found, unimplemented
from cortex.adapters.qdrant_edge.schema import FieldKind
from cortex.adapters.qdrant_edge.store import Collection, Store

Operation = edge.UpdateOperation
# Fields of every write that one shard without replicas satisfies whatever they say.
_COMMON = ("collection_name", "wait", "ordering", "timeout")
_UPDATE_MODES = {
    pb.UpdateMode.Upsert: edge.UpdateMode.Upsert,
    pb.UpdateMode.InsertOnly: edge.UpdateMode.InsertOnly,
    pb.UpdateMode.UpdateOnly: edge.UpdateMode.UpdateOnly,
}


@dataclass(frozen=True, slots=True)
class Write:
    """A checked write. The engine would change some of `must_exist` before it complains of an absent one."""

    operation: Operation
    must_exist: Sequence[PointId] = ()

    def apply(self, collection: Collection) -> None:
        if self.must_exist:
            records = collection.shard.retrieve(list(self.must_exist), with_payload=False, with_vector=False)
            found = {str(record.id) for record in records}
            for point in self.must_exist:
                if str(point) not in found:
                    raise not_found(f"No point with id {point} found")
        collection.update(self.operation)


def _selected(
    collection: Collection,
    selector: pb.PointsSelector,
    *,
    by_ids: Callable[[list[PointId]], Operation],
    by_filter: Callable[[edge.Filter], Operation],
    may_be_absent: bool = False,
) -> Write:
    variant = selector.WhichOneof("points_selector_one_of")
    if variant == "points":
        ids = point_ids(selector.points.ids)
        return Write(by_ids(ids), must_exist=() if may_be_absent else ids)
    if variant == "filter":
        return Write(by_filter(filter_(selector.filter, collection.fields)))
    raise unimplemented("a selector of points without ids or filter")


def _upsert(collection: Collection, request: pb.UpsertPoints) -> Write:
    honours(request, *_COMMON, "points", "update_filter", "update_mode")
    if request.update_mode not in _UPDATE_MODES:
        raise unimplemented(f"update mode {request.update_mode}")
    return Write(
        Operation.upsert_points(
            points(request.points, vectors=collection.vectors, fields=collection.fields),
            condition=optional_filter(request, "update_filter", collection.fields),
            update_mode=_UPDATE_MODES[request.update_mode],
        )
    )


def _delete(collection: Collection, request: pb.DeletePoints) -> Write:
    honours(request, *_COMMON, "points")
    return _selected(
        collection,
        request.points,
        by_ids=Operation.delete_points,
        by_filter=Operation.delete_points_by_filter,
        may_be_absent=True,
    )


def _new_payload(collection: Collection, request: pb.SetPayloadPoints) -> tuple[dict[str, object], str | None]:
    honours(request, *_COMMON, "payload", "points_selector", "key")
    key = request.key if request.HasField("key") else None
    # Below a key the fields have other paths, and none of those is indexed; the key itself may be.
    if key is not None and collection.fields.get(key.split(".")[0].split("[")[0]) is FieldKind.DATETIME:
        raise invalid(f"payload {key!r}: an indexed date cannot hold an object")
    return {**payload(request.payload, collection.fields if key is None else {})}, key


def _set_payload(collection: Collection, request: pb.SetPayloadPoints) -> Write:
    fields, key = _new_payload(collection, request)
    return _selected(
        collection,
        request.points_selector,
        by_ids=lambda ids: Operation.set_payload(ids, fields, key),
        by_filter=lambda matching: Operation.set_payload_by_filter(matching, fields, key),
    )


def _overwrite_payload(collection: Collection, request: pb.SetPayloadPoints) -> Write:
    fields, key = _new_payload(collection, request)
    return _selected(
        collection,
        request.points_selector,
        by_ids=lambda ids: Operation.overwrite_payload(ids, fields, key),
        by_filter=lambda matching: Operation.overwrite_payload_by_filter(matching, fields, key),
    )


def _delete_payload(collection: Collection, request: pb.DeletePayloadPoints) -> Write:
    honours(request, *_COMMON, "keys", "points_selector")
    keys = list(request.keys)
    return _selected(
        collection,
        request.points_selector,
        by_ids=lambda ids: Operation.delete_payload(ids, keys),
        by_filter=lambda matching: Operation.delete_payload_by_filter(matching, keys),
    )


def _clear_payload(collection: Collection, request: pb.ClearPayloadPoints) -> Write:
    honours(request, *_COMMON, "points")
    return _selected(
        collection,
        request.points,
        by_ids=Operation.clear_payload,
        by_filter=Operation.clear_payload_by_filter,
    )


def _update_vectors(collection: Collection, request: pb.UpdatePointVectors) -> Write:
    honours(request, *_COMMON, "points", "update_filter")
    changed = point_vectors(request.points, collection.vectors)
    condition = optional_filter(request, "update_filter", collection.fields)
    return Write(
        Operation.update_vectors(changed, condition),
        must_exist=point_ids(point.id for point in request.points),
    )


def _delete_vectors(collection: Collection, request: pb.DeletePointVectors) -> Write:
    honours(request, *_COMMON, "points_selector", "vectors")
    names = list(request.vectors.names)
    for name in names:
        if name not in collection.vectors:
            raise invalid(f"Not existing vector name error: {name}")
    return _selected(
        collection,
        request.points_selector,
        by_ids=lambda ids: Operation.delete_vectors(ids, names),
        by_filter=lambda matching: Operation.delete_vectors_by_filter(matching, names),
    )


def _result(wait: bool) -> pb.UpdateResult:
    status = pb.UpdateStatus.Completed if wait else pb.UpdateStatus.Acknowledged
    return pb.UpdateResult(operation_id=0, status=status)


WriteRequest = TypeVar(
    "WriteRequest",
    pb.UpsertPoints,
    pb.DeletePoints,
    pb.SetPayloadPoints,
    pb.DeletePayloadPoints,
    pb.ClearPayloadPoints,
    pb.UpdatePointVectors,
    pb.DeletePointVectors,
)
Check: TypeAlias = Callable[[Collection, WriteRequest], Write]


def _call(kind: str, request: type[WriteRequest], check: Check[WriteRequest]) -> Method:
    def answer(store: Store, message: WriteRequest) -> pb.PointsOperationResponse:
        collection = store.collection(message.collection_name)
        check(collection, message).apply(collection)
        collection.updated(kind, message)
        return pb.PointsOperationResponse(result=_result(wait=message.wait))

    return method(request, answer, changes=True)


Step: TypeAlias = Callable[[Collection, Message], tuple[Write, Message]]


def _step(request: type[WriteRequest], check: Check[WriteRequest]) -> Step:
    """A step of UpdateBatch: a message of its own whose fields are named as those of the single call."""

    def checked(collection: Collection, step: Message) -> tuple[Write, Message]:
        single = request(**{field.name: value for field, value in step.ListFields()})
        return check(collection, single), single

    return checked


_STEPS: Mapping[str, Step] = {
    "upsert": _step(pb.UpsertPoints, _upsert),
    "delete_points": _step(pb.DeletePoints, _delete),
    "set_payload": _step(pb.SetPayloadPoints, _set_payload),
    "overwrite_payload": _step(pb.SetPayloadPoints, _overwrite_payload),
    "delete_payload": _step(pb.DeletePayloadPoints, _delete_payload),
    "clear_payload": _step(pb.ClearPayloadPoints, _clear_payload),
    "update_vectors": _step(pb.UpdatePointVectors, _update_vectors),
    "delete_vectors": _step(pb.DeletePointVectors, _delete_vectors),
}


def _check_step(collection: Collection, operation: pb.PointsUpdateOperation) -> tuple[str, Write, Message]:
    variant = operation.WhichOneof("operation")
    if variant is None or variant not in _STEPS:
        raise unimplemented(f"{variant or 'an unknown operation'} in a batch")
    return variant, *_STEPS[variant](collection, getattr(operation, variant))


def _update_batch(store: Store, request: pb.UpdateBatchPoints) -> pb.UpdateBatchResponse:
    """Every step is checked before the first is applied; an absent id stops the rest, as on Qdrant's server."""
    honours(request, *_COMMON, "operations")
    collection = store.collection(request.collection_name)
    writes = [_check_step(collection, operation) for operation in request.operations]
    for kind, write, single in writes:
        write.apply(collection)
        collection.updated(kind, single)
    return pb.UpdateBatchResponse(result=[_result(wait=request.wait) for _ in writes])


def _create_index(store: Store, request: pb.CreateFieldIndexCollection) -> pb.PointsOperationResponse:
    store.create_index(request)
    return pb.PointsOperationResponse(result=_result(wait=request.wait))


def _delete_index(store: Store, request: pb.DeleteFieldIndexCollection) -> pb.PointsOperationResponse:
    honours(request, *_COMMON, "field_name")
    store.drop_index(request.collection_name, request.field_name)
    return pb.PointsOperationResponse(result=_result(wait=request.wait))


def _replayer(request: type[WriteRequest], check: Check[WriteRequest]) -> Callable[[Collection, bytes], None]:
    def again(collection: Collection, body: bytes) -> None:
        check(collection, request.FromString(body)).apply(collection)

    return again


_REPLAYERS: Mapping[str, Callable[[Collection, bytes], None]] = {
    "upsert": _replayer(pb.UpsertPoints, _upsert),
    "delete_points": _replayer(pb.DeletePoints, _delete),
    "set_payload": _replayer(pb.SetPayloadPoints, _set_payload),
    "overwrite_payload": _replayer(pb.SetPayloadPoints, _overwrite_payload),
    "delete_payload": _replayer(pb.DeletePayloadPoints, _delete_payload),
    "clear_payload": _replayer(pb.ClearPayloadPoints, _clear_payload),
    "update_vectors": _replayer(pb.UpdatePointVectors, _update_vectors),
    "delete_vectors": _replayer(pb.DeletePointVectors, _delete_vectors),
}


def replay(collection: Collection, kind: str, body: bytes) -> None:
    """Apply to a copy what `Collection.updated` was told of."""
    _REPLAYERS[kind](collection, body)


METHODS: Methods = {
    "Upsert": _call("upsert", pb.UpsertPoints, _upsert),
    "Delete": _call("delete_points", pb.DeletePoints, _delete),
    "SetPayload": _call("set_payload", pb.SetPayloadPoints, _set_payload),
    "OverwritePayload": _call("overwrite_payload", pb.SetPayloadPoints, _overwrite_payload),
    "DeletePayload": _call("delete_payload", pb.DeletePayloadPoints, _delete_payload),
    "ClearPayload": _call("clear_payload", pb.ClearPayloadPoints, _clear_payload),
    "UpdateVectors": _call("update_vectors", pb.UpdatePointVectors, _update_vectors),
    "DeleteVectors": _call("delete_vectors", pb.DeletePointVectors, _delete_vectors),
    "UpdateBatch": method(pb.UpdateBatchPoints, _update_batch, changes=True),
    "CreateFieldIndex": method(pb.CreateFieldIndexCollection, _create_index, changes=True),
    "DeleteFieldIndex": method(pb.DeleteFieldIndexCollection, _delete_index, changes=True),
}
