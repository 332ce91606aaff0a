"""Who an asker is (ports/profiles.py)."""

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.profiles import Profile

_PROFILE = text(
    "SELECT p.name, e.email, p.guest, t.name AS tenant_name, t.title AS tenant_title"
    " FROM persons p JOIN tenants t ON t.id = p.tenant_id"
    " LEFT JOIN LATERAL (SELECT email FROM person_emails WHERE person_id = p.id ORDER BY email LIMIT 1) e ON true"
    " WHERE p.id = :person"
)


class PostgresProfiles:
    """Implements Profiles."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def profile(self, tenant: TenantId, person: PersonId) -> Profile:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_PROFILE, {"person": person})).one_or_none()
        if row is None:
            raise NotFound("the person is not known")
        return Profile(**row._mapping)
