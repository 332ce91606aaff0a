"""Whose documents and which places the operators of a search name."""

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.narrowing import PostgresNarrowing
from cortex.adapters.postgres.synonyms import PostgresSynonyms
from cortex.domain.identity import container_id
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_suggestions import add

pytestmark = pytest.mark.servers

_CONTAINER = text(
    "INSERT INTO containers (tenant_id, id, source_id, external_id, acl_resolved, acl_sha256)"
    " VALUES (:tenant, :id, :source, :external, '{}', '')"
)


async def test_authors_are_found_by_any_of_their_names_and_addresses(store: Store) -> None:
    await store.directory.put_person(store.tenant, "priya@acme.example", name="Priya Raman", guest=False)
    named = await add(store.database, store.tenant, "One", author="Priya Raman")
    addressed = await add(store.database, store.tenant, "Two", author="priya@acme.example")
    other = await add(store.database, store.tenant, "Three", author="Bob")
    narrowing = PostgresNarrowing(store.database)
    assert set(await narrowing.authored(store.tenant, ["Priya Raman"], limit=9)) == {named, addressed}
    assert list(await narrowing.authored(store.tenant, ["PRIYA@acme.example"], limit=9)) == [addressed]
    assert set(await narrowing.authored(store.tenant, ["raman"], limit=9)) == {named}
    assert set(await narrowing.authored(store.tenant, ["bob", "raman"], limit=9)) == {named, other}
    assert list(await narrowing.authored(store.tenant, ["nobody", "%"], limit=9)) == []
    assert len(await narrowing.authored(store.tenant, ["p", "b"], limit=2)) == 2
    everything = [await narrowing.authored(store.tenant, ["p", "b"], limit=2, skip=skip) for skip in (0, 2)]
    assert {one for page in everything for one in page} == {named, addressed, other}


async def test_an_address_is_that_address_and_nobodys_name(store: Store) -> None:
    """Whatever the directory calls a person, and whatever stands around an address in the name of an author."""
    await store.directory.put_person(store.tenant, "eve@acme.example", name="priya@acme.example", guest=False)
    await store.directory.put_person(store.tenant, "priya@acme.example", name="Priya Raman", guest=False)
    meant = await add(store.database, store.tenant, "One", author="Priya@acme.example")
    for author in ("eve@acme.example", "Priya Raman", "Eve priya@acme.example", "priya@acme.example.evil.example"):
        await add(store.database, store.tenant, f"By {author}", author=author)
    found = await PostgresNarrowing(store.database).authored(store.tenant, ["priya@acme.example"], limit=9)
    assert list(found) == [meant]


async def test_places_are_sources_by_name_and_containers_by_the_end_of_their_path(store: Store) -> None:
    ids = {name: container_id(store.tenant, store.source, name) for name in ("eng", "teams/Eng", "engine", "wiki")}
    async with store.database.tenant(store.tenant) as connection:
        for name, identifier in ids.items():
            values = {"tenant": store.tenant, "id": identifier, "source": store.source, "external": name}
            await connection.execute(_CONTAINER, values)
    narrowing = PostgresNarrowing(store.database)
    both = sorted([ids["eng"], ids["teams/Eng"]])
    assert list(await narrowing.containers(store.tenant, ["ENG"], limit=9)) == both
    assert list(await narrowing.containers(store.tenant, ["ENG"], limit=1)) == both[:1]
    assert list(await narrowing.containers(store.tenant, ["ENG"], limit=9, after=both[0])) == both[1:]
    assert list(await narrowing.containers(store.tenant, ["teams/eng/"], limit=9)) == [ids["teams/Eng"]]
    assert list(await narrowing.containers(store.tenant, ["Wiki"], limit=9)) == [ids["wiki"]]
    assert list(await narrowing.sources(store.tenant, ["Wiki"])) == [store.source]
    for names in (["nowhere", "%"], ["eng%"]):
        assert list(await narrowing.containers(store.tenant, names, limit=9)) == []
        assert list(await narrowing.sources(store.tenant, names)) == []


async def test_synonyms_are_kept_for_the_tenant_beside_its_other_settings(store: Store) -> None:
    synonyms = PostgresSynonyms(store.database, SystemClock())
    assert await synonyms.synonyms(store.tenant) == ()
    for groups in ((("a", "b"),), (("c", "d", "e"), ("f", "g"))):
        await synonyms.set_synonyms(store.tenant, groups)
        assert await synonyms.synonyms(store.tenant) == groups
