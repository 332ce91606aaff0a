"""Builds chunking: the tokenizer of the embedder, the language detector, and the consumer of parsed revisions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from cortex.adapters.event_wire import on_stage
from cortex.adapters.generation.client import ContextsClient
from cortex.adapters.models_rpc import models_channel
from cortex.adapters.onnx.package import verify
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.ports.contextualiser import Contextualiser
from cortex.ports.event_bus import Subscription
from cortex.ports.token_counter import TokenCounter
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.lifecycle import Loop, run_loops
from cortex.runtime.settings import PlatformSettings
from services.chunk.consume import ChunkStage
from services.chunk.settings import ChunkLimits

CONTEXTS_S_MAX = 600.0
SUBSCRIPTION = Subscription(
    name="chunk", subjects=("cortex.parsed.*",), concurrency=4, acknowledge_wait_s=30.0, deliveries_max=20
)


@asynccontextmanager
async def opened(limits: ChunkLimits, shared: Backbone, contexts: Contextualiser | None = None) -> AsyncIterator[Loop]:
    """`contexts` None: those of the process at CORTEX_LLM_GATEWAY_URL, if there is one."""
    async with AsyncExitStack() as stack:
        if contexts is None and shared.settings.llm_gateway_url is not None:
            channel = models_channel(shared.settings.address_of_llm_gateway())
            stack.push_async_callback(channel.close)
            signed = SignedMetadata(shared.settings.internal_key, shared.clock)
            contexts = ContextsClient(channel, sign=signed.sign, timeout_s=CONTEXTS_S_MAX)
        yield await _consuming(limits, shared, contexts)


async def _consuming(limits: ChunkLimits, shared: Backbone, contexts: Contextualiser | None) -> Loop:
    stage = ChunkStage(
        PostgresRevisions(shared.database),
        shared.stages,
        counter=await asyncio.to_thread(_counter, shared.settings),
        language_of=lambda text: shared.languages.detect(text).code,
        limits=limits,
        contexts=contexts,
    )

    async def consume() -> None:
        await shared.bus.consume(SUBSCRIPTION, on_stage(stage.handle))

    return consume


def _counter(settings: PlatformSettings) -> TokenCounter:
    """The embedder's; an engine whose tokenizer is not at hand is counted for by the built-in one."""
    return Tokenizer(settings.embedder.tokenizer or verify(settings.models_dir).tokenizer_path)


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """Chunking as a process of its own."""
    async with backbone(platform) as shared, opened(ChunkLimits(), shared) as consume:
        ready.set()
        await run_loops([consume], stop=stop)
