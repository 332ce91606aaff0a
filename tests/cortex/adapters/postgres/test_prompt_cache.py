"""Answers written before: found by their key, for a day, in their tenant, until something of theirs is erased."""

import uuid
from datetime import timedelta

import pytest

from cortex.adapters.postgres.erasing import of_document, of_person
from cortex.adapters.postgres.prompt_cache import KEPT, PostgresPromptCache
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.answer import Citation, Sentence
from cortex.domain.document import Anchor
from cortex.domain.erasure import Subject, SubjectKind
from cortex.domain.identity import ChunkId, DocumentId, PersonId
from cortex.ports.prompt_cache import CachedAnswer
from cortex.testing.sources import FixedClock
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers

KEY, OTHER_KEY = b"\x00" * 32, b"\xff" * 32
LEAVE, SEEN = DocumentId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2))
ANN = PersonId(uuid.UUID(int=3))
ANCHOR = Anchor(1, 2, 3, 10, page=4, message_id="m", second=1.5)
ANSWER = CachedAnswer((Sentence("31 Tage für alle.", (Citation(1, "31 Tage", LEAVE, ChunkId(LEAVE), ANCHOR),)),))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def cache(store: Store, clock: FixedClock) -> PostgresPromptCache:
    return PostgresPromptCache(store.database, clock)


async def kept(store: Store, cache: PostgresPromptCache) -> None:
    await cache.put(store.tenant, KEY, ANSWER, person=ANN, documents=[LEAVE, SEEN])


async def test_an_answer_comes_back_as_it_was(store: Store, cache: PostgresPromptCache) -> None:
    await kept(store, cache)
    await kept(store, cache)
    assert await cache.get(store.tenant, KEY) == ANSWER
    assert await cache.get(store.tenant, OTHER_KEY) is None
    nothing = CachedAnswer((), "not_found")
    await cache.put(store.tenant, OTHER_KEY, nothing, person=ANN, documents=[])
    assert await cache.get(store.tenant, OTHER_KEY) == nothing


async def test_another_tenant_finds_nothing_under_the_same_key(store: Store, cache: PostgresPromptCache) -> None:
    await kept(store, cache)
    other = await PostgresTenants(store.database).make(f"o-{store.tenant.hex[:12]}", title="Another")
    assert await cache.get(other, KEY) is None


async def test_it_is_kept_for_a_day_and_swept(store: Store, cache: PostgresPromptCache, clock: FixedClock) -> None:
    await kept(store, cache)
    clock.time += KEPT + timedelta(seconds=1)
    assert await cache.get(store.tenant, KEY) is None
    await cache.put(store.tenant, OTHER_KEY, ANSWER, person=ANN, documents=[LEAVE])
    assert (await cache.sweep(store.tenant), await cache.sweep(store.tenant)) == (1, 0)
    assert await cache.get(store.tenant, OTHER_KEY) == ANSWER
    async with store.database.tenant(store.tenant) as connection:
        rows = await connection.exec_driver_sql("SELECT count(*) FROM cached_answers")
        assert rows.scalar_one() == 1


@pytest.mark.parametrize("document", [LEAVE, SEEN])
async def test_erasing_a_document_erases_what_was_made_with_it(
    store: Store, cache: PostgresPromptCache, document: DocumentId
) -> None:
    """Also of one that was only before the model when it wrote."""
    await kept(store, cache)
    subject = Subject(SubjectKind.DOCUMENT, document)
    erasing = of_document.cached_answers(store.database)
    assert await erasing.count(store.tenant, subject) == 1
    await erasing.erase(store.tenant, subject)
    assert await erasing.count(store.tenant, subject) == 0
    assert await cache.get(store.tenant, KEY) is None


@pytest.mark.parametrize("document", [LEAVE, SEEN])
async def test_no_answer_outlives_the_revision_that_it_was_made_with(
    store: Store, cache: PostgresPromptCache, document: DocumentId
) -> None:
    """A rule may have taken out of the new one what the answer says."""
    await kept(store, cache)
    revisions = PostgresRevisions(store.database)
    await revisions.forget_below(store.tenant, DocumentId(uuid.UUID(int=4)), 2)
    assert await cache.get(store.tenant, KEY) == ANSWER
    await revisions.forget_below(store.tenant, document, 2)
    assert await cache.get(store.tenant, KEY) is None


async def test_erasing_a_person_erases_what_was_written_for_them(store: Store, cache: PostgresPromptCache) -> None:
    await kept(store, cache)
    erasing, subject = of_person.cached_answers(store.database), Subject(SubjectKind.PERSON, ANN)
    assert await erasing.count(store.tenant, subject) == 1
    await erasing.erase(store.tenant, subject)
    assert await cache.get(store.tenant, KEY) is None
