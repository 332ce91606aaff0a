"""Rules of sources, what they make of documents, and making documents anew when they change."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.privacy import PostgresPrivacy
from cortex.adapters.postgres.reprocessing import Reprocessing
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.domain.acl import AclOf, Public
from cortex.domain.change import DocumentState
from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.errors import Conflict, NotFound
from cortex.domain.identity import DocumentId
from cortex.domain.privacy import Kind, PrivacyReport, PrivacyRules, Screened, rules_from_json
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.ports.revision_store import Weighed
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers

STRICT = rules_from_json({"actions": {"email": "redact"}})


def state(external: str, content: str = "text", **changes: object) -> DocumentState:
    fields: dict[str, object] = {
        "external_id": external,
        "data": content.encode(),
        "name": f"{external}.md",
        "mime": "text/markdown",
        "title": None,
        "url": None,
        "author": None,
        "created_at": None,
        "updated_at": datetime(2026, 11, 29, tzinfo=UTC),
        "container": None,
        "acl": AclOf(public=Public.TENANT),
    }
    return DocumentState(**(fields | changes))  # type: ignore[arg-type]


def screened(report: PrivacyReport, title: str = "Title") -> Screened:
    blocks = () if report.quarantined else (Block(0, BlockKind.PARAGRAPH, "text"),)
    return Screened(ParsedDocument(blocks), title, report)


@pytest.fixture
def privacy(store: Store) -> PostgresPrivacy:
    return PostgresPrivacy(store.database, SystemClock())


@pytest.fixture
def reprocessing(store: Store) -> Reprocessing:
    return Reprocessing(store.database, SystemClock(), recogniser="", batch=2)


async def revision(store: Store, document: DocumentId) -> int:
    return (await PostgresRevisions(store.database).latest(store.tenant, document)).revision


async def parsed(store: Store, document: DocumentId, found: Screened) -> None:
    """As the pipeline leaves it, indexed."""
    revisions = PostgresRevisions(store.database)
    number = await revision(store, document)
    assert await revisions.save_parsed(store.tenant, document, number, found)
    assert await revisions.mark_indexed(store.tenant, document, number, model="m", weighed=Weighed(AVERAGE_TERMS, {}))


async def events(store: Store) -> int:
    async with store.database.tenant(store.tenant) as connection:
        return int((await connection.execute(text("SELECT count(*) FROM event_outbox"))).scalar_one())


async def test_a_source_has_the_default_rules_until_it_is_given_others(store: Store, privacy: PostgresPrivacy) -> None:
    assert await privacy.rules(store.tenant, store.source) == PrivacyRules()
    assert await privacy.set_rules(store.tenant, store.source, STRICT)
    assert await privacy.rules(store.tenant, store.source) == STRICT
    assert not await privacy.set_rules(store.tenant, store.source, STRICT)


async def test_other_rules_make_every_document_anew_in_batches(
    store: Store, privacy: PostgresPrivacy, reprocessing: Reprocessing
) -> None:
    states = [state(f"d{number}", f"text {number}") for number in range(5)]
    written = await store.writer.put_documents(store.tenant, store.source, states)
    before = await events(store)
    await privacy.set_rules(store.tenant, store.source, STRICT)
    assert (await privacy.figures(store.tenant, store.source)).behind
    while await reprocessing.reprocess_batch(store.tenant):
        continue
    assert [await revision(store, one.document_id) for one in written] == [2] * 5  # type: ignore[union-attr]
    assert await events(store) == before + 5
    assert not (await privacy.figures(store.tenant, store.source)).behind
    again = await store.writer.put_documents(store.tenant, store.source, states)
    assert [one.changed for one in again] == [False] * 5  # type: ignore[union-attr]


async def test_what_is_only_counted_makes_nothing_anew(
    store: Store, privacy: PostgresPrivacy, reprocessing: Reprocessing
) -> None:
    written = await store.writer.put_document(store.tenant, store.source, state("d"))
    await privacy.set_rules(store.tenant, store.source, rules_from_json({"originals": "show"}))
    while await reprocessing.reprocess_batch(store.tenant):
        continue
    assert await revision(store, written.document_id) == 1


async def test_another_recogniser_is_noticed_at_the_next_start(store: Store) -> None:
    written = await store.writer.put_document(store.tenant, store.source, state("d"))
    other = Reprocessing(store.database, SystemClock(), recogniser="another")
    assert not await other.reprocess_batch(store.tenant)
    await other.look_again(store.tenant)
    while await other.reprocess_batch(store.tenant):
        continue
    assert await revision(store, written.document_id) == 2


async def test_the_same_version_and_body_under_other_rules_is_no_conflict(
    store: Store, privacy: PostgresPrivacy
) -> None:
    place = (store.tenant, store.source)
    await store.writer.put_document(*place, state("d", version=5))
    await privacy.set_rules(*place, STRICT)
    written = await store.writer.put_document(*place, state("d", version=5))
    assert (written.revision, written.changed) == (2, True)
    with pytest.raises(Conflict):
        await store.writer.put_document(*place, state("d", "other", version=5))


async def test_quarantine_hides_at_once_and_a_release_holds_for_these_bytes(
    store: Store, privacy: PostgresPrivacy
) -> None:
    place = (store.tenant, store.source)
    documents = PostgresDocuments(store.database)
    document = (await store.writer.put_document(*place, state("d", version=1))).document_id
    await parsed(store, document, screened(PrivacyReport()))
    assert await documents.live(store.tenant, [document])
    await store.writer.put_document(*place, state("d", "mail@a.example", version=2))
    held = PrivacyReport({Kind.EMAIL: 1}, altered=True, quarantined=True)
    await parsed(store, document, screened(held))
    assert await documents.live(store.tenant, [document]) == {}
    (waiting,) = await privacy.quarantined(*place, after=None, limit=10)
    assert (waiting.document_id, waiting.external_id, dict(waiting.counts)) == (document, "d", {Kind.EMAIL: 1})
    assert await privacy.quarantined(*place, after=document, limit=10) == []

    await privacy.release(*place, document)
    latest = await PostgresRevisions(store.database).latest(store.tenant, document)
    assert (latest.revision, latest.released) == (3, True)
    await parsed(store, document, screened(PrivacyReport({Kind.EMAIL: 1}, altered=True)))
    assert await documents.live(store.tenant, [document])
    with pytest.raises(NotFound):
        await privacy.release(*place, document)
    await store.writer.put_document(*place, state("d", "new@a.example", version=3))
    assert not (await PostgresRevisions(store.database).latest(store.tenant, document)).released


async def test_an_original_that_holds_more_than_may_be_shown_is_hidden_unless_the_rules_say_so(
    store: Store, privacy: PostgresPrivacy
) -> None:
    place = (store.tenant, store.source)
    documents = PostgresDocuments(store.database)
    document = (await store.writer.put_document(*place, state("d"))).document_id

    async def hidden() -> bool:
        return (await documents.live(store.tenant, [document]))[document].original_hidden

    assert await hidden(), "nobody has looked at it yet"
    await parsed(store, document, screened(PrivacyReport()))
    assert not await hidden()
    await store.writer.put_document(*place, state("d", "AKIA..."))
    assert await hidden()
    await parsed(store, document, screened(PrivacyReport({Kind.API_KEY: 1}, altered=True)))
    assert await hidden()
    await privacy.set_rules(*place, rules_from_json({"originals": "show"}))
    assert not await hidden()


async def test_figures_count_live_documents_by_kind(store: Store, privacy: PostgresPrivacy) -> None:
    place = (store.tenant, store.source)
    first, second, gone = [
        (await store.writer.put_document(*place, state(name, name))).document_id for name in ("a", "b", "c")
    ]
    await parsed(store, first, screened(PrivacyReport({Kind.EMAIL: 2, Kind.API_KEY: 1}, altered=True)))
    await parsed(store, second, screened(PrivacyReport({Kind.EMAIL: 3})))
    await parsed(store, gone, screened(PrivacyReport({Kind.EMAIL: 100})))
    await store.writer.delete_document(*place, "c", reason="test")
    figures = await privacy.figures(*place)
    assert (dict(figures.counts), figures.altered, figures.quarantined) == ({Kind.EMAIL: 5, Kind.API_KEY: 1}, 1, 0)


async def test_a_title_is_shown_only_as_it_was_screened(store: Store) -> None:
    """The source's new title may hold what the rules take out: until then the old one stays."""
    place = (store.tenant, store.source)
    documents = PostgresDocuments(store.database)
    document = (await store.writer.put_document(*place, state("d", title="Old"))).document_id
    await parsed(store, document, screened(PrivacyReport(), title="Old"))
    await store.writer.put_document(*place, state("d", title="Call ann@acme.example"))
    assert (await documents.live(store.tenant, [document]))[document].title == "Old"
    await store.writer.put_document(*place, state("d", title="Call ann@acme.example", url="https://a.example"))
    assert (await documents.live(store.tenant, [document]))[document].title == "Old"
