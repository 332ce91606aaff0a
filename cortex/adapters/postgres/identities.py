"""People by what an identity provider calls them (ports/identities.py)."""

import uuid

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.audit import LeavesLines, append_entries
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.people_rows import lock_people, settle
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.domain.credential import Role
from cortex.domain.errors import Denied
from cortex.domain.identity import PersonId, TenantId
from cortex.domain.sign_in import Subject, display_name
from cortex.ports.audit_log import AuditEntry
from cortex.ports.clock import Clock
from cortex.ports.identities import Signed

_PERSON = (
    "SELECT p.id, p.role, p.active, p.known, p.service, coalesce(e.email, p.user_name, p.name) AS email FROM persons p"
    " LEFT JOIN LATERAL (SELECT email FROM person_emails WHERE person_id = p.id ORDER BY email LIMIT 1) e ON true"
)
_BY_IDENTITY = text(
    f"{_PERSON} JOIN person_identities i ON i.person_id = p.id WHERE i.issuer = :issuer AND i.subject = :subject"
)
_BY_ID = text(f"{_PERSON} WHERE p.id = :id")
_OWNER = text(
    "SELECT p.id, p.active, p.known, p.service, EXISTS (SELECT FROM person_identities i WHERE i.person_id = p.id"
    " AND i.issuer = :issuer) AS taken FROM person_emails e JOIN persons p ON p.id = e.person_id WHERE e.email = :email"
)
_FORGET_EMAIL = text("DELETE FROM person_emails WHERE email = :email")
_MAKE = text("INSERT INTO persons (tenant_id, id, name, known) VALUES (:tenant, :id, :name, true)")
_MAKE_EMAIL = text("INSERT INTO person_emails (tenant_id, email, person_id) VALUES (:tenant, :email, :id)")
_KNOW = text("UPDATE persons SET known = true, name = :name, updated_at = now() WHERE id = :id")
_LINK = text(
    "INSERT INTO person_identities (tenant_id, issuer, subject, person_id) VALUES (:tenant, :issuer, :subject, :id)"
)
_UNLINK = text("DELETE FROM person_identities WHERE person_id = :id")
_END_SESSIONS = text("DELETE FROM sessions WHERE person_id = :id")
_SET_ROLE = text("UPDATE persons SET role = :role, updated_at = now() WHERE id = :id")


class PostgresIdentities(LeavesLines):
    """Implements Identities."""

    def __init__(self, database: Database, permissions: PermissionApplier, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._clock = clock

    async def sign_in(
        self, tenant: TenantId, subject: Subject, *, email: str | None, role: Role | None, make: bool
    ) -> Signed:
        key = {"issuer": subject.issuer, "subject": subject.subject}
        new, sequence = False, None
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_BY_IDENTITY, key)).one_or_none()
            if row is None:
                await lock_people(connection, tenant)
                row = (await connection.execute(_BY_IDENTITY, key)).one_or_none()
            if row is None:
                person = await _person(connection, tenant, subject, email=email, make=make)
                await connection.execute(_LINK, key | {"tenant": tenant, "id": person})
                sequence = await settle(connection, tenant, person)
                row, new = (await connection.execute(_BY_ID, {"id": person})).one(), True
            _refuse_inactive(row)
            lines = [AuditEntry(row.email, "identity.link", str(row.id))] if new else []
            if role is not None and role != row.role:
                await connection.execute(_SET_ROLE, {"id": row.id, "role": role.value})
                lines.append(AuditEntry(subject.issuer, "role.set", str(row.id), {"role": role.value}))
            if lines:
                await append_entries(connection, tenant, lines, self._clock)
        await self._permissions.apply_until(tenant, sequence)
        return Signed(row.id, row.email, role or Role(row.role), new)

    async def unlink(self, tenant: TenantId, person: PersonId) -> int:
        async with self._database.tenant(tenant) as connection:
            unlinked = (await connection.execute(_UNLINK, {"id": person})).rowcount
            await connection.execute(_END_SESSIONS, {"id": person})
            await self._leave_line(connection, tenant)
            return unlinked


async def _person(
    connection: AsyncConnection, tenant: TenantId, subject: Subject, *, email: str | None, make: bool
) -> PersonId:
    """Whom to link: the address's owner, who becomes known thereby, or somebody new."""
    if email is None:
        raise Denied("the identity provider does not vouch for an address, and nobody is known by this sign-in yet")
    owner = (await connection.execute(_OWNER, {"email": email, "issuer": subject.issuer})).one_or_none()
    reassigned = owner is not None and owner.taken
    if not make and (owner is None or reassigned or not owner.known):
        raise Denied("this account was not provisioned here; ask an administrator")
    if owner is not None and not reassigned:
        _refuse_inactive(owner)
        if not owner.known:
            await connection.execute(_KNOW, {"id": owner.id, "name": display_name(subject)})
        return PersonId(owner.id)
    await connection.execute(_FORGET_EMAIL, {"email": email})
    identifier = PersonId(uuid.uuid4())
    values = {"tenant": tenant, "id": identifier, "name": display_name(subject), "email": email}
    await connection.execute(_MAKE, values)
    await connection.execute(_MAKE_EMAIL, values)
    return identifier


def _refuse_inactive(row: Row[tuple[object, ...]]) -> None:
    if not row.active or row.service:
        raise Denied("this account is not active here; ask an administrator")
