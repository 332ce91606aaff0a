"""People and groups for administration (ports/people.py)."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Row, text

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.people_rows import settle
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.wrap.cached_directory import drop
from cortex.domain.credential import Role
from cortex.domain.errors import NotFound
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId, normalise_email
from cortex.ports.clock import Clock
from cortex.ports.group_cache import GroupCache
from cortex.ports.people import GroupDetail, PersonDetail

_PERSON = (
    "SELECT p.id, e.email, p.name, p.role, p.guest, p.active, p.service,"
    " (SELECT count(*) FROM person_identities i WHERE i.person_id = p.id) AS sign_ins FROM persons p"
    " LEFT JOIN LATERAL (SELECT email FROM person_emails WHERE person_id = p.id ORDER BY email LIMIT 1) e ON true"
    " WHERE p.known AND p.deleted_at IS NULL"
)
# Without `OR`: a page begins at its place in the index, whatever plan is kept for it.
_AFTER = f"CAST(coalesce(nullif(:after, ''), '{UUID(int=0)}') AS uuid)"
PEOPLE = text(f"{_PERSON} AND p.id > {_AFTER} ORDER BY p.id LIMIT :limit")
OF_ROLE = text(f"{_PERSON} AND p.role = :role AND p.id > {_AFTER} ORDER BY p.id LIMIT :limit")
_BY_EMAIL = text(f"{_PERSON} AND p.id IN (SELECT person_id FROM person_emails WHERE email = :email)")
_GROUPS = text(
    "SELECT g.id, g.external_id, g.name, g.source_id, g.members"
    f" FROM groups g WHERE g.id > {_AFTER} ORDER BY g.id LIMIT :limit"
)
_SET_ROLE = text("UPDATE persons SET role = :role, updated_at = now() WHERE id = :id")
# A provisioning client, where there is one, reads it among the attributes.
_SET_ACTIVE = text(
    "UPDATE persons SET active = :active, version = version + 1, updated_at = now(), attributes = CASE"
    " WHEN user_name IS NULL THEN attributes ELSE attributes || jsonb_build_object('active', CAST(:active AS boolean))"
    " END WHERE id = :id"
)


class PostgresPeople(LeavesLines):
    """Implements People."""

    def __init__(self, database: Database, permissions: PermissionApplier, groups: GroupCache, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._groups = groups
        self._clock = clock

    async def people(
        self, tenant: TenantId, *, after: str, limit: int, role: Role | None = None
    ) -> Sequence[PersonDetail]:
        values = {"after": after, "limit": limit} | ({} if role is None else {"role": role.value})
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(PEOPLE if role is None else OF_ROLE, values)
            return [_detail(row) for row in rows]

    async def person(self, tenant: TenantId, email: str) -> PersonDetail:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_BY_EMAIL, {"email": normalise_email(email)})).one_or_none()
        if row is None:
            raise NotFound("there is no such person")
        return _detail(row)

    async def groups(self, tenant: TenantId, *, after: str, limit: int) -> Sequence[GroupDetail]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_GROUPS, {"after": after, "limit": limit})
            return [
                GroupDetail(
                    id=GroupId(row.id),
                    external_id=row.external_id,
                    name=row.name,
                    source=None if row.source_id is None else SourceId(row.source_id),
                    members=row.members,
                )
                for row in rows
            ]

    async def set_role(self, tenant: TenantId, person: PersonId, role: Role) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET_ROLE, {"id": person, "role": role.value})
            await self._leave_line(connection, tenant)

    async def set_active(self, tenant: TenantId, person: PersonId, *, active: bool) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET_ACTIVE, {"id": person, "active": active})
            sequence = await settle(connection, tenant, person)
            await self._leave_line(connection, tenant)
        await self._permissions.apply_until(tenant, sequence)
        await drop(self._groups, tenant)


def _detail(row: Row[tuple[object, ...]]) -> PersonDetail:
    return PersonDetail(
        id=PersonId(row.id),
        email=row.email,
        name=row.name,
        role=Role(row.role),
        guest=row.guest,
        active=row.active,
        service=row.service,
        sign_ins=row.sign_ins,
    )
