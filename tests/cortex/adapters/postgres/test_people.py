"""People: who is active is asked with the permission token, and addresses lead to one person each."""

import asyncio

import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.identities import PostgresIdentities
from cortex.adapters.postgres.people import PostgresPeople
from cortex.adapters.redis import RedisGroupCache
from cortex.domain.errors import Denied, Unauthenticated
from cortex.domain.sign_in import Subject
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers
ISSUER = "https://id.acme.example"


async def test_nothing_that_was_begun_is_finished_for_whoever_is_inactive(store: Store, redis_url: str) -> None:
    """The re-check of every surface asks for the token first."""
    groups = RedisGroupCache(redis_url)
    people, documents = (
        PostgresPeople(store.database, store.permissions, groups, SystemClock()),
        PostgresDocuments(store.database),
    )
    ann = await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    assert await documents.permission_token(store.tenant, ann.id)
    await people.set_active(store.tenant, ann.id, active=False)
    with pytest.raises(Unauthenticated):
        await documents.permission_token(store.tenant, ann.id)
    await people.set_active(store.tenant, ann.id, active=True)
    assert await documents.permission_token(store.tenant, ann.id)
    await groups.close()


async def test_racing_first_sign_ins_make_one_person(store: Store) -> None:
    identities = PostgresIdentities(store.database, store.permissions, SystemClock())
    subject = Subject(ISSUER, "ann-1", "ann@acme.example", True)

    async def sign_in() -> object:
        email = "ann@acme.example"
        return (await identities.sign_in(store.tenant, subject, email=email, role=None, make=True)).person_id

    assert len(set(await asyncio.gather(*(sign_in() for _ in range(8))))) == 1


async def test_racing_subjects_with_one_address_are_two_people_and_one_has_it(store: Store) -> None:
    identities = PostgresIdentities(store.database, store.permissions, SystemClock())

    async def sign_in(subject: str) -> object:
        known = Subject(ISSUER, subject, "ann@acme.example", True)
        return (await identities.sign_in(store.tenant, known, email="ann@acme.example", role=None, make=True)).person_id

    found = await asyncio.gather(*(sign_in(f"ann-{number}") for number in range(4)))
    assert len(set(found)) == 4
    assert (await store.directory.person(store.tenant, "ann@acme.example")).id in found


async def test_another_issuer_links_to_the_same_person(store: Store) -> None:
    identities = PostgresIdentities(store.database, store.permissions, SystemClock())
    first = Subject(ISSUER, "ann-1", "ann@acme.example", True)
    second = Subject("https://other.example", "7", "ann@acme.example", True)
    one = await identities.sign_in(store.tenant, first, email=first.email, role=None, make=True)
    two = await identities.sign_in(store.tenant, second, email=second.email, role=None, make=True)
    assert one.person_id == two.person_id


async def test_nobody_is_made_known_by_nothing(store: Store) -> None:
    identities = PostgresIdentities(store.database, store.permissions, SystemClock())
    subject = Subject(ISSUER, "ann-1")
    with pytest.raises(Denied):
        await identities.sign_in(store.tenant, subject, email=None, role=None, make=True)
