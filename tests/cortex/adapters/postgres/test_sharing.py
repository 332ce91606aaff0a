"""What is shared with everyone, under each policy: the engine and the index filter agree, and names always count."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.repairs import IndexRepairs
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.sharing import PostgresSharing
from cortex.adapters.redis import RedisGroupCache
from cortex.domain.acl import UserRef, parse_acl
from cortex.domain.acl_index import asker_tokens, matches
from cortex.domain.change import ContainerState
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId, container_id, group_id
from cortex.domain.sharing import EVERYONE_PEOPLE_MIN, SharedKind, SharingPolicy
from cortex.ports.permission_engine import Check
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers


@dataclass(frozen=True, slots=True)
class Office:
    store: Store
    sharing: PostgresSharing

    async def put(self, name: str, *, container: str | None = None, **acl: object) -> DocumentId:
        state = page(name, container=container, acl=parse_acl(acl) if acl else None)
        return (await self.store.writer.put_document(self.store.tenant, self.store.source, state)).document_id

    async def space(self, name: str, *, parent: str | None = None, **acl: object) -> None:
        state = ContainerState(name, parent, parse_acl(acl))
        await self.store.writer.put_container(self.store.tenant, self.store.source, state)

    async def finds(self, name: str, document: DocumentId, *, permission: str = "view") -> bool:
        """The engine's answer; the filter of the index must not be tighter."""
        store = self.store
        person = await store.directory.put_person(store.tenant, f"{name}@acme.example", name=name, guest=False)
        async with store.database.tenant(store.tenant) as connection:
            token = (await connection.execute(text("SELECT token FROM permission_marks"))).scalar_one()
        checks = [Check(document, permission)]
        [found] = await store.engine.check(store.tenant, person.id, checks, at_least_as_fresh=token)
        if permission == "view":
            acl = (await PostgresRevisions(store.database).index_state(store.tenant, document)).acl
            passes = matches(acl, asker_tokens(await store.directory.expand(store.tenant, person.id)))
            assert passes or not found
        return found

    async def set_policy(self, policy: SharingPolicy) -> None:
        await self.sharing.set_policy(self.store.tenant, policy)

    async def crew(self, *, people: int) -> None:
        """A group of that many of all the tenant's people, and one of two."""
        emails = [f"person{n}@acme.example" for n in range(EVERYONE_PEOPLE_MIN)]
        for email in emails:
            await self.store.directory.put_person(self.store.tenant, email, name=email, guest=False)
        put = self.store.writer.put_group
        for group, members in (("crew", emails[:people]), ("two", emails[:2])):
            await put(self.store.tenant, self.store.source, group, [UserRef(e) for e in members], version=None)


@pytest.fixture
async def office(store: Store, redis_url: str) -> AsyncIterator[Office]:
    cache = RedisGroupCache(redis_url)
    yield Office(store, PostgresSharing(store.database, store.permissions, cache, SystemClock()))
    await cache.close()


@pytest.mark.parametrize("policy", [SharingPolicy.HIDE, SharingPolicy.ASK])
async def test_what_everyone_may_see_is_found_by_those_it_names_alone(office: Office, policy: SharingPolicy) -> None:
    handbook = await office.put("handbook.md", public="tenant", allow=["user:ann@acme.example"])
    assert await office.finds("ben", handbook)
    await office.set_policy(policy)
    assert not await office.finds("ben", handbook)
    assert await office.finds("ann", handbook)
    await office.set_policy(SharingPolicy.SHOW)
    assert await office.finds("ben", handbook)


async def test_a_link_opens_nothing_while_sharing_is_hidden(office: Office) -> None:
    document = await office.put("plan.md", public="link")
    assert await office.finds("ben", document, permission="openable")
    await office.set_policy(SharingPolicy.HIDE)
    assert not await office.finds("ben", document, permission="openable")
    await office.sharing.approve(office.store.tenant, SharedKind.DOCUMENT, document, approved=True)
    assert await office.finds("ben", document, permission="openable")


