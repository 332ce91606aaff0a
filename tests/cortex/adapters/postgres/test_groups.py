"""Groups by generations: readers see all of one or all of what was before, never a part."""

import itertools
import uuid

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres import group_rows
from cortex.adapters.postgres.groups import PostgresGroups
from cortex.domain.acl import Person, PrincipalRef, UserRef, parse_acl
from cortex.domain.errors import Conflict, Invalid, NotFound
from cortex.domain.identity import DocumentId, PersonId, group_id
from cortex.ports.permission_engine import Check
from cortex.ports.source_writer import GroupPage
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page as document

pytestmark = pytest.mark.servers

ANN, BEN, CEM = (UserRef(f"{name}@acme.example") for name in ("ann", "ben", "cem"))


def crowd(count: int) -> list[UserRef]:
    return [UserRef(f"person{n}@acme.example") for n in range(count)]


async def put(store: Store, *members: PrincipalRef, version: int | None = None) -> None:
    await store.writer.put_group(store.tenant, store.source, "crew", members, version=version)


async def put_page(store: Store, generation: int, *members: PrincipalRef, last: bool = False) -> None:
    await store.writer.put_group_page(store.tenant, store.source, "crew", members, GroupPage(generation, last))


async def patch(store: Store, *, add: tuple[PrincipalRef, ...] = (), remove: tuple[PrincipalRef, ...] = ()) -> None:
    await store.writer.patch_group(store.tenant, store.source, "crew", add=add, remove=remove)


async def shared_document(store: Store) -> DocumentId:
    acl = parse_acl({"allow": ["group:wiki/crew"]})
    return (await store.writer.put_document(store.tenant, store.source, document(acl=acl))).document_id


async def who(store: Store, *people: UserRef) -> set[UserRef]:
    """Which of them see the document, and are in the group as the index filter has it. The two must agree."""
    found, identifier = await shared_document(store), group_id(store.tenant, store.source, "crew")
    seeing = set()
    for reference in people:
        person = await store.directory.put_person(store.tenant, reference.email, name="x", guest=False)
        async with store.database.tenant(store.tenant) as connection:
            token = (await connection.execute(text("SELECT token FROM permission_marks"))).scalar_one()
        [sees] = await store.engine.check(store.tenant, person.id, [Check(found)], at_least_as_fresh=token)
        assert sees == (identifier in (await store.directory.expand(store.tenant, person.id)).groups)
        if sees:
            seeing.add(reference)
    return seeing


async def leftovers(store: Store) -> tuple[int, int]:
    """Members and tuples of generations that are nobody's, after sweeping."""
    groups = PostgresGroups(store.database, store.permissions, SystemClock())
    while await groups.sweep(store.tenant, batch=700):
        pass
    await store.permissions.apply_all(store.tenant)
    statement = text(
        "SELECT (SELECT count(*) FROM group_members m JOIN groups g ON g.id = m.group_id"
        " WHERE m.generation NOT IN (g.generation, coalesce(g.open_generation, g.generation))),"
        " (SELECT count(*) FROM relation_tuples t WHERE t.resource_type = 'generation') - (SELECT count(*)"
        " FROM group_members)"
    )
    async with store.database.tenant(store.tenant) as connection:
        members, tuples = (await connection.execute(statement)).one()
    return members, tuples


async def test_a_put_replaces_the_members(store: Store) -> None:
    await put(store, ANN, BEN)
    assert await who(store, ANN, BEN, CEM) == {ANN, BEN}
    await put(store, BEN, CEM)
    assert await who(store, ANN, BEN, CEM) == {BEN, CEM}


