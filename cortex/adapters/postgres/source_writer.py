"""The one way in (ports/source_writer.py): raw bytes first, then row, ACL, tuples and events in one transaction."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres import container_rows, document_rows
from cortex.adapters.postgres.acl_rows import look_up
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.document_rows import Outcome, Scene, raw_key
from cortex.adapters.postgres.erased_rows import hold_bytes
from cortex.adapters.postgres.groups import PostgresGroups
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.telemetry import traceparent
from cortex.adapters.wrap.cached_directory import drop
from cortex.domain.acl import PrincipalRef
from cortex.domain.change import ContainerState, DocumentState, Failure
from cortex.domain.errors import Conflict, Invalid
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.clock import Clock
from cortex.ports.group_cache import GroupCache
from cortex.ports.object_store import ObjectStore
from cortex.ports.source_writer import GroupPage, Written


class PostgresSourceWriter(LeavesLines):
    """Implements SourceWriter."""

    def __init__(
        self,
        database: Database,
        objects: ObjectStore,
        permissions: PermissionApplier,
        clock: Clock,
        groups: GroupCache,
        *,
        pipeline_version: str,
        recogniser: str = "",
    ) -> None:
        self._database = database
        self._objects = objects
        self._permissions = permissions
        self._clock = clock
        self._groups = groups
        self._members = PostgresGroups(database, permissions, clock)
        self._pipeline_version = pipeline_version
        self._recogniser = recogniser

    async def put_container(self, tenant: TenantId, source: SourceId, state: ContainerState) -> bool:
        async with self._database.tenant(tenant) as connection:
            sequence = await container_rows.put_container(connection, self._scene(tenant, source), state)
            await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, sequence)
        return sequence is not None

    async def delete_container(
        self, tenant: TenantId, source: SourceId, external: str, *, version: int | None = None
    ) -> None:
        scene = self._scene(tenant, source)
        async with self._database.tenant(tenant) as connection:
            sequence = await container_rows.delete_container(connection, scene, external, version=version)
            await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, sequence)

    async def put_document(
        self, tenant: TenantId, source: SourceId, state: DocumentState, *, reset: bool = False
    ) -> Written:
        scene = self._scene(tenant, source)
        await self._put_raw(tenant, state)
        async with self._database.tenant(tenant) as connection:
            await self._hold_raw(connection, tenant, [state])
            outcome = await document_rows.put_document(connection, scene, state, reset)
            if outcome.written.changed:
                await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, outcome.sequence)
        return outcome.written

    async def put_documents(
        self, tenant: TenantId, source: SourceId, states: Sequence[DocumentState]
    ) -> list[Written | Failure]:
        scene = self._scene(tenant, source)
        for state in states:
            await self._put_raw(tenant, state)
        results: dict[str, Outcome | Failure] = {}
        named = [principal for state in states if state.acl for principal in state.acl.principals()]
        async with self._database.tenant(tenant) as connection:
            # First and by itself: people are made under a lock that must not be waited for with a sequence in hand.
            await look_up(connection, tenant, named)
        async with self._database.tenant(tenant) as connection:
            await self._hold_raw(connection, tenant, states)
            # In one order everywhere, so that two pages cannot wait for each other.
            for state in sorted(states, key=lambda item: item.external_id):
                results[state.external_id] = await _put_one(connection, scene, state)
        outcomes = [result for result in results.values() if isinstance(result, Outcome)]
        await self._permissions.apply_until(tenant, max((o.sequence for o in outcomes if o.sequence), default=None))
        ordered = [results[state.external_id] for state in states]
        return [result.written if isinstance(result, Outcome) else result for result in ordered]

    async def delete_document(
        self, tenant: TenantId, source: SourceId, external: str, *, reason: str, version: int | None = None
    ) -> bool:
        scene = self._scene(tenant, source)
        async with self._database.tenant(tenant) as connection:
            there, sequence = await document_rows.delete_document(
                connection, scene, external, reason=reason, version=version
            )
            if there or version is not None:
                await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, sequence)
        return there

    async def put_group(
        self, tenant: TenantId, source: SourceId, external: str, members: Sequence[PrincipalRef], *, version: int | None
    ) -> None:
        named = await self._members.named(tenant, members, group=external)
        await self._groups_lined().put(tenant, source, external, named, name=external, version=version)
        await drop(self._groups, tenant)

    async def put_group_page(
        self, tenant: TenantId, source: SourceId, external: str, members: Sequence[PrincipalRef], page: GroupPage
    ) -> None:
        named = await self._members.named(tenant, members, group=external)
        await self._groups_lined().put_page(tenant, source, external, named, page)
        if page.last:
            await drop(self._groups, tenant)

    async def patch_group(
        self,
        tenant: TenantId,
        source: SourceId,
        external: str,
        *,
        add: Sequence[PrincipalRef],
        remove: Sequence[PrincipalRef],
    ) -> None:
        more = await self._members.named(tenant, add, group=external)
        less = await self._members.named(tenant, remove, group=external)
        await self._groups_lined().patch(tenant, source, external, add=more, remove=less)
        await drop(self._groups, tenant)

    def _groups_lined(self) -> PostgresGroups:
        return self._members if self._line is None else self._members.audited(self._line)

    def _scene(self, tenant: TenantId, source: SourceId) -> Scene:
        return Scene(tenant, source, self._clock.now(), self._pipeline_version, self._recogniser, traceparent())

    async def _put_raw(self, tenant: TenantId, state: DocumentState) -> None:
        """Before the row, so that no row ever points at bytes that are not there."""
        await self._objects.put(raw_key(tenant, state.sha256), state.data)

    async def _hold_raw(self, connection: AsyncConnection, tenant: TenantId, states: Sequence[DocumentState]) -> None:
        """An erasure of another document with the same bytes may have taken them since."""
        went = await hold_bytes(connection, tenant, [state.sha256 for state in states])
        for state in states:
            if state.sha256 in went:
                await self._put_raw(tenant, state)


async def _put_one(connection: AsyncConnection, scene: Scene, state: DocumentState) -> Outcome | Failure:
    try:
        async with connection.begin_nested():
            return await document_rows.put_document(connection, scene, state, reset=False)
    except (Invalid, Conflict) as error:
        return Failure(state.external_id, state.external_id, str(error))
