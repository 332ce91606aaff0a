"""One trace follows a document through outbox, bus and consumers into the index, and holds none of its text."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from cortex.adapters.event_wire import on_content, on_stage
from cortex.adapters.nats import NatsBus, StagePublisher
from cortex.adapters.postgres.events import EventRelay
from cortex.adapters.telemetry import span
from cortex.adapters.wrap.traced_writer import TracedWriter
from cortex.domain.event import ContentEvent, StageEvent
from cortex.domain.identity import DocumentId, TenantId, chunk_id
from cortex.domain.vector import IndexAcl, IndexPoint, SparseVector
from cortex.ports.event_bus import Handler, Subscription
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page
from tests.otlp import Collector, is_child

pytestmark = pytest.mark.servers

MARKER = "moonshot"
WAIT_S = 30.0


class Index:
    """Implements VectorWriter; `written` once points came."""

    def __init__(self) -> None:
        self.written = asyncio.Event()

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        self.written.set()

    async def delete_points(self, tenant: TenantId, document: DocumentId, *, revision: int) -> None:
        raise NotImplementedError

    async def delete_older(self, tenant: TenantId, document: DocumentId, *, below_revision: int) -> None:
        raise NotImplementedError

    async def delete_document(self, tenant: TenantId, document: DocumentId) -> None:
        raise NotImplementedError


def point(event: StageEvent) -> IndexPoint:
    now = datetime(2026, 11, 29, tzinfo=UTC)
    return IndexPoint(
        chunk_id=chunk_id(event.document_id, event.revision, 0),
        tenant_id=event.tenant_id,
        document_id=event.document_id,
        revision=event.revision,
        ordinal=0,
        acl_revision=1,
        metadata_revision=1,
        dense=(1.0, 0.0),
        sparse=SparseVector((1,), (1.0,)),
        acl=IndexAcl(clauses=(), deny=frozenset()),
        source_type="push",
        source_id=event.source_id,
        embedded_sha256="0" * 64,
        language="en",
        container_ids=(),
        author_ids=(),
        created_at=now,
        updated_at=now,
    )


@asynccontextmanager
async def consumers(bus: NatsBus, store: Store, handlers: dict[str, tuple[str, Handler]]) -> AsyncIterator[None]:
    """As the composed processes have them, for this tenant's subjects alone."""
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as tasks:
        running = []
        for name, (subject, handler) in handlers.items():
            subscription = Subscription(
                name=f"{name}-{uuid.uuid4().hex}",
                subjects=(subject.replace("*", store.tenant.hex),),
                concurrency=2,
                acknowledge_wait_s=WAIT_S,
                deliveries_max=3,
            )
            running.append(tasks.create_task(bus.consume(subscription, handler)))
        yield
        for task in running:
            task.cancel()


def passing_on(publisher: StagePublisher, stage: str) -> Callable[[ContentEvent | StageEvent], Awaitable[None]]:
    """A stage as the bus sees it."""

    async def handle(event: ContentEvent | StageEvent) -> None:
        revision = event.counters.revision if isinstance(event, ContentEvent) else event.revision
        await publisher.publish(StageEvent(stage, event.tenant_id, event.source_id, event.document_id, revision))

    return handle


async def test_a_document_is_one_trace_from_fetch_to_index(store: Store, nats_url: str, collector: Collector) -> None:
    bus, index = await NatsBus.connect(nats_url), Index()
    publisher, writer = StagePublisher(bus), TracedWriter(index)

    async def embed(event: StageEvent) -> None:
        await writer.upsert([point(event)])

    handlers = {
        "parse": ("cortex.content.*.UPSERT", on_content(passing_on(publisher, "parsed"))),
        "chunk": ("cortex.parsed.*", on_stage(passing_on(publisher, "chunked"))),
        "embed": ("cortex.chunked.*", on_stage(embed)),
    }
    with span("fetch") as fetch:
        document = page(f"{MARKER}.md", body=f"The {MARKER} is launched in May.", title=f"The {MARKER}")
        [written] = await store.writer.put_documents(store.tenant, store.source, [document])
    async with consumers(bus, store, handlers):
        relay = EventRelay(store.database, bus)
        while await relay.relay_batch():
            pass
        await index.written.wait()
    await bus.close()
    spans = {one.name.partition("-")[0]: one for one in collector.every(fetch.trace_id)}
    for stage, before in (("parse", "fetch"), ("chunk", "parse"), ("embed", "chunk"), ("index", "embed")):
        assert is_child(spans[stage], spans[before]), stage
    for stage in ("parse", "chunk", "embed"):
        assert spans[stage].kind == "consumer"
        assert spans[stage].attributes["cortex.tenant_id"] == str(store.tenant)
        assert spans[stage].attributes["cortex.document_id"] == str(getattr(written, "document_id", None))
    assert spans["index"].attributes["cortex.points"] == 1
    assert not [name for name, one in spans.items() if MARKER in one.whole]
