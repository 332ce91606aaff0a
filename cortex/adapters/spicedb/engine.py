"""The permission engine over SpiceDB's own gRPC interface, in a cluster and on one machine alike."""

import uuid
from collections.abc import AsyncIterator, Sequence
from typing import Final

import grpc
from authzed.api.v1 import core_pb2
from authzed.api.v1 import permission_service_pb2 as messages
from authzed.api.v1.permission_service_pb2_grpc import PermissionsServiceStub

from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import DocumentId, PersonId, TenantId
from cortex.domain.relation import Operation, Relation, RelationUpdate, object_id
from cortex.ports.permission_engine import UPDATES_MAX, Check

_OPERATIONS: Final = {
    Operation.TOUCH: core_pb2.RelationshipUpdate.OPERATION_TOUCH,
    Operation.DELETE: core_pb2.RelationshipUpdate.OPERATION_DELETE,
}
_PASSING: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.CANCELLED,
    }
)
RELATIONS_PER_PAGE: Final = 1_000
READ_TIMEOUT_S: Final = 60.0
_RECONNECT: Final = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 300),
]


class SpiceDbEngine:
    """Implements PermissionEngine. `url` is `host:port`, with `grpcs://` before it for TLS."""

    def __init__(self, url: str, *, key: str, timeout_s: float = 5.0) -> None:
        target = url.removeprefix("grpcs://").removeprefix("grpc://")
        if url.startswith("grpcs://"):
            self._channel = grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(), options=_RECONNECT)
        else:
            self._channel = grpc.aio.insecure_channel(target, options=_RECONNECT)
        self._permissions = PermissionsServiceStub(self._channel)
        self._metadata = (("authorization", f"Bearer {key}"),)
        self._timeout_s = timeout_s

    async def write(self, updates: Sequence[RelationUpdate]) -> str:
        if not 0 < len(updates) <= UPDATES_MAX:
            raise Bug(f"{len(updates)} permission updates in one call; expected 1 to {UPDATES_MAX}")
        # The engine refuses one relation twice in a call: the last word on each is what counts.
        last = {update.relation: update.operation for update in updates}
        request = messages.WriteRelationshipsRequest(
            updates=[
                core_pb2.RelationshipUpdate(operation=_OPERATIONS[operation], relationship=_relationship(relation))
                for relation, operation in last.items()
            ]
        )
        try:
            response = await self._permissions.WriteRelationships(
                request, metadata=self._metadata, timeout=self._timeout_s
            )
        except grpc.aio.AioRpcError as error:
            raise _translated(error) from error
        return str(response.written_at.token)

    async def check(
        self, tenant: TenantId, person: PersonId, checks: Sequence[Check], *, at_least_as_fresh: str | None
    ) -> list[bool]:
        if not checks:
            return []
        consistency = (
            messages.Consistency(at_least_as_fresh=core_pb2.ZedToken(token=at_least_as_fresh))
            if at_least_as_fresh
            else messages.Consistency(fully_consistent=True)
        )
        subject = core_pb2.SubjectReference(
            object=core_pb2.ObjectReference(object_type="person", object_id=object_id(tenant, person))
        )
        request = messages.CheckBulkPermissionsRequest(
            consistency=consistency,
            items=[
                messages.CheckBulkPermissionsRequestItem(
                    resource=core_pb2.ObjectReference(object_type=check.kind, object_id=object_id(tenant, check.id)),
                    permission=check.permission,
                    subject=subject,
                )
                for check in checks
            ],
        )
        try:
            response = await self._permissions.CheckBulkPermissions(
                request, metadata=self._metadata, timeout=self._timeout_s
            )
        except grpc.aio.AioRpcError as error:
            raise _translated(error) from error
        if len(response.pairs) != len(checks):
            raise Transient("SpiceDB answered fewer checks than were asked")
        return [_allowed(pair) for pair in response.pairs]

    async def relations(self, resource_type: str, *, prefix: str) -> AsyncIterator[Relation]:
        cursor: core_pb2.Cursor | None = None
        while True:
            request = messages.ReadRelationshipsRequest(
                consistency=messages.Consistency(fully_consistent=True),
                relationship_filter=messages.RelationshipFilter(
                    resource_type=resource_type, optional_resource_id_prefix=prefix
                ),
                optional_limit=RELATIONS_PER_PAGE,
                optional_cursor=cursor,
            )
            count = 0
            try:
                async for page in self._permissions.ReadRelationships(
                    request, metadata=self._metadata, timeout=READ_TIMEOUT_S
                ):
                    count, cursor = count + 1, page.after_result_cursor
                    yield _relation(page.relationship)
            except grpc.aio.AioRpcError as error:
                raise _translated(error) from error
            if count < RELATIONS_PER_PAGE:
                return

    async def ping(self) -> None:
        """Raises Transient when the engine does not answer."""
        nobody = uuid.UUID(int=0)
        await self.check(TenantId(nobody), PersonId(nobody), [Check(DocumentId(nobody))], at_least_as_fresh=None)

    async def close(self) -> None:
        await self._channel.close()


def _allowed(pair: messages.CheckBulkPermissionsPair) -> bool:
    """An item that failed (a chain too deep, a cycle) is hidden."""
    has = messages.CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION
    return pair.WhichOneof("response") == "item" and pair.item.permissionship == has


def _relationship(relation: Relation) -> core_pb2.Relationship:
    return core_pb2.Relationship(
        resource=core_pb2.ObjectReference(object_type=relation.resource_type, object_id=relation.resource_id),
        relation=relation.relation,
        subject=core_pb2.SubjectReference(
            object=core_pb2.ObjectReference(object_type=relation.subject_type, object_id=relation.subject_id),
            optional_relation=relation.subject_relation,
        ),
    )


def _relation(relationship: core_pb2.Relationship) -> Relation:
    resource, subject = relationship.resource, relationship.subject
    return Relation(
        resource.object_type,
        resource.object_id,
        relationship.relation,
        subject.object.object_type,
        subject.object.object_id,
        subject.optional_relation,
    )


def _translated(error: grpc.aio.AioRpcError) -> Transient | Bug:
    if error.code() in _PASSING:
        return Transient(f"SpiceDB is out of reach ({error.code().name})", retry_after_s=1.0)
    return Bug(f"SpiceDB refused a call: {error.code().name}: {error.details()}")
