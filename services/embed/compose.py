"""Builds the embed gateway. The loaded model is here; whoever shares its process takes it from `opened`."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial

import grpc

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.embedding.engine import connected
from cortex.adapters.embedding.shapes import OPENAI, TEI
from cortex.adapters.event_wire import on_content, on_stage
from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.language import LanguageByScript
from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.package import MODEL_FOLDER, TOKENIZER_FILE, verify
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.postgres.term_lengths import PostgresTermLengths
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.adapters.qdrant.client import Qdrant, connect
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.adapters.wrap.traced_writer import TracedWriter
from cortex.domain.errors import Conflict, Transient
from cortex.domain.event import StageEvent
from cortex.domain.identity import TenantId
from cortex.domain.vector import COLLECTION_ALIAS, CollectionSpec
from cortex.ports.embedder import Embedder
from cortex.ports.event_bus import Subscription
from cortex.rpc.models.v1 import models_pb2_grpc
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.embedder_settings import EmbedderKind
from cortex.runtime.lifecycle import Loop, every, run_loops
from cortex.runtime.settings import PlatformSettings
from services.embed.consume import Index, IndexStage
from services.embed.lengths import LengthUpkeep
from services.embed.passages import PassageEncoder
from services.embed.query import QueryEncoder
from services.embed.rpc import EmbedRpc, TenantOf
from services.embed.scheduler import scheduling
from services.embed.settings import EmbedSettings

logger = logging.getLogger(__name__)

CHUNKED = Subscription(
    name="embed", subjects=("cortex.chunked.*",), concurrency=4, acknowledge_wait_s=30.0, deliveries_max=50
)
CHANGED = Subscription(
    name="embed-changes",
    subjects=("cortex.content.*.METADATA", "cortex.content.*.ACL", "cortex.content.*.DELETE"),
    concurrency=8,
    acknowledge_wait_s=30.0,
    deliveries_max=50,
)
LENGTHS_EVERY_S = 5.0
WARM_UP = "How long is the notice period, and who approves it?"


@dataclass(frozen=True, slots=True)
class Embed:
    """The gateway within a process: `queries` for the hot path, `passages` for the consumer of chunks."""

    queries: QueryEncoder
    passages: PassageEncoder
    passages_per_call_max: int

    def register(self, server: grpc.aio.Server, *, tenant_of: TenantOf) -> None:
        servicer = EmbedRpc(
            queries=self.queries,
            passages=self.passages,
            tenant_of=tenant_of,
            passages_max=self.passages_per_call_max,
        )
        models_pb2_grpc.add_EmbedServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]


def settings_of(platform: PlatformSettings) -> EmbedSettings:
    chosen = platform.embedder
    return EmbedSettings(
        models_dir=platform.models_dir,
        cache_dir=platform.data / "cache",
        engine=chosen.engine,
        tei=chosen.kind is EmbedderKind.TEI,
        tokenizer=chosen.tokenizer,
        egress_allowed=platform.egress_allowed,
    )


@asynccontextmanager
async def opened(settings: EmbedSettings) -> AsyncIterator[Embed]:
    """A gateway that has answered once, unless it waits for its engine.

    Invalid when the model is missing or not what was built, and when the engine is not what was declared.
    """
    languages = LanguageByScript(settings.default_language)
    sparse = Bm25Encoder(ChineseSegmenter(settings.cache_dir))
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(_embedder(settings))
        queries = QueryEncoder(
            embedder=embedder, sparse=sparse, languages=languages, characters_max=settings.query_characters_max
        )
        passages = PassageEncoder(
            embedder=embedder, sparse=sparse, languages=languages, characters_max=settings.passage_characters_max
        )
        with suppress(Transient) if settings.engine is not None else nullcontext():
            await queries.encode(WARM_UP)
        yield Embed(queries, passages, settings.passages_per_call_max)


@asynccontextmanager
async def _embedder(settings: EmbedSettings) -> AsyncIterator[Embedder]:
    if settings.engine is None:
        package = await asyncio.to_thread(verify, settings.models_dir)
        encoder = await asyncio.to_thread(OnnxEncoder, package)
        async with scheduling(encoder, settings.scheduler) as scheduler:
            yield scheduler
        return
    engine = settings.engine
    counter = Tokenizer(settings.tokenizer or settings.models_dir / MODEL_FOLDER / TOKENIZER_FILE)
    shape = TEI if settings.tei else OPENAI
    async with connected(engine, shape, counter=counter, egress_allowed=settings.egress_allowed) as embedder:
        try:
            await embedder.check()
        except Transient as error:
            logger.warning("%s: questions find terms alone and documents wait until it answers", error)
        yield embedder


async def indexing(embed: Embed, shared: Backbone, qdrant: Qdrant) -> list[Loop]:
    """The consumers that write the index; makes the collection of this model and these terms first."""
    model = embed.passages.model
    terms = embed.passages.sparse_version.replace(":", "-")
    collection = f"{COLLECTION_ALIAS}-{model.sha256[:12]}-{terms}"
    spec = CollectionSpec(alias=COLLECTION_ALIAS, collection=collection, dense_dimensions=model.dimensions)
    collections = qdrant.collections()
    await collections.ensure_collection(spec)
    if (read := (await collections.aliases())[COLLECTION_ALIAS]) != collection:
        # What is written to the one would never be found in the other.
        raise Conflict(
            f"the index was made with another embedder, or other terms ({read}, and now {collection}): start with the"
            " former settings, or load the sources into a new data folder"
        )
    writer = qdrant.writer(collection)
    store, vectors = PostgresRevisions(shared.database), PostgresVectors(shared.database)
    tenants = PostgresTenants(shared.database)

    async def all_tenants() -> list[TenantId]:
        return [tenant.id for tenant in await tenants.all()]

    lengths = LengthUpkeep(PostgresTermLengths(shared.database), all_tenants)
    index = Index(TracedWriter(writer), writer)
    stage = IndexStage(store, vectors, embed.passages, index, shared.stages)

    async def chunked(event: StageEvent) -> None:
        lengths.written(event.tenant_id, await stage.chunked(event))

    async def consume_chunked() -> None:
        await shared.bus.consume(CHUNKED, on_stage(chunked))

    async def consume_changed() -> None:
        await shared.bus.consume(CHANGED, on_content(stage.changed))

    async def keep_lengths() -> bool:
        with suppress(Transient):  # a server is away: what is due stays where it is, and the next turn finds it
            return await lengths.turn(stage.chunked)
        return False

    return [consume_chunked, consume_changed, partial(every, LENGTHS_EVERY_S, keep_lengths)]


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """The gateway and its consumers as a process of its own; it answers calls that the platform signed alone."""
    settings = settings_of(platform)
    async with (
        backbone(platform) as shared,
        connect(url=platform.qdrant_url, key=platform.qdrant_key) as qdrant,
        opened(settings) as embed,
    ):
        tenant_of = SignedMetadata(platform.internal_key, shared.clock).tenant
        server = GrpcServerSettings(address=platform.models_url.removeprefix("grpc://"), grace_s=settings.grace_s)
        async with serving(server, [partial(embed.register, tenant_of=tenant_of)]):
            loops = await indexing(embed, shared, qdrant)
            ready.set()
            await run_loops(loops, stop=stop)
