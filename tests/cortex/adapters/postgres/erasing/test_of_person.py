"""What there is of a person."""

import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.answers import PostgresAnswers
from cortex.adapters.postgres.erasing import of_person
from cortex.adapters.postgres.erasing.ledger import PostgresErasures
from cortex.adapters.redis import RedisGroupCache
from cortex.domain.acl import Acl, AclOf, Public, UserRef
from cortex.domain.change import ContainerState, DocumentState
from cortex.domain.erasure import Subject
from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, PersonId
from cortex.ports.erasure import ErasableStore
from cortex.testing.answer_store import new_conversation
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers

ANN, BOB = "ann@acme.example", "bob@acme.example"


def state(external: str, *, author: str | None, acl: Acl | None = None) -> DocumentState:
    return DocumentState(
        external_id=external,
        data=external.encode(),
        name=f"{external}.md",
        mime="text/markdown",
        title=None,
        url=None,
        author=author,
        created_at=None,
        updated_at=None,
        container=None,
        acl=acl or AclOf(public=Public.TENANT),
    )


@dataclass
class Office:
    store: Store
    groups: RedisGroupCache

    @property
    def stores(self) -> list[ErasableStore]:
        """In the product's order."""
        database = self.store.database
        return [
            of_person.Memberships(database, self.store.permissions, self.groups),
            of_person.credentials(database),
            of_person.conversations(database),
            of_person.Authorship(database, SystemClock()),
            of_person.NamesInAcls(database),
            of_person.row(database),
        ]

    async def subject(self, email: str) -> Subject:
        return await PostgresErasures(self.store.database, SystemClock()).person(self.store.tenant, email)

    async def held(self, subject: Subject) -> dict[str, int]:
        return {store.name: await store.count(self.store.tenant, subject) for store in self.stores}

    async def erase(self, subject: Subject) -> None:
        for store in self.stores:
            await store.erase(self.store.tenant, subject)

    async def everything(self) -> str:
        """All of the tenant's rows as text, but for the audit."""
        tables = ("persons", "person_emails", "documents", "containers", "answers", "answer_events", "group_members")
        async with self.store.database.tenant(self.store.tenant) as connection:
            found = [
                (await connection.execute(text(f"SELECT coalesce(string_agg(t::text, '|'), '') FROM {table} t")))
                for table in tables
            ]
        return "\n".join(str(rows.scalar_one()) for rows in found)


@pytest.fixture
async def office(store: Store, redis_url: str) -> AsyncIterator[Office]:
    groups = RedisGroupCache(redis_url)
    await store.directory.put_person(store.tenant, ANN, name="Ann Lee", guest=False)
    await store.directory.put_person(store.tenant, BOB, name="Bob", guest=False)
    yield Office(store, groups)
    await groups.close()


async def test_nothing_of_a_person_is_left_and_everything_of_others(office: Office) -> None:
    store = office.store
    place = (store.tenant, store.source)
    named: Acl = AclOf(allow=frozenset({UserRef(ANN), UserRef(BOB)}))
    await store.writer.put_container(*place, ContainerState("room", None, named))
    await store.writer.put_document(*place, state("one", author=ANN, acl=named))
    await store.writer.put_document(*place, state("two", author=f"Ann Lee <{ANN.upper()}>"))
    await store.writer.put_document(*place, state("three", author="Ann Lee"))
    await store.writer.put_document(*place, state("four", author=BOB))
    ann = await office.subject(ANN)
    answers = PostgresAnswers(store.database)
    for person in (ann.id, (await office.subject(BOB)).id):
        answer = AnswerId(uuid.uuid4())
        await answers.create(
            store.tenant, PersonId(person), answer, conversation_id=new_conversation(), question=f"of {person}"
        )

    assert await office.held(ann) == {
        "permissions": 3,
        "credentials": 0,
        "answers and conversations": 2,
        "authorship": 3,
        "names in permissions": 2,
        "person": 2,
    }
    await office.erase(ann)
    assert set((await office.held(ann)).values()) == {0}
    left = await office.everything()
    assert [trace for trace in (ANN, "Ann Lee", f"of {ann.id}") if trace.lower() in left.lower()] == []
    assert BOB in left
    with pytest.raises(NotFound):
        await office.subject(ANN)


async def test_the_name_that_takes_an_address_place_keeps_an_acl_as_narrow_as_it_was(office: Office) -> None:
    """`allow` with nobody in it would mean: whoever sees the container."""
    place = (office.store.tenant, office.store.source)
    only: Acl = AclOf(allow=frozenset({UserRef(ANN)}))
    await office.store.writer.put_container(*place, ContainerState("room", None, AclOf(public=Public.TENANT)))
    await office.store.writer.put_container(*place, ContainerState("desk", "room", only))
    ann = await office.subject(ANN)
    await office.erase(ann)
    acls = await office.store.sources.container_acls(*place, ["desk"])
    assert acls["desk"] == AclOf(allow=frozenset({UserRef(f"{ann.id}@erased.invalid")}))


async def test_a_name_that_two_people_have_is_nobodys_to_erase(office: Office) -> None:
    place = (office.store.tenant, office.store.source)
    await office.store.directory.put_person(office.store.tenant, "lee@acme.example", name="Ann Lee", guest=False)
    await office.store.writer.put_document(*place, state("one", author="Ann Lee"))
    assert (await office.held(await office.subject(ANN)))["authorship"] == 0


async def test_a_person_whom_only_an_acl_has_named_can_be_erased(office: Office) -> None:
    place = (office.store.tenant, office.store.source)
    named: Acl = AclOf(allow=frozenset({UserRef("guest@partner.example")}))
    await office.store.writer.put_document(*place, state("one", author=None, acl=named))
    guest = await office.subject("guest@partner.example")
    await office.erase(guest)
    assert "guest@partner.example" not in await office.everything()


async def test_erasing_twice_does_no_harm(office: Office) -> None:
    ann = await office.subject(ANN)
    await office.erase(ann)
    await office.erase(ann)
    assert set((await office.held(ann)).values()) == {0}


def test_names_are_replaced_in_lists_of_any_depth() -> None:
    acl = {"allow": ["user:Ann@acme.example", "group:x"], "all_of": [["user:ann@acme.example"]], "complete": True}
    found = of_person.with_names(acl, {"user:ann@acme.example": "user:nobody"})
    assert json.dumps(found) == json.dumps(
        {"allow": ["user:nobody", "group:x"], "all_of": [["user:nobody"]], "complete": True}
    )
