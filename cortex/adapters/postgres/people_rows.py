"""What every change of a person has in common, in the caller's transaction."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import write_relations
from cortex.domain.identity import PersonId, TenantId
from cortex.domain.relation import membership_relation

# The lock of `acl_rows.person_ids`: whoever gives addresses to people waits for each other.
_PEOPLE_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('people:' || :tenant, 0))")
_STANDING = text("SELECT guest, active FROM persons WHERE id = :id FOR UPDATE")
_END_SESSIONS = text("DELETE FROM sessions WHERE person_id = :id")
_REVOKE_KEYS = text("UPDATE api_keys SET revoked_at = now() WHERE person_id = :id AND revoked_at IS NULL")


async def lock_people(connection: AsyncConnection, tenant: TenantId) -> None:
    await connection.execute(_PEOPLE_LOCK, {"tenant": str(tenant)})


async def settle(connection: AsyncConnection, tenant: TenantId, person: PersonId) -> int | None:
    """Makes what follows from the row so: the tenant's membership, and for the inactive no session and no key.

    Returns the permission write to wait for.
    """
    row = (await connection.execute(_STANDING, {"id": person})).one()
    if not row.active:
        await connection.execute(_END_SESSIONS, {"id": person})
        await connection.execute(_REVOKE_KEYS, {"id": person})
    inside = row.active and not row.guest
    relations = frozenset([membership_relation(tenant, person)]) if inside else frozenset()
    return await write_relations(connection, tenant, person, relations)
