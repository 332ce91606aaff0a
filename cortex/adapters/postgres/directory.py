"""People and groups (ports/directory.py)."""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.acl_rows import person_ids, write_relations
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.expansion import expand
from cortex.adapters.postgres.groups import PostgresGroups
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.domain.acl import Asker, Group, Person
from cortex.domain.errors import NotFound
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId, normalise_email
from cortex.domain.relation import membership_relation
from cortex.ports.clock import Clock
from cortex.ports.directory import PersonRecord

_PERSON = text(
    "SELECT p.id, e.email, p.name, p.guest, p.active FROM persons p JOIN person_emails e ON e.person_id = p.id"
    " WHERE e.email = :email AND p.known"
)
_PUT_PERSON = text("UPDATE persons SET name = :name, guest = :guest, known = true, active = true WHERE id = :id")


class PostgresDirectory(LeavesLines):
    """Implements Directory."""

    def __init__(self, database: Database, permissions: PermissionApplier, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._clock = clock
        self._groups = PostgresGroups(database, permissions, clock)

    async def person(self, tenant: TenantId, email: str) -> PersonRecord:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_PERSON, {"email": normalise_email(email)})).one_or_none()
        if row is None:
            raise NotFound(f"person {email!r} is not known")
        return PersonRecord(row.id, row.email, row.name, row.guest, row.active)

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> PersonRecord:
        email = normalise_email(email)
        async with self._database.tenant(tenant) as connection:
            identifier = (await person_ids(connection, tenant, [email]))[email]
            await connection.execute(_PUT_PERSON, {"id": identifier, "name": name, "guest": guest})
            membership = frozenset() if guest else frozenset([membership_relation(tenant, identifier)])
            sequence = await write_relations(connection, tenant, identifier, membership)
            await self._leave_line(connection, tenant, made=identifier)
        await self._permissions.apply_until(tenant, sequence)
        return PersonRecord(identifier, email, name, guest, active=True)

    async def put_group(
        self, tenant: TenantId, source: SourceId | None, external: str, members: Sequence[Person | Group], *, name: str
    ) -> GroupId:
        groups = self._groups if self._line is None else self._groups.audited(self._line)
        return await groups.put(tenant, source, external, frozenset(members), name=name)

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        async with self._database.tenant(tenant) as connection:
            return await expand(connection, person)
