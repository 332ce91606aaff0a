"""People and groups: aliases, nesting, guests, cycles, and the engine that knows before a write returns."""

import uuid

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.acl import Group, Person
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import PersonId
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers


async def put(store: Store, email: str, *, guest: bool = False) -> Person:
    return Person((await store.directory.put_person(store.tenant, email, name=email, guest=guest)).id)


async def test_a_person_is_found_by_any_spelling_of_their_address(store: Store) -> None:
    made = await store.directory.put_person(store.tenant, " Ann@Acme.example", name="Ann", guest=False)
    assert await store.directory.person(store.tenant, "ANN@acme.example ") == made
    assert (made.email, made.name, made.guest, made.active) == ("ann@acme.example", "Ann", False, True)


async def test_putting_a_person_again_changes_them_and_keeps_their_id(store: Store) -> None:
    first = await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    second = await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann B.", guest=True)
    assert second.id == first.id
    assert await store.directory.person(store.tenant, "ann@acme.example") == second
    assert (await store.directory.expand(store.tenant, first.id)).guest


async def test_an_unknown_person_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound):
        await store.directory.person(store.tenant, "nobody@acme.example")
    with pytest.raises(NotFound):
        await store.directory.expand(store.tenant, PersonId(uuid.uuid4()))


async def test_who_is_no_longer_active_is_not_expanded(store: Store) -> None:
    ann = await put(store, "ann@acme.example")
    async with store.database.tenant(store.tenant) as connection:
        await connection.execute(text("UPDATE persons SET active = false"))
    with pytest.raises(NotFound):
        await store.directory.expand(store.tenant, ann.id)


async def test_groups_nest_and_lose_members(store: Store) -> None:
    ann, ben = await put(store, "ann@acme.example"), await put(store, "ben@acme.example")
    group = store.directory.put_group
    core = await group(store.tenant, None, "core", [ann], name="Core")
    engineering = await group(store.tenant, None, "engineering", [Group(core), ben], name="Engineering")
    assert (await store.directory.expand(store.tenant, ann.id)).groups == {core, engineering}
    assert (await store.directory.expand(store.tenant, ben.id)).groups == {engineering}
    assert await group(store.tenant, None, "core", [], name="Core") == core
    assert (await store.directory.expand(store.tenant, ann.id)).groups == frozenset()


async def test_a_group_of_a_source_is_another_than_the_directorys(store: Store) -> None:
    ann = await put(store, "ann@acme.example")
    own = await store.directory.put_group(store.tenant, None, "staff", [ann], name="Staff")
    theirs = await store.directory.put_group(store.tenant, store.source, "staff", [], name="Staff")
    assert own != theirs
    assert (await store.directory.expand(store.tenant, ann.id)).groups == {own}


async def test_a_cycle_is_refused_and_changes_nothing(store: Store) -> None:
    ann = await put(store, "ann@acme.example")
    group = store.directory.put_group
    core = await group(store.tenant, None, "core", [ann], name="Core")
    engineering = await group(store.tenant, None, "engineering", [Group(core)], name="Engineering")
    for members in ([Group(engineering)], [Group(core)]):
        with pytest.raises(Invalid, match="cycle"):
            await group(store.tenant, None, "core", members, name="Core")
    assert (await store.directory.expand(store.tenant, ann.id)).groups == {core, engineering}


async def test_the_same_address_in_two_tenants_is_two_people(store: Store) -> None:
    other = await PostgresTenants(store.database).make(f"o-{uuid.uuid4().hex[:12]}", title="Another")
    ann = await put(store, "ann@acme.example")
    elsewhere = await store.directory.put_person(other, "ann@acme.example", name="Ann", guest=True)
    assert elsewhere.id != ann.id
    assert not (await store.directory.expand(store.tenant, ann.id)).guest
    with pytest.raises(NotFound):
        await store.directory.expand(other, ann.id)
