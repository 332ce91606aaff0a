"""Drift of every kind between rows and index is found, counted and mended, over real servers."""

from dataclasses import dataclass, field, replace

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.reconcile.engine import EngineReconciler
from cortex.adapters.postgres.reconcile.index import PostgresIndexTruth
from cortex.adapters.postgres.reconcile.mirror import MirrorReconciler
from cortex.adapters.postgres.reconcile.permissions import PostgresReconciler
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.qdrant import Qdrant
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, chunk_id
from cortex.domain.reconcile import Drift, Part
from cortex.domain.vector import IndexedRevision, IndexPoint
from cortex.testing.vector_index import Writer, new_document, point
from services.connectors.reconcile.reconciling import Index, Reconciling
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers

CHUNKS = 3
_CHUNK = text(
    "INSERT INTO chunks (tenant_id, id, document_id, revision, ordinal, text, heading_path, anchors, language, tokens,"
    " embedded_sha256, pipeline_version)"
    " VALUES (:tenant, :id, :document, 1, :ordinal, 'x', '{}', '[]', 'en', 1, '', '1')"
)
_LIVE = text("UPDATE documents SET indexed_revision = 1, stage = 'indexed' WHERE id = :document")


@dataclass
class Published:
    """Implements StagePublisher."""

    events: list[StageEvent] = field(default_factory=list)

    async def publish(self, event: StageEvent) -> None:
        self.events.append(event)


@dataclass
class Bench:
    store: Store
    index: Qdrant
    collection: str
    published: Published = field(default_factory=Published)

    @property
    def writer(self) -> Writer:
        return self.index.writer(self.collection)

    async def document(self, name: str) -> DocumentId:
        """Live, with its chunks in both places."""
        written = await self.store.writer.put_document(self.store.tenant, self.store.source, page(name))
        document = written.document_id
        async with self.store.database.tenant(self.store.tenant) as connection:
            for ordinal in range(CHUNKS):
                identifier = chunk_id(document, 1, ordinal)
                values = {"tenant": self.store.tenant, "id": identifier, "document": document, "ordinal": ordinal}
                await connection.execute(_CHUNK, values)
            await connection.execute(_LIVE, {"document": document})
        await self.writer.upsert(self.points(document))
        return document

    def points(self, document: DocumentId, *, revision: int = 1) -> list[IndexPoint]:
        return [point(self.store.tenant, document, revision=revision, ordinal=ordinal) for ordinal in range(CHUNKS)]

    async def reconciled(self, *, points_per_step: int = 1_000) -> dict[Drift, int]:
        database, writer = self.store.database, self.writer
        mirror = MirrorReconciler(database, self.store.permissions)
        reconciling = Reconciling(
            PostgresReconciler(mirror, EngineReconciler(database, self.store.engine)),
            truth=PostgresIndexTruth(database),
            states=PostgresRevisions(database),
            index=Index(self.index.reader(self.collection), writer, writer),
            publisher=self.published,
            points_per_step=points_per_step,
        )
        found: dict[Drift, int] = {}
        for part in Part:
            after: str | None = None
            while True:
                step = await reconciling.step(self.store.tenant, part, after)
                for kind, count in step.drift.items():
                    found[kind] = found.get(kind, 0) + count
                after = step.after
                if after is None:
                    break
        return found

    async def stored(self) -> list[IndexedRevision]:
        return (await self.index.reader(self.collection).revisions(self.store.tenant, after=None, limit=1000)).rows


@pytest.fixture
def bench(store: Store, index: Qdrant, collection: str) -> Bench:
    return Bench(store, index, collection)


@pytest.mark.parametrize("points_per_step", [1_000, 2])
async def test_where_nothing_drifted_nothing_is_mended(bench: Bench, points_per_step: int) -> None:
    for name in ("a.md", "b.md"):
        await bench.document(name)
    assert await bench.reconciled(points_per_step=points_per_step) == {}
    assert bench.published.events == []


@pytest.mark.parametrize("points_per_step", [1_000, 2])
async def test_points_that_are_missing_are_made_again(bench: Bench, points_per_step: int) -> None:
    documents = [await bench.document(name) for name in ("a.md", "b.md", "c.md")]
    await bench.writer.delete_document(bench.store.tenant, documents[1])
    assert await bench.reconciled(points_per_step=points_per_step) == {Drift.INDEX_MISSING: CHUNKS}
    assert {(event.stage, event.document_id, event.revision) for event in bench.published.events} == {
        ("chunked", documents[1], 1)
    }
    first, *_ = bench.published.events
    assert first.event_id != replace(first, again="").event_id


async def test_an_index_that_lost_everything_is_made_again(bench: Bench) -> None:
    documents = [await bench.document(f"{n}.md") for n in range(4)]
    for document in documents:
        await bench.writer.delete_document(bench.store.tenant, document)
    assert await bench.reconciled(points_per_step=5) == {Drift.INDEX_MISSING: 4 * CHUNKS}
    assert {event.document_id for event in bench.published.events} == set(documents)


async def test_hidden_points_of_a_live_document_are_missing(bench: Bench) -> None:
    document = await bench.document("a.md")
    await bench.writer.tombstone(bench.store.tenant, document)
    assert await bench.reconciled() == {Drift.INDEX_MISSING: CHUNKS}


async def test_points_of_nothing_go(bench: Bench) -> None:
    await bench.document("a.md")
    await bench.writer.upsert(bench.points(new_document()))
    assert await bench.reconciled() == {Drift.INDEX_ORPHAN: CHUNKS}
    assert len(await bench.stored()) == CHUNKS


async def test_points_of_a_deleted_document_go(bench: Bench) -> None:
    await bench.document("a.md")
    await bench.store.writer.delete_document(bench.store.tenant, bench.store.source, "a.md", reason="gone")
    assert await bench.reconciled() == {Drift.INDEX_TOMBSTONED: CHUNKS}
    assert await bench.stored() == []


async def test_points_of_an_older_revision_go_and_those_of_one_on_its_way_stay(bench: Bench) -> None:
    document = await bench.document("a.md")
    await bench.writer.upsert([*bench.points(document, revision=0), *bench.points(document, revision=2)])
    assert await bench.reconciled() == {Drift.INDEX_REVISION: CHUNKS}
    assert {row.revision for row in await bench.stored()} == {1, 2}


@pytest.mark.parametrize(
    ("column", "kind"), [("acl_revision", Drift.INDEX_ACL), ("metadata_revision", Drift.INDEX_METADATA)]
)
async def test_a_payload_that_missed_a_change_gets_it(bench: Bench, column: str, kind: Drift) -> None:
    document = await bench.document("a.md")
    async with bench.store.database.tenant(bench.store.tenant) as connection:
        statement = f"UPDATE documents SET {column} = {column} + 1 WHERE id = :document"
        await connection.execute(text(statement), {"document": document})
    assert await bench.reconciled() == {kind: CHUNKS}
    assert {getattr(row, column) for row in await bench.stored()} == {2}
    assert await bench.reconciled() == {}
