"""People: who is active is asked with the permission token, and addresses lead to one person each."""

import asyncio

import pytest
from sqlalchemy import TextClause, text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.acl_rows import NAMED, person_ids
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.identities import PostgresIdentities
from cortex.adapters.postgres.people import OF_ROLE, PEOPLE, PostgresPeople
from cortex.adapters.redis import RedisGroupCache
from cortex.domain.credential import Role
from cortex.domain.errors import Denied, Unauthenticated
from cortex.domain.sign_in import Subject
from cortex.ports.people import PersonDetail
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


async def test_each_address_of_a_page_is_looked_up_in_the_index(store: Store) -> None:
    """A page of a large group names a thousand; a scan of everybody's addresses made each page slower than the last."""
    emails = [f"person{n}@acme.example" for n in range(5_000)]
    async with store.database.tenant(store.tenant) as connection:
        known = await person_ids(connection, store.tenant, emails)
        assert await person_ids(connection, store.tenant, emails[:1_000]) == {e: known[e] for e in emails[:1_000]}
        explained = await connection.execute(text(f"EXPLAIN {NAMED.text}"), {"emails": emails[:1_000]})
        lines = "\n".join(explained.scalars())
    assert "Index Scan using person_emails_pkey" in lines, lines
    assert "Seq Scan" not in lines, lines


@pytest.mark.parametrize("page", [PEOPLE, OF_ROLE])
async def test_a_page_of_people_passes_over_nobody(store: Store, page: TextClause) -> None:
    """Whom a group has named and nobody knows is in no list, and may be a million.

    Either index of those who are known will do: which one is the cheaper depends on what Postgres has counted.
    """
    async with store.database.tenant(store.tenant) as connection:
        await person_ids(connection, store.tenant, [f"person{n}@acme.example" for n in range(5_000)])
        values = {"after": "", "limit": 100} | ({"role": "member"} if page is OF_ROLE else {})
        lines = "\n".join((await connection.execute(text(f"EXPLAIN {page.text}"), values)).scalars())
    assert "using persons_known" in lines, lines
    assert "Seq Scan" not in lines, lines


async def test_people_and_those_of_a_role_come_page_by_page(store: Store, redis_url: str) -> None:
    groups = RedisGroupCache(redis_url)
    people = PostgresPeople(store.database, store.permissions, groups, SystemClock())
    for n in range(5):
        person = await store.directory.put_person(store.tenant, f"p{n}@acme.example", name=f"P{n}", guest=False)
        await people.set_role(store.tenant, person.id, Role.AUDITOR if n % 2 else Role.MEMBER)
    for role, count in ((None, 5), (Role.AUDITOR, 2), (Role.ADMIN, 0)):
        found: list[PersonDetail] = []
        while some := await people.people(store.tenant, after=str(found[-1].id) if found else "", limit=2, role=role):
            found += some
        assert len(found) == len({one.id for one in found}) == count
        assert [one.id for one in found] == sorted(one.id for one in found)
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
