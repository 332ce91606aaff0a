"""A directory of 10,000 people in 2,000 groups nested five deep: what it costs when many ask at once."""

import asyncio
import random
import uuid
from collections import Counter
from collections.abc import Sequence

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.expansion import EXPAND
from cortex.adapters.redis import RedisGroupCache
from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.domain.acl import Asker, Group, Person
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId
from cortex.ports.directory import Directory, PersonRecord
from tests.cortex.adapters.postgres.conftest import Store
from tests.unlined import Unlined

pytestmark = pytest.mark.servers

PEOPLE, GROUPS, DEEP = 10_000, 2_000, 5
GROUPS_OF_A_PERSON = 4
ASKERS, REQUESTS_EACH = 500, 2

_PEOPLE = text(
    "INSERT INTO persons (tenant_id, id, name, known) SELECT :tenant, id, 'x', true"
    " FROM unnest(CAST(:people AS uuid[])) AS u (id)"
)
_GROUPS = text(
    "INSERT INTO groups (tenant_id, id, external_id, name, generation) SELECT :tenant, id, id::text, 'x', 1"
    " FROM unnest(CAST(:groups AS uuid[])) AS u (id)"
)
_MEMBERS = text(
    "INSERT INTO group_members (tenant_id, group_id, generation, member_kind, member_id)"
    " SELECT :tenant, u.above, 1, :kind, u.below"
    " FROM unnest(CAST(:above AS uuid[]), CAST(:below AS uuid[])) AS u (above, below) ON CONFLICT DO NOTHING"
)


class Counting(Unlined):
    """A directory that counts expansions of each person."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self.expansions: Counter[PersonId] = Counter()

    async def person(self, tenant: TenantId, email: str) -> PersonRecord:
        return await self._directory.person(tenant, email)

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> PersonRecord:
        return await self._directory.put_person(tenant, email, name=name, guest=guest)

    async def put_group(
        self, tenant: TenantId, source: SourceId | None, external: str, members: Sequence[Person | Group], *, name: str
    ) -> GroupId:
        return await self._directory.put_group(tenant, source, external, members, name=name)

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        self.expansions[person] += 1
        return await self._directory.expand(tenant, person)


class Company:
    """Groups in levels: each but the topmost lies in two of the level above, so that a person is in many by few."""

    def __init__(self, source: random.Random) -> None:
        self.people = [PersonId(uuid.UUID(int=source.getrandbits(128))) for _ in range(PEOPLE)]
        groups = [GroupId(uuid.UUID(int=source.getrandbits(128))) for _ in range(GROUPS)]
        self.levels = [groups[level::DEEP] for level in range(DEEP)]
        self.nested = {
            group: source.sample(above, 2)
            for level, above in zip(self.levels, self.levels[1:], strict=False)
            for group in level
        }
        self.direct = {person: source.sample(groups, GROUPS_OF_A_PERSON) for person in self.people}

    def groups_of(self, person: PersonId) -> frozenset[GroupId]:
        found: set[GroupId] = set()
        ahead = list(self.direct[person])
        while ahead:
            group = ahead.pop()
            if group not in found:
                found.add(group)
                ahead += self.nested.get(group, [])
        return frozenset(found)

    async def store(self, database: Database, tenant: TenantId) -> None:
        groups = [group for level in self.levels for group in level]
        inside = [(above, group) for group, others in self.nested.items() for above in others]
        members = [(group, person) for person, others in self.direct.items() for group in others]
        async with database.tenant(tenant) as connection:
            await connection.execute(_PEOPLE, {"tenant": tenant, "people": self.people})
            await connection.execute(_GROUPS, {"tenant": tenant, "groups": groups})
            for kind, pairs in (("group", inside), ("person", members)):
                above, below = (list(side) for side in zip(*pairs, strict=True))
                values = {"tenant": tenant, "kind": kind, "above": above, "below": below}
                await connection.execute(_MEMBERS, values)


async def test_five_hundred_cold_askers_at_once_cost_one_expansion_each(store: Store, redis_url: str) -> None:
    source = random.Random(20260101)
    company = Company(source)
    await company.store(store.database, store.tenant)
    counting = Counting(store.directory)
    cache = RedisGroupCache(redis_url, timeout_s=10)
    directory = CachedDirectory(counting, cache)
    askers = source.sample(company.people, ASKERS)
    asked = [person for _ in range(REQUESTS_EACH) for person in askers]
    expanded = await asyncio.gather(*(directory.expand(store.tenant, person) for person in asked))
    assert [asker.groups for asker in expanded] == [company.groups_of(person) for person in asked]
    assert counting.expansions == Counter(askers)
    await asyncio.gather(*(directory.expand(store.tenant, person) for person in asked))
    assert counting.expansions == Counter(askers)
    await cache.close()


async def test_the_expansion_walks_an_index(store: Store) -> None:
    """By member upwards; a scan of all memberships would cost each asker what the whole company costs."""
    company = Company(random.Random(1))
    await company.store(store.database, store.tenant)
    async with store.database.tenant(store.tenant) as connection:
        plan = await connection.execute(text(f"EXPLAIN {EXPAND.text}"), {"person": company.people[0]})
        lines = "\n".join(plan.scalars())
    assert lines.count("group_members_by_member") == 2
    assert "member_id = inside.id" in lines
    assert "Seq Scan on group_members" not in lines
