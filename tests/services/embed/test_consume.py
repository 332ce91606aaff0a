"""The stage that writes the index: what goes live, what goes away again, and what changes without its text."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from cortex.domain.encoding import Language, ModelCard, PassageEncoding, QueryEncoding, StoredTokens
from cortex.domain.errors import NotFound, Transient
from cortex.domain.event import ContentEvent, StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId, chunk_id
from cortex.domain.revision import Counters, EventKind
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import IndexAcl, IndexMetadata, IndexPoint, PassageTerms, SparseVector
from cortex.ports.revision_store import IndexedChunk, IndexState, LatestRevision, Weighed
from services.embed.consume import Index, IndexStage
from services.embed.passages import PassageEncoder
from tests.services.plan import latest_of

TENANT, SOURCE, DOCUMENT = TenantId(uuid.uuid4()), SourceId(uuid.uuid4()), DocumentId(uuid.uuid4())
CARD = ModelCard("model", "1", "0" * 64, dimensions=2, tokens_max=64, languages=frozenset(["en"]))
CHUNKED = StageEvent("chunked", TENANT, SOURCE, DOCUMENT, 3)
MARKER = "moonshot"
STATE = IndexState(
    source_type="files",
    source_id=SOURCE,
    metadata=IndexMetadata(container_ids=(), author_ids=(), created_at=None, updated_at=None),
    metadata_revision=1,
    acl=IndexAcl(clauses=(frozenset(["t"]),), deny=frozenset()),
    acl_revision=1,
    tombstoned=False,
)


@dataclass
class Store:
    """Implements IndexStore for one document at revision `revision`; None: it was erased.

    `states` are what is read in turn, the last for ever.
    """

    log: list[str]
    revision: int | None = 3
    tombstoned: bool = False
    overtaken: bool = False
    texts: tuple[str, ...] = (f"{MARKER} one", f"{MARKER} two")
    states: list[IndexState] = field(default_factory=lambda: [STATE])
    weighed: Weighed | None = None

    async def latest(self, tenant: TenantId, document: DocumentId) -> LatestRevision:
        if self.revision is None:
            raise NotFound("gone")
        return latest_of(document, SOURCE, self.revision, tombstoned=self.tombstoned)

    async def chunks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[IndexedChunk]:
        return [
            IndexedChunk(chunk_id(document, revision, number), number, text, f"sha of {text}", "en")
            for number, text in enumerate(self.texts)
        ]

    async def index_state(self, tenant: TenantId, document: DocumentId) -> IndexState:
        if self.revision is None:
            raise NotFound("gone")
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    async def mark_indexed(
        self, tenant: TenantId, document: DocumentId, revision: int, *, model: str, weighed: Weighed
    ) -> bool:
        assert model == CARD.key
        self.weighed = weighed
        self.log.append("live" if not self.overtaken else "overtaken")
        return not self.overtaken

    async def forget_below(self, tenant: TenantId, document: DocumentId, revision: int) -> None:
        self.log.append(f"forget below {revision}")


@dataclass
class Points:
    """Implements VectorWriter and VectorPayloadWriter."""

    log: list[str]
    points: list[IndexPoint] = field(default_factory=list)

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        self.log.append(f"upsert {len(points)}")
        self.points = list(points)

    async def delete_points(self, tenant: TenantId, document: DocumentId, *, revision: int) -> None:
        self.log.append(f"delete points of {revision}")

    async def delete_older(self, tenant: TenantId, document: DocumentId, *, below_revision: int) -> None:
        self.log.append(f"delete points below {below_revision}")

    async def delete_document(self, tenant: TenantId, document: DocumentId) -> None:
        self.log.append("delete document")

    async def set_acl(self, tenant: TenantId, document: DocumentId, *, acl: IndexAcl, acl_revision: int) -> None:
        self.log.append(f"acl {acl_revision}")

    async def set_metadata(
        self, tenant: TenantId, document: DocumentId, *, metadata: IndexMetadata, metadata_revision: int
    ) -> None:
        self.log.append(f"metadata {metadata_revision}")

    async def tombstone(self, tenant: TenantId, document: DocumentId) -> None:
        raise NotImplementedError


class Vectors:
    """Implements VectorCache."""

    def __init__(self) -> None:
        self.stored: dict[str, tuple[float, ...]] = {}

    async def dense(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, tuple[float, ...]]:
        return {key: self.stored[key] for key in embedded_sha256s if key in self.stored}

    async def save(
        self, tenant: TenantId, *, model_key: str, encodings: Mapping[str, PassageEncoding]
    ) -> dict[str, tuple[float, ...]]:
        saved: dict[str, tuple[float, ...]] = dict.fromkeys(encodings, (1.0, 0.0))
        self.stored.update(saved)
        return saved


class Embedding:
    """Implements Embedder, SparseEncoder and LanguageDetector; keeps what it was asked to embed."""

    model = CARD
    version = "1"

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.refusals: list[Transient] = []
        self.poison = ""

    async def encode_passages(self, texts: Sequence[str]) -> list[PassageEncoding]:
        if self.refusals:
            raise self.refusals.pop(0)
        if self.poison in texts:
            raise Transient("it breaks off", retry_after_s=2.0)
        self.embedded += texts
        return [PassageEncoding(bytes(8), StoredTokens(b"", ()), truncated=False) for _ in texts]

    async def encode_query(self, text: str) -> QueryEncoding:
        raise NotImplementedError

    def encode_passage(self, text: str, language: str, *, average_terms: float = AVERAGE_TERMS) -> PassageTerms:
        return PassageTerms(SparseVector((1,), (average_terms,)), len(text.split()))

    def detect(self, text: str) -> Language:
        raise NotImplementedError


class Bench:
    """The stage with everything around it, and one log of what was done in which order."""

    def __init__(self, **store: object) -> None:
        self.log: list[str] = []
        self.store = Store(self.log, **store)  # type: ignore[arg-type]
        self.points, self.vectors, self.embedding = Points(self.log), Vectors(), Embedding()
        encoder = PassageEncoder(
            embedder=self.embedding,
            sparse=self.embedding,  # type: ignore[arg-type]  # questions are not encoded here
            languages=self.embedding,
            characters_max=10_000,
        )
        self.pauses: list[float] = []
        self.stage = IndexStage(
            self.store,
            self.vectors,
            encoder,
            Index(self.points, self.points),
            self,
            pause=self.pause,
        )

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def publish(self, event: StageEvent) -> None:
        self.log.append(event.stage)


def changed(kind: EventKind) -> ContentEvent:
    return ContentEvent(
        tenant_id=TENANT,
        source_id=SOURCE,
        document_id=DOCUMENT,
        counters=Counters(3, 1, 1),
        kind=kind,
        raw_key="raw/plan",
        content_sha256="",
        metadata_sha256="",
        mime="",
        pipeline_version="1",
        occurred_at=datetime(2026, 11, 29, tzinfo=UTC),
    )


async def test_a_revision_goes_live_once_its_points_are_there_and_then_the_old_ones_go() -> None:
    bench = Bench()
    await bench.stage.chunked(CHUNKED)
    assert bench.log == ["upsert 2", "live", "delete points below 3", "forget below 3", "indexed"]
    assert [point.chunk_id for point in bench.points.points] == [chunk_id(DOCUMENT, 3, 0), chunk_id(DOCUMENT, 3, 1)]
    assert {(point.revision, point.acl, point.dense) for point in bench.points.points} == {(3, STATE.acl, (1.0, 0.0))}


async def test_passages_are_weighed_by_the_tenants_average_and_their_lengths_kept() -> None:
    bench = Bench(texts=("one two three",), states=[replace(STATE, average_terms=31.0)])
    assert await bench.stage.chunked(CHUNKED) == 1
    assert [point.sparse.values for point in bench.points.points] == [(31.0,)]
    assert bench.store.weighed == Weighed(31.0, {chunk_id(DOCUMENT, 3, 0): 3})


async def test_a_revision_that_was_overtaken_takes_its_points_out_again() -> None:
    bench = Bench(overtaken=True)
    await bench.stage.chunked(CHUNKED)
    assert bench.log == ["upsert 2", "overtaken", "delete points of 3"]


@pytest.mark.parametrize("store", [{"revision": 4}, {"revision": None}, {"tombstoned": True}])
async def test_what_is_not_the_latest_is_not_even_embedded(store: dict[str, object]) -> None:
    bench = Bench(**store)
    await bench.stage.chunked(CHUNKED)
    assert (bench.log, bench.embedding.embedded) == ([], [])


async def test_the_same_text_is_embedded_once() -> None:
    bench = Bench(texts=("same", "same", "other"))
    await bench.stage.chunked(CHUNKED)
    assert sorted(bench.embedding.embedded) == ["other", "same"]
    await bench.stage.chunked(CHUNKED)
    assert len(bench.embedding.embedded) == 2
    assert len(bench.points.points) == 3


async def test_a_document_without_chunks_leaves_no_old_ones_behind() -> None:
    bench = Bench(texts=())
    await bench.stage.chunked(CHUNKED)
    assert bench.log[1:] == ["live", "delete points below 3", "forget below 3", "indexed"]
    assert bench.points.points == []


async def test_what_moved_during_the_upsert_is_written_again_before_it_goes_live() -> None:
    bench = Bench(states=[STATE, replace(STATE, acl_revision=2, metadata_revision=5)])
    await bench.stage.chunked(CHUNKED)
    assert bench.log[:4] == ["upsert 2", "acl 2", "metadata 5", "live"]


@pytest.mark.parametrize(
    ("kind", "done"), [(EventKind.ACL, ["acl 7"]), (EventKind.METADATA, ["metadata 6"]), (EventKind.DELETE, [])]
)
async def test_a_late_event_writes_the_state_of_now(kind: EventKind, done: list[str]) -> None:
    """A DELETE of a document that has come back does nothing."""
    bench = Bench(states=[replace(STATE, acl_revision=7, metadata_revision=6)])
    await bench.stage.changed(changed(kind))
    assert bench.log == done
    assert bench.embedding.embedded == []


@pytest.mark.parametrize("kind", [EventKind.ACL, EventKind.METADATA, EventKind.DELETE])
async def test_a_tombstoned_document_leaves_the_index_whatever_the_event(kind: EventKind) -> None:
    bench = Bench(tombstoned=True, states=[replace(STATE, tombstoned=True)])
    await bench.stage.changed(changed(kind))
    assert bench.log == ["delete points below 4", "forget below 4"]


async def test_a_document_that_comes_back_meanwhile_keeps_its_points() -> None:
    bench = Bench(tombstoned=False, states=[replace(STATE, tombstoned=True)])
    await bench.stage.changed(changed(EventKind.DELETE))
    assert bench.log == []


async def test_a_document_that_was_erased_leaves_the_index() -> None:
    bench = Bench(revision=None)
    await bench.stage.changed(changed(EventKind.ACL))
    assert bench.log == ["delete document"]


async def test_an_index_that_is_away_has_the_event_come_again() -> None:
    class Away(Points):
        async def upsert(self, points: Sequence[IndexPoint]) -> None:
            raise Transient("away")

    bench = Bench()
    encoder = PassageEncoder(
        embedder=bench.embedding,
        sparse=bench.embedding,  # type: ignore[arg-type]
        languages=bench.embedding,
        characters_max=10_000,
    )
    away = Away(bench.log)
    stage = IndexStage(bench.store, bench.vectors, encoder, Index(away, away), bench)
    with pytest.raises(Transient):
        await stage.chunked(CHUNKED)
    assert bench.log == []
    assert len(bench.vectors.stored) == 2, "what was embedded is kept for the next try"


async def test_an_embedder_that_is_away_is_waited_for_however_long() -> None:
    bench = Bench()
    bench.embedding.refusals = [Transient("away", retry_after_s=600.0 if n == 4 else None) for n in range(20)]
    await bench.stage.chunked(CHUNKED)
    assert bench.pauses == [1.0, 2.0, 30.0, 8.0, 16.0, 30.0, 30.0, 30.0, 30.0, 30.0]
    assert bench.log[-1] == "indexed"


async def test_texts_that_an_embedder_fails_at_while_it_answers_others_are_given_back() -> None:
    bench = Bench(texts=("good", "poison"))
    bench.embedding.poison = "poison"
    with pytest.raises(Transient, match="breaks off"):
        await bench.stage.chunked(CHUNKED)
    assert (bench.pauses, bench.log) == ([], [])


async def test_no_log_record_holds_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    await Bench().stage.chunked(CHUNKED)
    assert MARKER not in caplog.text
