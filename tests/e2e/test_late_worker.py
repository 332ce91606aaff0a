"""A worker that was held up, on real stores: what it brings late must not undo what came after."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from cortex.adapters.nats import NatsBus, StagePublisher
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.adapters.qdrant.client import connect
from cortex.domain.encoding import ModelCard, PassageEncoding
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import COLLECTION_ALIAS
from services.embed import compose as embed
from services.embed.consume import Index, IndexStage
from services.embed.passages import Passage, PassageEncoder, Terms
from services.embed.settings import EmbedSettings
from tests.e2e.behind import Behind
from tests.e2e.company import Company
from tests.e2e.running import Platform
from tests.e2e.waiting import eventually

FIRST = "# Bridge\n\nThe footbridge over the canal is painted green."
SECOND = "# Bridge\n\nThe footbridge over the canal is painted orange."


class HeldUp(PassageEncoder):
    """Everything is read and embedded; just before it is written, something else happens."""

    def __init__(self, passages: PassageEncoder, meanwhile: Callable[[], object]) -> None:
        self._passages = passages
        self._meanwhile = meanwhile

    @property
    def model(self) -> ModelCard:
        return self._passages.model

    async def vectors(self, texts: Sequence[str]) -> list[PassageEncoding]:
        return await self._passages.vectors(texts)

    async def terms(self, passages: Sequence[Passage], *, average_terms: float = AVERAGE_TERMS) -> list[Terms]:
        found = await self._passages.terms(passages, average_terms=average_terms)
        await asyncio.to_thread(self._meanwhile)
        return found


@asynccontextmanager
async def working(platform: Platform, cache: Path, meanwhile: Callable[[], object]) -> AsyncIterator[IndexStage]:
    """The indexing stage as the models process has it, in this process."""
    urls = platform.urls
    async with AsyncExitStack() as stack:
        database = Database.connect(urls["CORTEX_DATABASE_URL"], connections_max=2)
        stack.push_async_callback(database.close)
        bus = await NatsBus.connect(urls["CORTEX_NATS_URL"])
        stack.push_async_callback(bus.close)
        qdrant = await stack.enter_async_context(connect(url=urls["CORTEX_QDRANT_URL"], key=urls["CORTEX_QDRANT_KEY"]))
        settings = EmbedSettings(models_dir=Path(urls["CORTEX_MODELS_DIR"]), cache_dir=cache)
        model = await stack.enter_async_context(embed.opened(settings))
        writer = qdrant.writer(COLLECTION_ALIAS)
        yield IndexStage(
            PostgresRevisions(database),
            PostgresVectors(database),
            HeldUp(model.passages, meanwhile),
            Index(writer, writer),
            StagePublisher(bus),
        )


def chunked(company: Company, document: str, revision: int) -> StageEvent:
    identifier = DocumentId(uuid.UUID(document))
    return StageEvent("chunked", company.tenant, company.source_id(), identifier, revision)


async def test_an_old_revision_that_comes_late_changes_nothing(
    company: Company, behind: Behind, tmp_path: Path
) -> None:
    document = company.pushed("bridge", FIRST)
    company.pushed("bridge", SECOND)
    before = behind.document(document), behind.points(document), behind.vectors(company.tenant)
    async with working(company.platform, tmp_path, lambda: None) as stage:
        await stage.chunked(chunked(company, document, 1))
    assert (behind.document(document), behind.points(document), behind.vectors(company.tenant)) == before


async def test_the_live_revision_delivered_twice_changes_nothing(
    company: Company, behind: Behind, tmp_path: Path
) -> None:
    document = company.pushed("bridge", FIRST)
    before = behind.points(document), behind.vectors(company.tenant)
    async with working(company.platform, tmp_path, lambda: None) as stage:
        await stage.chunked(chunked(company, document, 1))
    assert (behind.points(document), behind.vectors(company.tenant)) == before
    assert behind.document(document)["indexed_revision"] == 1


async def test_a_worker_overtaken_while_it_embeds_takes_its_points_away_again(
    company: Company, behind: Behind, tmp_path: Path
) -> None:
    document, ann = company.pushed("bridge", FIRST), company.person("ann")

    def overtake() -> None:
        company.pushed("bridge", SECOND)
        eventually(lambda: _has_only(behind, document, 2))

    async with working(company.platform, tmp_path, overtake) as stage:
        await stage.chunked(chunked(company, document, 1))
    assert behind.document(document)["indexed_revision"] == 2
    assert behind.revisions(document) == {2}
    (result,) = ann.search("footbridge canal")["results"]
    assert "orange" in result["snippet"]


async def test_a_worker_overtaken_by_a_deletion_leaves_nothing(
    company: Company, behind: Behind, tmp_path: Path
) -> None:
    document, ann = company.pushed("bridge", FIRST), company.person("ann")

    def delete() -> None:
        assert company.admin.delete("/v1/sources/notes/documents/bridge").status_code == 204

    async with working(company.platform, tmp_path, delete) as stage:
        await stage.chunked(chunked(company, document, 1))
    assert ann.found("footbridge canal") == []
    eventually(lambda: _has_only(behind, document))


def _has_only(behind: Behind, document: str, *revisions: int) -> None:
    assert behind.revisions(document) == set(revisions)
