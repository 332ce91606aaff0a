"""Whose documents and which places the operators of a search name."""

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.narrowing import PostgresNarrowing
from cortex.adapters.postgres.synonyms import PostgresSynonyms
from cortex.domain.identity import container_id
from cortex.ports.narrowing_store import Places
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
    for who in ("Priya Raman", "PRIYA@acme.example"):
        assert set(await narrowing.authored(store.tenant, [who], limit=9)) == {named, addressed}
    assert set(await narrowing.authored(store.tenant, ["raman"], limit=9)) == {named}
    assert set(await narrowing.authored(store.tenant, ["bob", "raman"], limit=9)) == {named, other}
    assert list(await narrowing.authored(store.tenant, ["nobody", "%"], limit=9)) == []
    assert len(await narrowing.authored(store.tenant, ["p", "b"], limit=2)) == 2


async def test_places_are_sources_first_and_then_containers_by_the_end_of_their_path(store: Store) -> None:
    ids = {name: container_id(store.tenant, store.source, name) for name in ("eng", "teams/Eng", "engine", "wiki")}
    async with store.database.tenant(store.tenant) as connection:
        for name, identifier in ids.items():
            values = {"tenant": store.tenant, "id": identifier, "source": store.source, "external": name}
            await connection.execute(_CONTAINER, values)
    narrowing = PostgresNarrowing(store.database)
    assert await narrowing.places(store.tenant, ["ENG"], limit=9) == Places(
        containers=frozenset([ids["eng"], ids["teams/Eng"]])
    )
    assert await narrowing.places(store.tenant, ["teams/eng/"], limit=9) == Places(
        containers=frozenset([ids["teams/Eng"]])
    )
    assert await narrowing.places(store.tenant, ["Wiki"], limit=9) == Places(sources=frozenset([store.source]))
    assert await narrowing.places(store.tenant, ["nowhere", "%"], limit=9) == Places()


async def test_synonyms_are_kept_for_the_tenant_beside_its_other_settings(store: Store) -> None:
    synonyms = PostgresSynonyms(store.database, SystemClock())
    assert await synonyms.synonyms(store.tenant) == ()
    for groups in ((("a", "b"),), (("c", "d", "e"), ("f", "g"))):
        await synonyms.set_synonyms(store.tenant, groups)
        assert await synonyms.synonyms(store.tenant) == groups
