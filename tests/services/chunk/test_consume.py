"""The stage around the chunker: only what is still the latest is cut, saved and passed on."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cortex.domain.chunk import Chunk
from cortex.domain.document import Block, BlockKind
from cortex.domain.errors import NotFound, Transient
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.privacy import Screened
from cortex.ports.revision_store import LatestRevision
from services.chunk.consume import ChunkStage
from services.chunk.settings import ChunkLimits
from tests.services.chunk.word_counter import WordCounter
from tests.services.plan import latest_of

TENANT, SOURCE, DOCUMENT = TenantId(uuid.uuid4()), SourceId(uuid.uuid4()), DocumentId(uuid.uuid4())
PARSED = StageEvent("parsed", TENANT, SOURCE, DOCUMENT, 3)
MARKER = "moonshot"


@dataclass
class Revisions:
    """Implements RevisionStore for one document; None: it was erased."""

    latest_revision: int | None = 3
    tombstoned: bool = False
    overtaken: bool = False
    texts: tuple[str, ...] = (f"The {MARKER} is launched in May.",)
    saved: list[Chunk] = field(default_factory=list)

    async def latest(self, tenant: TenantId, document: DocumentId) -> LatestRevision:
        assert (tenant, document) == (TENANT, DOCUMENT)
        if self.latest_revision is None:
            raise NotFound("gone")
        return latest_of(document, SOURCE, self.latest_revision, tombstoned=self.tombstoned)

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]:
        assert revision == self.latest_revision
        return [Block(number, BlockKind.PARAGRAPH, text) for number, text in enumerate(self.texts)]

    async def save_chunks(
        self, tenant: TenantId, document: DocumentId, revision: int, chunks: Sequence[Chunk], *, title: str
    ) -> bool:
        assert title == "Plan"
        if self.overtaken:
            return False
        self.saved = list(chunks)
        return True

    async def save_parsed(self, tenant: TenantId, document: DocumentId, revision: int, screened: Screened) -> bool:
        raise NotImplementedError

    async def fail(self, tenant: TenantId, document: DocumentId, revision: int, *, stage: str, message: str) -> None:
        raise NotImplementedError


@dataclass
class Publisher:
    """Implements StagePublisher."""

    published: list[StageEvent] = field(default_factory=list)
    away: bool = False

    async def publish(self, event: StageEvent) -> None:
        if self.away:
            raise Transient("away")
        self.published.append(event)


def stage(revisions: Revisions, publisher: Publisher) -> ChunkStage:
    return ChunkStage(revisions, publisher, counter=WordCounter(), language_of=lambda _: "en", limits=ChunkLimits())


async def test_chunks_are_saved_and_then_passed_on() -> None:
    revisions, publisher = Revisions(), Publisher()
    await stage(revisions, publisher).handle(PARSED)
    assert [chunk.text for chunk in revisions.saved] == [revisions.texts[0]]
    assert publisher.published == [StageEvent("chunked", TENANT, SOURCE, DOCUMENT, 3)]


async def test_a_document_without_text_goes_on_without_chunks() -> None:
    """What it said before must leave the index."""
    revisions, publisher = Revisions(texts=()), Publisher()
    await stage(revisions, publisher).handle(PARSED)
    assert revisions.saved == []
    assert len(publisher.published) == 1


@pytest.mark.parametrize(
    "revisions", [Revisions(latest_revision=4), Revisions(latest_revision=None), Revisions(tombstoned=True)]
)
async def test_what_is_not_the_latest_is_left_alone(revisions: Revisions) -> None:
    publisher = Publisher()
    await stage(revisions, publisher).handle(PARSED)
    assert (revisions.saved, publisher.published) == ([], [])


async def test_what_was_overtaken_meanwhile_is_not_passed_on() -> None:
    publisher = Publisher()
    await stage(Revisions(overtaken=True), publisher).handle(PARSED)
    assert publisher.published == []


async def test_a_bus_that_is_away_has_the_event_come_again() -> None:
    revisions, publisher = Revisions(), Publisher(away=True)
    with pytest.raises(Transient):
        await stage(revisions, publisher).handle(PARSED)
    publisher.away = False
    await stage(revisions, publisher).handle(PARSED)
    assert len(revisions.saved) == len(publisher.published) == 1


async def test_no_log_record_holds_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    await stage(Revisions(), Publisher()).handle(PARSED)
    assert MARKER not in caplog.text