async def test_an_approved_container_shows_what_lies_in_it(office: Office) -> None:
    await office.space("open", public="tenant")
    document = await office.put("a.md", container="open")
    await office.set_policy(SharingPolicy.ASK)
    assert not await office.finds("ben", document)
    space = container_id(office.store.tenant, office.store.source, "open")
    waiting = await office.sharing.things(office.store.tenant, approved=False, after=None, limit=10)
    assert [(thing.kind, thing.id, thing.public) for thing in waiting] == [(SharedKind.CONTAINER, space, "tenant")]
    await office.sharing.approve(office.store.tenant, SharedKind.CONTAINER, space, approved=True)
    assert await office.finds("ben", document)
    repairs = IndexRepairs(office.store.database, SystemClock())
    while await repairs.repair_batch(office.store.tenant):
        pass
    assert await office.finds("ben", document)
    await office.sharing.approve(office.store.tenant, SharedKind.CONTAINER, space, approved=False)
    assert not await office.finds("ben", document)


async def test_an_approval_survives_other_changes_and_lapses_with_its_kind_of_sharing(office: Office) -> None:
    document = await office.put("a.md", public="tenant")
    await office.set_policy(SharingPolicy.ASK)
    await office.sharing.approve(office.store.tenant, SharedKind.DOCUMENT, document, approved=True)
    await office.put("a.md", public="tenant", allow=["user:ann@acme.example"])
    assert await office.finds("ben", document)
    await office.put("a.md", public="none", allow=["user:ann@acme.example"])
    await office.put("a.md", public="tenant")
    assert not await office.finds("ben", document)


async def test_what_only_narrows_a_named_container_is_not_shared_with_everyone(office: Office) -> None:
    await office.space("board", allow=["user:ann@acme.example"])
    document = await office.put("a.md", container="board", public="tenant", inherit="restrict")
    await office.set_policy(SharingPolicy.HIDE)
    assert await office.finds("ann", document)
    assert not await office.finds("ben", document)
    assert await office.sharing.things(office.store.tenant, approved=False, after=None, limit=10) == []


async def test_a_group_of_nearly_everybody_counts_as_everyone(office: Office) -> None:
    await office.crew(people=EVERYONE_PEOPLE_MIN)
    by_crew = await office.put("crew.md", allow=["group:wiki/crew"])
    by_two = await office.put("two.md", allow=["group:wiki/two"])
    both = await office.put("both.md", allow=["group:wiki/two", "group:wiki/crew"])
    gated = await office.put("gated.md", allow=["group:wiki/two"], all_of=[["group:wiki/crew"]])
    await office.set_policy(SharingPolicy.HIDE)
    assert not await office.finds("person0", by_crew)
    assert await office.finds("person0", by_two)
    assert await office.finds("person0", both)
    assert await office.finds("person0", gated)
    await office.sharing.approve(office.store.tenant, SharedKind.DOCUMENT, by_crew, approved=True)
    assert await office.finds("person0", by_crew)


async def test_a_group_that_shrinks_grants_again(office: Office) -> None:
    await office.crew(people=EVERYONE_PEOPLE_MIN)
    document = await office.put("crew.md", allow=["group:wiki/crew"])
    await office.set_policy(SharingPolicy.HIDE)
    assert not await office.finds("person0", document)
    await office.crew(people=3)
    assert await office.sharing.flag_groups(office.store.tenant) == 1
    assert await office.finds("person0", document)
    crew = group_id(office.store.tenant, office.store.source, "crew")
    person = await office.store.directory.person(office.store.tenant, "person0@acme.example")
    asker = await office.store.directory.expand(office.store.tenant, person.id)
    assert crew in asker.groups
    assert not asker.muted


async def test_it_is_counted_by_source(office: Office) -> None:
    await office.space("open", public="tenant")
    await office.space("open/board", parent="open", allow=["user:ann@acme.example"])
    await office.put("a.md", container="open")
    await office.put("b.md", container="open/board")
    await office.put("c.md", container="open", allow=["user:ann@acme.example"], inherit="extend")
    await office.put("d.md", public="link")
    [counts] = await office.sharing.counts(office.store.tenant)
    assert (counts.source, counts.documents_everyone, counts.documents_link) == ("wiki", 2, 1)
    assert (counts.waiting, counts.approved, counts.groups_everyone) == (2, 0, 0)


async def test_an_approval_of_nothing_is_not_found(office: Office) -> None:
    with pytest.raises(NotFound):
        await office.sharing.approve(office.store.tenant, SharedKind.DOCUMENT, office.store.tenant, approved=True)
