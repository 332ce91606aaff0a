"""A cached directory: fewer expansions, never an older answer than the last write, and no need of its cache."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.domain.acl import Asker, Group, Person
from cortex.domain.errors import NotFound, Transient
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId
from cortex.ports.directory import PersonRecord
from cortex.testing.group_cache import new_tenant
from tests.unlined import Unlined

ANN = PersonId(uuid.uuid4())


@dataclass
class People(Unlined):
    """Implements Directory for one person, and counts expansions. `race` empties the group during the next."""

    groups: frozenset[GroupId] = frozenset()
    expansions: int = 0
    race: "CachedDirectory | None" = None

    async def person(self, tenant: TenantId, email: str) -> PersonRecord:
        return PersonRecord(ANN, email, "Ann", guest=False, active=True)

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> PersonRecord:
        return await self.person(tenant, email)

    async def put_group(
        self, tenant: TenantId, source: SourceId | None, external: str, members: Sequence[Person | Group], *, name: str
    ) -> GroupId:
        group = GroupId(uuid.uuid4())
        self.groups = self.groups | {group} if members else frozenset()
        return group

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        self.expansions += 1
        expanded = Asker(person, self.groups)
        if self.race is not None:
            race, self.race = self.race, None
            await race.put_group(tenant, None, "staff", [], name="Staff")
        return expanded


@dataclass
class Cache:
    """Implements GroupCache in memory; `away` makes every call fail."""

    away: bool = False
    generations: dict[TenantId, int] = field(default_factory=dict)
    askers: dict[tuple[TenantId, int, PersonId], Asker] = field(default_factory=dict)

    async def generation(self, tenant: TenantId) -> int:
        if self.away:
            raise Transient("away")
        return self.generations.get(tenant, 0)

    async def get(self, tenant: TenantId, person: PersonId) -> Asker | None:
        return self.askers.get((tenant, await self.generation(tenant), person))

    async def put(self, tenant: TenantId, asker: Asker, *, generation: int) -> None:
        await self.generation(tenant)
        self.askers[tenant, generation, asker.person] = asker

    async def drop(self, tenant: TenantId) -> None:
        self.generations[tenant] = await self.generation(tenant) + 1


async def test_a_person_is_expanded_once() -> None:
    people, tenant = People(groups=frozenset([GroupId(uuid.uuid4())])), new_tenant()
    directory = CachedDirectory(people, Cache())
    first = await directory.expand(tenant, ANN)
    assert await directory.expand(tenant, ANN) == first == Asker(ANN, people.groups)
    assert people.expansions == 1


async def test_a_write_of_a_membership_is_seen_at_once() -> None:
    tenant, directory = new_tenant(), CachedDirectory(People(), Cache())
    assert (await directory.expand(tenant, ANN)).groups == frozenset()
    group = await directory.put_group(tenant, None, "staff", [Person(ANN)], name="Staff")
    assert (await directory.expand(tenant, ANN)).groups == {group}
    await directory.put_group(tenant, None, "staff", [], name="Staff")
    assert (await directory.expand(tenant, ANN)).groups == frozenset()


async def test_a_write_of_a_person_drops_their_tenant() -> None:
    people, tenant = People(), new_tenant()
    directory = CachedDirectory(people, Cache())
    await directory.expand(tenant, ANN)
    await directory.put_person(tenant, "ann@acme.example", name="Ann", guest=True)
    await directory.expand(tenant, ANN)
    assert people.expansions == 2


async def test_an_expansion_that_a_write_overtakes_is_not_kept() -> None:
    people, tenant = People(groups=frozenset([GroupId(uuid.uuid4())])), new_tenant()
    directory = CachedDirectory(people, Cache())
    people.race = directory
    await directory.expand(tenant, ANN)
    assert (await directory.expand(tenant, ANN)).groups == frozenset()


async def test_without_its_cache_it_answers_and_writes_all_the_same() -> None:
    people, tenant, cache = People(), new_tenant(), Cache(away=True)
    directory = CachedDirectory(people, cache)
    group = await directory.put_group(tenant, None, "staff", [Person(ANN)], name="Staff")
    for _ in range(2):
        assert (await directory.expand(tenant, ANN)).groups == {group}
    assert people.expansions == 2
    assert (await directory.person(tenant, "ann@acme.example")).id == ANN


@dataclass
class Slow(People):
    """Expands when told to."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    entered: asyncio.Event = field(default_factory=asyncio.Event)

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        self.entered.set()
        await self.gate.wait()
        return await super().expand(tenant, person)


@pytest.mark.parametrize("away", [False, True])
async def test_requests_of_one_person_at_once_cost_one_expansion(away: bool) -> None:
    people, tenant = Slow(groups=frozenset([GroupId(uuid.uuid4())])), new_tenant()
    directory = CachedDirectory(people, Cache(away=away))
    async with asyncio.TaskGroup() as tasks:
        asking = [tasks.create_task(directory.expand(tenant, ANN)) for _ in range(50)]
        await people.entered.wait()
        people.gate.set()
    assert {asked.result() for asked in asking} == {Asker(ANN, people.groups)}
    assert people.expansions == 1


async def test_whoever_waits_goes_on_when_the_first_gives_up() -> None:
    people, tenant = Slow(), new_tenant()
    directory = CachedDirectory(people, Cache())
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(directory.expand(tenant, ANN))
        await people.entered.wait()
        second = tasks.create_task(directory.expand(tenant, ANN))
        await asyncio.sleep(0)
        people.gate.set()
        first.cancel()
    assert second.result() == Asker(ANN)


async def test_what_begins_after_a_write_waits_for_nothing_that_began_before() -> None:
    people, tenant = Slow(groups=frozenset([GroupId(uuid.uuid4())])), new_tenant()
    directory = CachedDirectory(people, Cache())
    async with asyncio.TaskGroup() as tasks:
        before = tasks.create_task(directory.expand(tenant, ANN))
        await people.entered.wait()
        await directory.put_group(tenant, None, "staff", [], name="Staff")
        after = tasks.create_task(directory.expand(tenant, ANN))
        await asyncio.sleep(0)
        people.gate.set()
    assert after.result().groups == frozenset()
    assert before.done()
    assert people.expansions == 2


async def test_an_error_reaches_everyone_who_waits() -> None:
    @dataclass
    class Gone(Slow):
        async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
            await super().expand(tenant, person)
            raise NotFound("gone")

    people, tenant = Gone(), new_tenant()
    directory = CachedDirectory(people, Cache())
    people.gate.set()
    answers = await asyncio.gather(*(directory.expand(tenant, ANN) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(answer, NotFound) for answer in answers)


async def test_after_a_change_those_who_asked_lately_are_expanded_before_they_ask_again() -> None:
    people, tenant = People(), new_tenant()
    directory = CachedDirectory(people, Cache())
    await directory.expand(tenant, ANN)
    assert await directory.warm() == 0
    group = await directory.put_group(tenant, None, "staff", [Person(ANN)], name="Staff")
    assert await directory.warm() == 1
    assert await directory.warm() == 0
    assert (await directory.expand(tenant, ANN)).groups == {group}
    assert people.expansions == 2