async def counted(store: Store) -> tuple[int, int]:
    """As the group's row has it, for its own generation and an open one; the rows of members must agree."""
    statement = text(
        "SELECT g.members, g.open_members,"
        " count(*) FILTER (WHERE m.generation = g.generation) AS own,"
        " count(*) FILTER (WHERE m.generation = g.open_generation) AS open"
        " FROM groups g LEFT JOIN group_members m ON m.group_id = g.id"
        " WHERE g.external_id = 'crew' GROUP BY g.members, g.open_members"
    )
    async with store.database.tenant(store.tenant) as connection:
        row = (await connection.execute(statement)).one()
    assert (row.members, row.open_members) == (row.own, row.open)
    return row.own, row.open


async def test_members_are_counted_by_whatever_changes_them(store: Store) -> None:
    await put(store, ANN, BEN)
    assert await counted(store) == (2, 0)
    await put_page(store, 1, CEM, ANN, BEN)
    await put_page(store, 1, CEM)
    await patch(store, add=(CEM,), remove=(ANN, ANN))
    assert await counted(store) == (2, 2)
    await put_page(store, 1, ANN, last=True)
    assert await counted(store) == (3, 0)
    await put_page(store, 2, ANN)
    await put(store, BEN)
    assert await leftovers(store) == (0, 0)
    assert await counted(store) == (1, 0)


async def test_an_empty_put_revokes(store: Store) -> None:
    await put(store, ANN)
    await put(store)
    assert await who(store, ANN) == set()


async def test_a_patch_adds_and_removes(store: Store) -> None:
    await put(store, ANN)
    await patch(store, add=(BEN, CEM), remove=(ANN,))
    assert await who(store, ANN, BEN, CEM) == {BEN, CEM}
    await patch(store, add=(BEN,), remove=(ANN,))
    assert await who(store, ANN, BEN, CEM) == {BEN, CEM}


async def test_a_patch_of_an_unknown_group_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound):
        await patch(store, add=(ANN,))


async def test_a_patch_that_contradicts_itself_is_refused(store: Store) -> None:
    await put(store, ANN)
    with pytest.raises(Invalid, match="in add and in remove"):
        await patch(store, add=(BEN,), remove=(BEN,))


async def test_versions_of_groups(store: Store) -> None:
    await put(store, ANN, version=3)
    await put(store, ANN, version=3)
    with pytest.raises(Conflict):
        await put(store, BEN, version=3)
    with pytest.raises(Conflict):
        await put(store, BEN, version=2)
    await patch(store, add=(BEN,))
    with pytest.raises(Conflict):
        await put(store, ANN, version=3)
    await put(store, ANN, version=4)
    assert await who(store, ANN, BEN) == {ANN}


async def test_pages_change_nothing_until_the_last(store: Store) -> None:
    await put(store, ANN)
    await put_page(store, 7, BEN)
    assert await who(store, ANN, BEN, CEM) == {ANN}
    await put_page(store, 7, CEM, last=True)
    assert await who(store, ANN, BEN, CEM) == {BEN, CEM}
    assert await leftovers(store) == (0, 0)


async def test_a_page_that_comes_twice_is_harmless(store: Store) -> None:
    await put_page(store, 1, BEN)
    await put_page(store, 1, BEN)
    await put_page(store, 1, CEM, last=True)
    await put_page(store, 1, CEM, last=True)
    assert await who(store, ANN, BEN, CEM) == {BEN, CEM}
    with pytest.raises(Conflict, match="complete"):
        await put_page(store, 1, ANN, last=True)


async def test_a_newer_generation_discards_an_open_one(store: Store) -> None:
    await put(store, ANN)
    await put_page(store, 1, BEN)
    await put_page(store, 2, CEM)
    with pytest.raises(Conflict, match="older"):
        await put_page(store, 1, BEN, last=True)
    await put_page(store, 2, last=True)
    assert await who(store, ANN, BEN, CEM) == {CEM}
    assert await leftovers(store) == (0, 0)


async def test_a_patch_applies_to_the_current_and_to_the_open_generation(store: Store) -> None:
    await put(store, ANN)
    await put_page(store, 1, ANN, BEN)
    await patch(store, add=(CEM,), remove=(ANN,))
    assert await who(store, ANN, BEN, CEM) == {CEM}
    await put_page(store, 1, last=True)
    assert await who(store, ANN, BEN, CEM) == {BEN, CEM}


