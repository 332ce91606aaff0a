"""Who somebody is to permissions: their groups, nested ones included, and what the tenant's policy lets them find."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.domain.acl import Asker
from cortex.domain.errors import NotFound
from cortex.domain.identity import PersonId

# Upwards along the index by member; only a group's own generation counts, never an open or an old one. `OFFSET 0` keeps
# the planner from reading every nesting of the tenant instead, which it does where it knows too little of the table.
EXPAND = text(
    """
    WITH RECURSIVE inside (id) AS (
        SELECT m.group_id FROM group_members m JOIN groups g ON g.id = m.group_id AND g.generation = m.generation
        WHERE m.member_kind = 'person' AND m.member_id = :person
        UNION
        SELECT above.group_id FROM inside CROSS JOIN LATERAL (
            SELECT m.group_id FROM group_members m JOIN groups g ON g.id = m.group_id AND g.generation = m.generation
            WHERE m.member_kind = 'group' AND m.member_id = inside.id OFFSET 0
        ) AS above
    )
    SELECT p.guest, shown.yes AS shared, (SELECT coalesce(array_agg(id), '{}') FROM inside) AS groups,
        (SELECT coalesce(array_agg(g.id), '{}') FROM groups g JOIN inside USING (id)
         WHERE g.everyone AND NOT shown.yes) AS muted
    FROM persons p
    CROSS JOIN (SELECT coalesce((SELECT s.sharing = 'show' FROM tenant_settings s), true) AS yes) AS shown
    WHERE p.id = :person AND p.active
    """
)


async def expand(connection: AsyncConnection, person: PersonId) -> Asker:
    """NotFound for a person who is not known or no longer active."""
    row = (await connection.execute(EXPAND, {"person": person})).one_or_none()
    if row is None:
        raise NotFound("the person is not known or no longer active")
    return Asker(person, frozenset(row.groups), guest=row.guest, shared=row.shared, muted=frozenset(row.muted))
