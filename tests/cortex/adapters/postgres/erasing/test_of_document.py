"""What Postgres and the object store hold of a document, and that it does not come back."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.objects import Objects
from cortex.adapters.postgres.answers import PostgresAnswers
from cortex.adapters.postgres.erasing import of_document
from cortex.adapters.postgres.erasing.ledger import PostgresErasures
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.source_writer import PostgresSourceWriter
from cortex.adapters.redis import RedisGroupCache
from cortex.domain.acl import AclOf, Public
from cortex.domain.change import DocumentState
from cortex.domain.chunk import Chunk, Span
from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.encoding import PassageEncoding, StoredTokens
from cortex.domain.erasure import ErasureState, Subject, SubjectKind
from cortex.domain.errors import Conflict, NotFound, Transient
from cortex.domain.identity import AnswerId, DocumentId, PersonId
from cortex.domain.privacy import NOTHING_FOUND, Screened
from cortex.ports.answer_store import AnswerEvent
from cortex.ports.erasure import ErasableStore
from cortex.ports.source_writer import Written
from cortex.testing.answer_store import new_conversation
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers

PERSON = PersonId(uuid.uuid4())


def state(external: str, content: str) -> DocumentState:
    return DocumentState(
        external_id=external,
        data=content.encode(),
        name=f"{external}.md",
        mime="text/markdown",
        title=None,
        url=None,
        author=None,
        created_at=None,
        updated_at=None,
        container=None,
        acl=AclOf(public=Public.TENANT),
    )


@dataclass
class Shelf:
    """Documents with bytes, text, a chunk and its vectors."""

    store: Store
    objects: Objects
    writer: PostgresSourceWriter

    @property
    def stores(self) -> list[ErasableStore]:
        """In the product's order, but for the vector index."""
        database = self.store.database
        return [
            of_document.Permissions(database, self.writer),
            of_document.Payloads(database, self.objects),
            of_document.texts(database),
            of_document.Answers(database, wait_s=0.01),
            of_document.row(database),
        ]

    async def put(self, external: str, content: str) -> DocumentId:
        store = self.store
        document = (await self.writer.put_document(store.tenant, store.source, state(external, content))).document_id
        revisions = PostgresRevisions(store.database)
        latest = await revisions.latest(store.tenant, document)
        blocks = (Block(0, BlockKind.PARAGRAPH, content),)
        screened = Screened(ParsedDocument(blocks), external, NOTHING_FOUND)
        place = (store.tenant, document, latest.revision)
        assert await revisions.save_parsed(*place, screened)
        chunk = Chunk(0, content, (Span(0, 0, len(content)),), (), "en", 3)
        assert await revisions.save_chunks(*place, [chunk], title=external)
        (indexed,) = await revisions.chunks(*place)
        await self.objects.put(f"parsed/{store.tenant}/{latest.content_sha256}/{external}", content.encode())
        await self.vectors(indexed.embedded_sha256)
        return document

    async def vectors(self, embedded_sha256: str) -> None:
        from cortex.adapters.postgres.vectors import PostgresVectors

        encoding = PassageEncoding(bytes(8), StoredTokens(bytes(1), (1,)), truncated=False)
        vectors = PostgresVectors(self.store.database)
        await vectors.save(self.store.tenant, model_key="m", encodings={embedded_sha256: encoding})

    async def answer(self, document: DocumentId, *, cited: bool, state: str = "done") -> AnswerId:
        answers, answer = PostgresAnswers(self.store.database), AnswerId(uuid.uuid4())
        await answers.create(self.store.tenant, PERSON, answer, conversation_id=new_conversation(), question="What?")
        mentioned = [{"document_id": str(document), "title": "t"}]
        await answers.append(self.store.tenant, answer, [AnswerEvent(1, "sources", json.dumps(mentioned))])
        if state == "done":
            record = {"citations": mentioned if cited else []}
            await answers.finish(self.store.tenant, answer, state="done", record=record)
        return answer

    async def erase(self, document: DocumentId) -> dict[str, int]:
        """What each store held before."""
        subject = Subject(SubjectKind.DOCUMENT, document)
        held = {store.name: await store.count(self.store.tenant, subject) for store in self.stores}
        for store in self.stores:
            await store.erase(self.store.tenant, subject)
        return held

    async def left(self, document: DocumentId) -> dict[str, int]:
        subject = Subject(SubjectKind.DOCUMENT, document)
        return {store.name: await store.count(self.store.tenant, subject) for store in self.stores}

    async def rows(self, table: str) -> int:
        async with self.store.database.tenant(self.store.tenant) as connection:
            return int((await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one())


@pytest.fixture
async def shelf(store: Store, redis_url: str, tmp_path: Path) -> AsyncIterator[Shelf]:
    objects, groups = Objects((tmp_path / "objects").as_uri()), RedisGroupCache(redis_url)
    writer = PostgresSourceWriter(
        store.database, objects, store.permissions, SystemClock(), groups, pipeline_version="1"
    )
    yield Shelf(store, objects, writer)
    await groups.close()


async def test_nothing_is_left_of_a_document_and_everything_of_others(shelf: Shelf) -> None:
    document, other = await shelf.put("secret", "strongbox"), await shelf.put("other", "harbour")
    await shelf.answer(document, cited=True)
    await shelf.answer(document, cited=False)
    kept = await shelf.answer(other, cited=True)
    assert await shelf.erase(document) == {
        "permissions": 5,
        "object store": 2,
        "text and vectors": 2,
        "answers": 2,
        "document": 1,
    }
    assert set((await shelf.left(document)).values()) == {0}
    assert min((await shelf.left(other)).values()) > 0
    assert await shelf.rows("chunk_vectors") == 1
    assert (await PostgresAnswers(shelf.store.database).get(shelf.store.tenant, PERSON, kept)).answer_id == kept


async def test_bytes_that_it_had_once_are_erased_too(shelf: Shelf) -> None:
    document = await shelf.put("secret", "the first version")
    await shelf.put("secret", "the second version")
    assert (await shelf.erase(document))["object store"] == 4
    assert [key async for key in shelf.objects.keys("raw")] == []
    assert [key async for key in shelf.objects.keys("parsed")] == []


async def test_bytes_that_another_document_has_stay(shelf: Shelf) -> None:
    document, twin = await shelf.put("secret", "the same"), await shelf.put("twin", "the same")
    assert (await shelf.erase(document))["object store"] == 0
    assert len([key async for key in shelf.objects.keys("raw")]) == 1
    assert (await shelf.erase(twin))["object store"] == 3
    assert [key async for key in shelf.objects.keys("raw")] == []


async def test_a_put_that_races_an_erasure_of_the_same_bytes_keeps_them(shelf: Shelf) -> None:
    """Bytes come before their row: an erasure in between must not take them from under it."""
    for number in range(8):
        document = await shelf.put(f"secret-{number}", f"the same {number}")
        await asyncio.gather(shelf.erase(document), shelf.put(f"twin-{number}", f"the same {number}"))
        twin = state(f"twin-{number}", f"the same {number}")
        raw = f"raw/{shelf.store.tenant}/{twin.sha256}"
        assert await shelf.objects.get(raw) == twin.data


async def test_what_was_erased_does_not_come_back_unless_it_is_something_else(shelf: Shelf) -> None:
    place = (shelf.store.tenant, shelf.store.source)
    await shelf.erase(await shelf.put("secret", "strongbox"))
    with pytest.raises(Conflict, match="erased"):
        await shelf.writer.put_document(*place, state("secret", "strongbox"))
    (failure,) = await shelf.writer.put_documents(*place, [state("secret", "strongbox")])
    assert not isinstance(failure, Written)
    assert "erased" in failure.message
    assert (await shelf.writer.put_document(*place, state("another", "strongbox"))).changed
    assert (await shelf.writer.put_document(*place, state("secret", "empty now"))).changed


async def test_an_administrator_may_let_it_back_in(shelf: Shelf) -> None:
    place = (shelf.store.tenant, shelf.store.source)
    await shelf.erase(await shelf.put("secret", "strongbox"))
    written = await shelf.writer.put_document(*place, state("secret", "strongbox"), reset=True)
    assert written.changed
    assert await shelf.objects.get(f"raw/{shelf.store.tenant}/{state('secret', 'strongbox').sha256}")
    assert not (await shelf.writer.put_document(*place, state("secret", "strongbox"))).changed


async def test_erasing_twice_does_no_harm(shelf: Shelf) -> None:
    document = await shelf.put("secret", "strongbox")
    await shelf.erase(document)
    assert set((await shelf.erase(document)).values()) == {0}


async def test_an_answer_that_is_being_given_is_waited_for(shelf: Shelf) -> None:
    document = await shelf.put("secret", "strongbox")
    answer = await shelf.answer(document, cited=False, state="running")
    with pytest.raises(Transient, match="being given"):
        await shelf.erase(document)
    answers = PostgresAnswers(shelf.store.database)
    await answers.finish(shelf.store.tenant, answer, state="done", record={"citations": []})
    await shelf.erase(document)
    assert set((await shelf.left(document)).values()) == {0}


async def test_nothing_is_written_under_an_erasure(shelf: Shelf) -> None:
    """It would take the text of the new content away with that of the old."""
    store, ledger = shelf.store, PostgresErasures(shelf.store.database, SystemClock())
    document = await shelf.put("secret", "strongbox")
    erasure = await ledger.request(store.tenant, await ledger.document(store.tenant, document), by="admin")
    assert await ledger.request(store.tenant, erasure.subject, by="another") == erasure
    for reset in (False, True):
        with pytest.raises(Conflict, match="being erased"):
            await shelf.writer.put_document(store.tenant, store.source, state("secret", "new"), reset=reset)
    await shelf.erase(document)
    await ledger.finish(store.tenant, erasure.id, certificate={"of": "this"})
    await ledger.finish(store.tenant, erasure.id, certificate={"of": "another"})
    assert (await ledger.erasure(store.tenant, erasure.id)).certificate == {"of": "this"}
    assert (await shelf.writer.put_document(store.tenant, store.source, state("secret", "new"))).changed


async def test_the_ledger_keeps_the_greatest_count_and_why_something_failed(shelf: Shelf) -> None:
    store, ledger = shelf.store, PostgresErasures(shelf.store.database, SystemClock())
    document = await shelf.put("secret", "strongbox")
    with pytest.raises(NotFound):
        await ledger.document(store.tenant, uuid.uuid4())
    erasure = await ledger.request(store.tenant, await ledger.document(store.tenant, document), by="admin")
    for number in (3, 7, 0):
        await ledger.found(store.tenant, erasure.id, store="text", number=number)
    await ledger.fail(store.tenant, erasure.id, error="a bug")
    (found,) = await ledger.erasures(store.tenant, limit=5)
    assert (found.state, found.stores, found.error) == (ErasureState.FAILED, {"text": 7}, "a bug")
    again = await ledger.request(store.tenant, erasure.subject, by="admin")
    assert again.id != erasure.id