async def test_a_put_discards_an_open_generation(store: Store) -> None:
    await put_page(store, 1, BEN)
    await put(store, ANN)
    await put_page(store, 1, CEM, last=True)
    assert await who(store, ANN, BEN, CEM) == {CEM}


async def test_a_large_put_arrives_as_one(store: Store) -> None:
    members = crowd(2_500)
    await put(store, *members, ANN)
    assert await who(store, ANN, BEN, members[0], members[-1]) == {ANN, members[0], members[-1]}
    await put(store, BEN)
    assert await who(store, ANN, BEN, members[0]) == {BEN}
    assert await leftovers(store) == (0, 0)


async def test_a_large_put_that_broke_off_is_discarded_by_the_next_write(store: Store) -> None:
    await put(store, ANN)
    async with store.database.tenant(store.tenant) as connection:
        group = await group_rows.lock_group(connection, store.tenant, store.source, "crew", name="crew")
        opened = await group_rows.open_generation(connection, group, label=None)
        await group_rows.add_page(connection, opened, frozenset([Person(PersonId(uuid.uuid4()))]))
    assert await who(store, ANN) == {ANN}
    await put(store, BEN)
    assert await who(store, ANN, BEN) == {BEN}
    assert await leftovers(store) == (0, 0)


@pytest.mark.parametrize("build", ["put", "pages", "patch"])
async def test_a_cycle_is_refused_however_it_is_built(store: Store, build: str) -> None:
    [other] = parse_acl({"allow": ["group:wiki/other"]}).allow
    [crew] = parse_acl({"allow": ["group:wiki/crew"]}).allow
    if build == "pages":
        await put_page(store, 1, other)
    else:
        await put(store, ANN)
        await (put(store, other) if build == "put" else patch(store, add=(other,)))
    with pytest.raises(Invalid, match="cycle"):
        await store.writer.put_group(store.tenant, store.source, "other", [crew], version=None)
    with pytest.raises(Invalid, match="cycle"):
        await put(store, crew)


async def test_groups_nest_so_deep_and_no_deeper(store: Store) -> None:
    """The deepest that a write may make is still checked by the engine."""
    names = ["crew", *(f"g{n}" for n in range(1, group_rows.NESTED_MAX))]
    for above, below in itertools.pairwise(names):
        [nested] = parse_acl({"allow": [f"group:wiki/{below}"]}).allow
        await store.writer.put_group(store.tenant, store.source, above, [nested], version=None)
    await store.writer.put_group(store.tenant, store.source, names[-1], [ANN], version=None)
    assert await who(store, ANN) == {ANN}
    [crew] = parse_acl({"allow": ["group:wiki/crew"]}).allow
    with pytest.raises(Invalid, match=f"at most {group_rows.NESTED_MAX}"):
        await store.writer.put_group(store.tenant, store.source, "top", [crew], version=None)


async def test_too_many_at_once_are_refused_with_what_to_do(store: Store) -> None:
    with pytest.raises(Invalid, match="send pages"):
        await PostgresGroups(store.database, store.permissions, SystemClock()).put(
            store.tenant,
            store.source,
            "crew",
            frozenset(Person(PersonId(uuid.UUID(int=n))) for n in range(100_001)),
            name="crew",
        )


async def test_a_group_that_went_with_its_source_grants_nothing_when_it_comes_back(store: Store) -> None:
    await put(store, ANN)
    await store.sources.set_state(store.tenant, store.source, "removing")
    await store.sources.remove(store.tenant, store.source)
    await store.permissions.apply_all(store.tenant)
    await store.sources.add(store.tenant, store.source, name="wiki", type_="push", config={})
    await put(store, BEN)
    assert await who(store, ANN, BEN) == {BEN}
    assert await leftovers(store) == (0, 0)
