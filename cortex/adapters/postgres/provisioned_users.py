"""People as a provisioning client keeps them (ports/provisioning.py)."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.group_rows import lock_group, patch
from cortex.adapters.postgres.people_rows import lock_people, settle
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.provisioned_pages import Pages
from cortex.adapters.wrap.cached_directory import drop
from cortex.domain.acl import Person
from cortex.domain.errors import Conflict, NotFound
from cortex.domain.identity import GroupId, PersonId, TenantId
from cortex.ports.clock import Clock
from cortex.ports.group_cache import GroupCache
from cortex.ports.provisioning import InGroup, Stale, UserKey, UserRecord, UserState

_COLUMNS = (
    "p.id, coalesce(p.user_name, e.email, p.name) AS user_name, p.user_name IS NOT NULL AS written,"
    " p.name, e.email, p.external_id, p.active, p.attributes,"
    " p.version, p.created_at, p.updated_at FROM persons p"
    " LEFT JOIN LATERAL (SELECT email FROM person_emails WHERE person_id = p.id ORDER BY email LIMIT 1) e ON true"
    " WHERE p.known AND NOT p.service AND p.deleted_at IS NULL"
)
_NARROWED = {
    None: "",
    UserKey.ID: "AND p.id::text = lower(:value)",
    UserKey.USER_NAME: "AND (lower(p.user_name) = lower(:value) OR (p.user_name IS NULL AND e.email = lower(:value)))",
    UserKey.EXTERNAL_ID: "AND p.external_id = :value",
    UserKey.EMAIL: "AND (e.email = lower(:value) OR EXISTS (SELECT FROM jsonb_path_query(p.attributes,"
    " '$.emails[*].value') x WHERE lower(x #>> '{}') = lower(:value)))",
}
_PAGES = Pages(_COLUMNS, _NARROWED, order="p.id")
_ONE = text(f"SELECT {_COLUMNS} AND p.id = :id")
_LOCKED = text("SELECT version FROM persons WHERE id = :id AND known AND NOT service AND deleted_at IS NULL FOR UPDATE")
_COUNT = text("SELECT count(*) FROM persons WHERE known AND NOT service AND deleted_at IS NULL")
_GROUPS = text(
    """
    WITH RECURSIVE inside (person, id, direct) AS (
        SELECT m.member_id, m.group_id, true FROM group_members m
        JOIN groups g ON g.id = m.group_id AND g.generation = m.generation
        WHERE m.member_kind = 'person' AND m.member_id = ANY(:people)
        UNION
        SELECT inside.person, m.group_id, false FROM inside
        JOIN group_members m ON m.member_kind = 'group' AND m.member_id = inside.id
        JOIN groups g ON g.id = m.group_id AND g.generation = m.generation
    )
    SELECT inside.person, inside.id, g.name, bool_or(inside.direct) AS direct
    FROM inside JOIN groups g ON g.id = inside.id AND g.source_id IS NULL
    GROUP BY inside.person, inside.id, g.name ORDER BY inside.person, inside.id
    """
)
_NAME_TAKEN = text(
    "SELECT EXISTS (SELECT FROM persons p LEFT JOIN person_emails e ON e.person_id = p.id WHERE p.id <> :id"
    " AND p.deleted_at IS NULL AND p.known"
    " AND (lower(p.user_name) = lower(:user_name) OR (p.user_name IS NULL AND e.email = lower(:user_name))))"
)
_OWNER = text("SELECT p.id, p.known FROM person_emails e JOIN persons p ON p.id = e.person_id WHERE e.email = :email")
_MAKE = text("INSERT INTO persons (tenant_id, id, name) VALUES (:tenant, :id, :name)")
_WRITE = text(
    "UPDATE persons SET name = :name, user_name = :user_name, external_id = :external_id, active = :active,"
    " attributes = CAST(:attributes AS jsonb), known = true, version = version + 1, updated_at = now() WHERE id = :id"
)
_FORGET_EMAILS = text(
    "DELETE FROM person_emails WHERE email = :email OR (person_id = :id AND email IS DISTINCT FROM :email)"
)
_PUT_EMAIL = text("INSERT INTO person_emails (tenant_id, email, person_id) VALUES (:tenant, :email, :id)")
_REMOVE = text(
    "UPDATE persons SET active = false, known = false, deleted_at = now(), updated_at = now(), attributes = '{}'"
    " WHERE id = :id"
)
_FORGET_IDENTITIES = text("DELETE FROM person_identities WHERE person_id = :id")
_CONTAINING = text(
    "SELECT DISTINCT g.external_id FROM group_members m JOIN groups g ON g.id = m.group_id"
    " WHERE m.member_kind = 'person' AND m.member_id = :id AND g.source_id IS NULL ORDER BY g.external_id"
)


class PostgresProvisionedUsers(LeavesLines):
    """Implements ProvisionedUsers."""

    def __init__(self, database: Database, permissions: PermissionApplier, groups: GroupCache, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._groups = groups
        self._clock = clock

    async def user(self, tenant: TenantId, identifier: PersonId) -> UserRecord:
        async with self._database.tenant(tenant) as connection:
            return await _read(connection, identifier)

    async def users(
        self, tenant: TenantId, *, only: tuple[UserKey, str] | None = None, offset: int = 0, limit: int
    ) -> Sequence[UserRecord]:
        async with self._database.tenant(tenant) as connection:
            rows = await _PAGES.rows(connection, only, offset=offset, limit=limit)
            groups = await _groups(connection, [row.id for row in rows])
        return [_record(row, groups.get(row.id, ())) for row in rows]

    async def count(self, tenant: TenantId) -> int:
        async with self._database.tenant(tenant) as connection:
            return int((await connection.execute(_COUNT)).scalar_one())

    async def make(self, tenant: TenantId, state: UserState) -> UserRecord:
        async with self._database.tenant(tenant) as connection:
            await lock_people(connection, tenant)
            identifier = await _named_already(connection, state)
            if identifier is None:
                identifier = PersonId(uuid.uuid4())
                await connection.execute(_MAKE, {"tenant": tenant, "id": identifier, "name": state.name})
            sequence = await _write(connection, tenant, identifier, state)
            record = await _read(connection, identifier)
            await self._leave_line(connection, tenant, made=identifier)
        await self._settled(tenant, sequence)
        return record

    async def replace(
        self, tenant: TenantId, identifier: PersonId, state: UserState, *, version: int | None
    ) -> UserRecord:
        async with self._database.tenant(tenant) as connection:
            await lock_people(connection, tenant)
            await _check_version(connection, identifier, version)
            sequence = await _write(connection, tenant, identifier, state)
            record = await _read(connection, identifier)
            await self._leave_line(connection, tenant)
        await self._settled(tenant, sequence)
        return record

    async def remove(self, tenant: TenantId, identifier: PersonId, *, version: int | None) -> None:
        sequences: list[int | None] = []
        async with self._database.tenant(tenant) as connection:
            await lock_people(connection, tenant)
            await _check_version(connection, identifier, version)
            await connection.execute(_REMOVE, {"id": identifier})
            await connection.execute(_FORGET_EMAILS, {"id": identifier, "email": None})
            await connection.execute(_FORGET_IDENTITIES, {"id": identifier})
            for external in (await connection.execute(_CONTAINING, {"id": identifier})).scalars().all():
                group = await lock_group(connection, tenant, None, external, name=None)
                gone = frozenset([Person(identifier)])
                sequences.append(await patch(connection, group, add=frozenset(), remove=gone))
            sequences.append(await settle(connection, tenant, identifier))
            await self._leave_line(connection, tenant)
        await self._settled(tenant, max(filter(None, sequences), default=None))

    async def _settled(self, tenant: TenantId, sequence: int | None) -> None:
        """Whoever became inactive is refused by their row from the commit on; this is what others hold of them."""
        await self._permissions.apply_until(tenant, sequence)
        await drop(self._groups, tenant)


async def _named_already(connection: AsyncConnection, state: UserState) -> PersonId | None:
    """Whom an ACL named by this address before anybody knew them: they become this person."""
    owner = None if state.email is None else (await connection.execute(_OWNER, {"email": state.email})).one_or_none()
    return PersonId(owner.id) if owner is not None and not owner.known else None


async def _check_version(connection: AsyncConnection, identifier: PersonId, version: int | None) -> None:
    stored = (await connection.execute(_LOCKED, {"id": identifier})).scalar_one_or_none()
    if stored is None:
        raise NotFound("there is no such person")
    if version is not None and stored != version:
        raise Stale("the person was changed meanwhile; read again")


async def _write(connection: AsyncConnection, tenant: TenantId, identifier: PersonId, state: UserState) -> int | None:
    """Under the lock of people. An address that an ACL named and nobody has becomes this person's from now on."""
    values = {"id": identifier, "user_name": state.user_name}
    if (await connection.execute(_NAME_TAKEN, values)).scalar_one():
        raise Conflict(f"userName {state.user_name!r} is another person's")
    if state.email is not None:
        owner = (await connection.execute(_OWNER, {"email": state.email})).one_or_none()
        if owner is not None and owner.id != identifier and owner.known:
            raise Conflict(f"the address {state.email!r} is another person's")
    await connection.execute(_FORGET_EMAILS, {"id": identifier, "email": state.email})
    if state.email is not None:
        await connection.execute(_PUT_EMAIL, {"tenant": tenant, "email": state.email, "id": identifier})
    await connection.execute(
        _WRITE,
        values
        | {
            "name": state.name,
            "external_id": state.external_id,
            "active": state.active,
            "attributes": as_json(dict(state.attributes or {})),
        },
    )
    return await settle(connection, tenant, identifier)


async def _read(connection: AsyncConnection, identifier: PersonId) -> UserRecord:
    row = (await connection.execute(_ONE, {"id": identifier})).one_or_none()
    if row is None:
        raise NotFound("there is no such person")
    return _record(row, (await _groups(connection, [identifier])).get(identifier, ()))


async def _groups(connection: AsyncConnection, people: Sequence[PersonId]) -> dict[PersonId, tuple[InGroup, ...]]:
    found: dict[PersonId, list[InGroup]] = {}
    for row in await connection.execute(_GROUPS, {"people": list(people)}):
        found.setdefault(PersonId(row.person), []).append(InGroup(GroupId(row.id), row.name, row.direct))
    return {person: tuple(groups) for person, groups in found.items()}


def _record(row: Row[tuple[object, ...]], groups: tuple[InGroup, ...]) -> UserRecord:
    state = UserState(
        user_name=row.user_name,
        name=row.name,
        email=row.email,
        external_id=row.external_id,
        active=row.active,
        attributes=row.attributes if row.written else None,
    )
    return UserRecord(PersonId(row.id), state, row.version, row.created_at, row.updated_at, groups)
