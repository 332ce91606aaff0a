"""Writes of groups: small ones in one transaction, large ones page by page (architecture section 4)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import look_up
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.group_rows import (
    PAGE_MAX,
    SMALL_MAX,
    Member,
    StoredGroup,
    add_page,
    check_group_version,
    describe,
    forget_hash,
    lock_group,
    open_generation,
    pages,
    refuse_newer,
    refuse_others,
    replace_small,
    sweep_leftovers,
    switch,
)
from cortex.adapters.postgres.group_rows import (
    patch as patch_members,
)
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.domain.acl import Group, Person, PrincipalRef, ViewersRef
from cortex.domain.errors import Conflict, Invalid
from cortex.domain.identity import GroupId, SourceId, TenantId
from cortex.domain.revision import sha256_json
from cortex.ports.clock import Clock
from cortex.ports.source_writer import GroupPage

PUT_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Step:
    """What one transaction did: the permission write to wait for, and the generation that is open now.

    `whole`: with it the call has taken effect, so the line about it belongs here.
    """

    group: GroupId
    sequence: int | None
    opened: int | None = None
    whole: bool = True


Act = Callable[[AsyncConnection, StoredGroup], Awaitable[Step]]


class PostgresGroups(LeavesLines):
    """Each call returns once the permission engine has applied it; a revocation holds from then on."""

    def __init__(self, database: Database, permissions: PermissionApplier, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._clock = clock

    async def named(self, tenant: TenantId, members: Sequence[PrincipalRef], *, group: str) -> frozenset[Member]:
        """Ids of members by name; Invalid for what cannot be a member."""
        if any(isinstance(member, ViewersRef) for member in members):
            raise Invalid(f"group {group!r}: members are people and groups; viewers: may stand in an acl's allow only")
        found: set[Member] = set()
        for start in range(0, len(members), SMALL_MAX):
            # People are made under a lock that must not be waited for with a group or a sequence in hand.
            async with self._database.tenant(tenant) as connection:
                names = await look_up(connection, tenant, members[start : start + SMALL_MAX])
            found.update(member for member in names.values() if isinstance(member, Person | Group))
        return frozenset(found)

    async def put(
        self,
        tenant: TenantId,
        source: SourceId | None,
        external: str,
        members: frozenset[Member],
        *,
        name: str,
        version: int | None = None,
    ) -> GroupId:
        """Replaces the members. Raises Invalid on a cycle or too many members, Conflict on versions."""
        if len(members) > PUT_MAX:
            raise Invalid(f"group {external!r}: {len(members)} members; at most {PUT_MAX} at once, send pages")
        ordered = sorted(members, key=lambda member: (type(member).__name__, member.id))
        digest = sha256_json({"members": [f"{type(member).__name__}:{member.id}" for member in ordered]})
        large = len(members) > SMALL_MAX

        async def begin(connection: AsyncConnection, group: StoredGroup) -> Step:
            check_group_version(group, version, digest)
            sequence = None
            if group.members_sha256 != digest or group.open_generation is not None:
                if large:
                    opened = await open_generation(connection, group, label=None)
                    return Step(group.id, None, opened.open_generation, whole=False)
                sequence = await replace_small(connection, group, members)
            await describe(connection, group, name=name, version=version, members_sha256=digest)
            return Step(group.id, sequence)

        step = await self._write(tenant, source, external, name, begin)
        if step.opened is not None:
            for page in pages(ordered, SMALL_MAX):
                await self._write(tenant, source, external, name, _page_step(step.opened, page))
            end = _switch_step(step.opened, name=name, version=version, digest=digest)
            await self._write(tenant, source, external, name, end)
        return step.group

    async def patch(
        self,
        tenant: TenantId,
        source: SourceId,
        external: str,
        *,
        add: frozenset[Member],
        remove: frozenset[Member],
    ) -> None:
        """Adds and removes members, of an open generation too. NotFound for a group that nobody put."""
        if len(add) + len(remove) > PAGE_MAX:
            raise Invalid(f"group {external!r}: {len(add) + len(remove)} changes; at most {PAGE_MAX} at once")
        if add & remove:
            raise Invalid(f"group {external!r}: {len(add & remove)} members stand in add and in remove")

        async def change(connection: AsyncConnection, group: StoredGroup) -> Step:
            sequence = await patch_members(connection, group, add=add, remove=remove)
            if sequence is not None:
                await forget_hash(connection, group)
            return Step(group.id, sequence)

        await self._write(tenant, source, external, None, change)

    async def put_page(
        self, tenant: TenantId, source: SourceId, external: str, members: frozenset[Member], page: GroupPage
    ) -> None:
        """One page of a generation, whose `label` is the source's own number of it.

        A higher label than the open one discards that; an older one is a Conflict. The same page again is harmless.
        """
        if len(members) > PAGE_MAX:
            raise Invalid(f"group {external!r}: a page of {len(members)} members; at most {PAGE_MAX}")

        async def begin(connection: AsyncConnection, group: StoredGroup) -> Step:
            label, newest = page.generation, max(group.label or -1, group.open_label or -1)
            if label < newest:
                raise Conflict(f"group {external!r}: generation {label} is older than generation {newest}")
            if group.label == label:
                await refuse_others(connection, group, members)  # the answer to the last page was lost on its way
                return Step(group.id, None)
            if group.open_label != label:
                group = await open_generation(connection, group, label=label)
            return Step(group.id, None, group.open_generation, whole=not page.last)

        step = await self._write(tenant, source, external, external, begin)
        if step.opened is None:
            return
        ordered = sorted(members, key=lambda member: (type(member).__name__, member.id))
        for some in pages(ordered, SMALL_MAX):
            await self._write(tenant, source, external, external, _page_step(step.opened, some))
        if page.last:
            end = _switch_step(step.opened, name=external, version=page.version, digest="")
            await self._write(tenant, source, external, external, end)

    async def sweep(self, tenant: TenantId, *, batch: int = SMALL_MAX) -> bool:
        """Takes some of what no group holds any more away; True when there may be more."""
        async with self._database.tenant(tenant) as connection:
            return await sweep_leftovers(connection, tenant, batch=batch)

    async def _write(
        self, tenant: TenantId, source: SourceId | None, external: str, name: str | None, act: Act
    ) -> Step:
        async with self._database.tenant(tenant) as connection:
            group = await lock_group(connection, tenant, source, external, name=name)
            step = await act(connection, group)
            if step.whole:
                await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, step.sequence)
        return step


def _page_step(opened: int, members: frozenset[Member]) -> Act:
    async def act(connection: AsyncConnection, group: StoredGroup) -> Step:
        refuse_newer(group, opened)
        return Step(group.id, await add_page(connection, group, members), whole=False)

    return act


def _switch_step(opened: int, *, name: str, version: int | None, digest: str) -> Act:
    async def act(connection: AsyncConnection, group: StoredGroup) -> Step:
        refuse_newer(group, opened)
        check_group_version(group, version, digest)
        sequence = await switch(connection, group)
        await describe(connection, group, name=name, version=version, members_sha256=digest)
        return Step(group.id, sequence)

    return act
