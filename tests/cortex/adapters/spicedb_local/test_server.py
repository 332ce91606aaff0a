"""The real engine in its own process, through the ordinary client."""

from typing import NamedTuple
from uuid import uuid4

import grpc
import pytest
from authzed.api.v1 import (
    AsyncClient,
    CheckBulkPermissionsRequest,
    CheckBulkPermissionsRequestItem,
    CheckPermissionRequest,
    CheckPermissionResponse,
    Consistency,
    DeleteRelationshipsRequest,
    LookupResourcesRequest,
    LookupSubjectsRequest,
    ObjectReference,
    ReadRelationshipsRequest,
    ReadSchemaRequest,
    Relationship,
    RelationshipFilter,
    RelationshipUpdate,
    SubjectReference,
    WatchRequest,
    WriteRelationshipsRequest,
    WriteSchemaRequest,
    ZedToken,
)
from grpcutil import insecure_bearer_token_credentials  # type: ignore[import-untyped]

from tests.local_servers import KeyedUrl

ALLOWED = CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION
DENIED = CheckPermissionResponse.PERMISSIONSHIP_NO_PERMISSION


class Case(NamedTuple):
    """A group of its own for each test: the server is shared."""

    client: AsyncClient
    group: ObjectReference
    person: SubjectReference


@pytest.fixture
async def case(spicedb: KeyedUrl) -> Case:
    client = AsyncClient(spicedb.url, insecure_bearer_token_credentials(spicedb.key))
    return Case(client, obj("generation"), SubjectReference(object=obj("person")))


def obj(kind: str) -> ObjectReference:
    return ObjectReference(object_type=kind, object_id=str(uuid4()))


async def write(case: Case, operation: str = "OPERATION_TOUCH") -> ZedToken:
    relationship = Relationship(resource=case.group, relation="member", subject=case.person)
    update = RelationshipUpdate(operation=RelationshipUpdate.Operation.Value(operation), relationship=relationship)
    answer = await case.client.WriteRelationships(WriteRelationshipsRequest(updates=[update]))
    token: ZedToken = answer.written_at
    return token


def check(case: Case, *, at: ZedToken | None = None, group: ObjectReference | None = None) -> CheckPermissionRequest:
    fresh = Consistency(at_least_as_fresh=at) if at else Consistency(fully_consistent=True)
    return CheckPermissionRequest(
        resource=group or case.group, permission="member", subject=case.person, consistency=fresh
    )


async def test_a_write_is_seen_at_its_token_and_a_deletion_too(case: Case) -> None:
    written = await write(case)
    assert (await case.client.CheckPermission(check(case, at=written))).permissionship == ALLOWED
    deleted = await write(case, "OPERATION_DELETE")
    assert (await case.client.CheckPermission(check(case, at=deleted))).permissionship == DENIED


async def test_bulk_checks_answer_in_order(case: Case) -> None:
    written = await write(case)
    groups = [obj("generation") for _ in range(40)]
    groups[17] = case.group
    items = [
        CheckBulkPermissionsRequestItem(resource=group, permission="member", subject=case.person) for group in groups
    ]
    request = CheckBulkPermissionsRequest(items=items, consistency=Consistency(at_least_as_fresh=written))
    answer = await case.client.CheckBulkPermissions(request)
    assert [pair.item.permissionship == ALLOWED for pair in answer.pairs] == [at == 17 for at in range(40)]


async def test_look_ups_stream_through(case: Case) -> None:
    await write(case)
    fresh = Consistency(fully_consistent=True)
    resources = LookupResourcesRequest(
        resource_object_type="generation", permission="member", subject=case.person, consistency=fresh
    )
    assert [found.resource_object_id async for found in case.client.LookupResources(resources)] == [
        case.group.object_id
    ]
    subjects = LookupSubjectsRequest(
        resource=case.group, permission="member", subject_object_type="person", consistency=fresh
    )
    assert [found.subject.subject_object_id async for found in case.client.LookupSubjects(subjects)] == [
        case.person.object.object_id
    ]


async def test_relationships_are_read_and_deleted_by_filter(case: Case) -> None:
    await write(case)
    this_group = RelationshipFilter(resource_type="generation", optional_resource_id=case.group.object_id)
    request = ReadRelationshipsRequest(relationship_filter=this_group, consistency=Consistency(fully_consistent=True))
    assert [found.relationship.relation async for found in case.client.ReadRelationships(request)] == ["member"]
    await case.client.DeleteRelationships(DeleteRelationshipsRequest(relationship_filter=this_group))
    assert [found async for found in case.client.ReadRelationships(request)] == []


async def test_the_schema_was_loaded_and_can_be_written_again(case: Case) -> None:
    schema = (await case.client.ReadSchema(ReadSchemaRequest())).schema_text
    assert "definition document" in schema
    await case.client.WriteSchema(WriteSchemaRequest(schema=schema))


@pytest.mark.parametrize("key", ["wrong", "", "ключ"])
async def test_a_wrong_key_is_refused_for_unary_and_streaming_calls(case: Case, spicedb: KeyedUrl, key: str) -> None:
    channel = grpc.aio.insecure_channel(spicedb.url)
    metadata = (("authorization-bin", key.encode()), ("authorization", f"Bearer {key}".encode("ascii", "replace")))
    async with channel:
        unary = channel.unary_unary("/authzed.api.v1.PermissionsService/CheckPermission")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await unary(check(case).SerializeToString(), metadata=metadata)
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
        streaming = channel.unary_stream("/authzed.api.v1.PermissionsService/LookupResources")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await streaming(b"", metadata=metadata).read()
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_no_key_at_all_is_unauthenticated(case: Case, spicedb: KeyedUrl) -> None:
    async with grpc.aio.insecure_channel(spicedb.url) as channel:
        call = channel.unary_unary("/authzed.api.v1.PermissionsService/CheckPermission")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(check(case).SerializeToString())
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_errors_of_the_engine_keep_their_code(case: Case) -> None:
    bad_id = ObjectReference(object_type="generation", object_id="a@b.c")
    with pytest.raises(grpc.aio.AioRpcError) as invalid:
        await case.client.CheckPermission(check(case, group=bad_id))
    assert invalid.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    unknown_type = ObjectReference(object_type="nothing", object_id="a")
    with pytest.raises(grpc.aio.AioRpcError) as unknown:
        await case.client.CheckPermission(check(case, group=unknown_type))
    assert unknown.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    request = ReadRelationshipsRequest(relationship_filter=RelationshipFilter(resource_type="nothing"))
    with pytest.raises(grpc.aio.AioRpcError) as streamed:
        _ = [found async for found in case.client.ReadRelationships(request)]
    assert streamed.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    await write(case)
    with pytest.raises(grpc.aio.AioRpcError) as twice:
        await write(case, "OPERATION_CREATE")
    assert twice.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_what_is_left_out_says_so(case: Case) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as watch:
        _ = [change async for change in case.client.Watch(WatchRequest())]
    assert watch.value.code() is grpc.StatusCode.UNIMPLEMENTED
