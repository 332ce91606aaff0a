"""Builds the embed gateway. The loaded model is here; whoever shares its process takes it from `opened`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import grpc

from cortex.adapters.bm25.encoder import Bm25Encoder, Bm25Weights
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.language import LanguageByScript
from cortex.adapters.models_rpc import plain_tenant
from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.package import verify
from cortex.rpc.models.v1 import models_pb2_grpc
from services.embed.passages import PassageEncoder
from services.embed.query import QueryEncoder
from services.embed.rpc import EmbedRpc, TenantOf
from services.embed.scheduler import scheduling
from services.embed.settings import EmbedSettings

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


@asynccontextmanager
async def opened(settings: EmbedSettings) -> AsyncIterator[Embed]:
    """A gateway that has answered once. Invalid when the model is missing or not what was built."""
    package = await asyncio.to_thread(verify, settings.models_dir)
    encoder = await asyncio.to_thread(OnnxEncoder, package)
    languages = LanguageByScript(settings.default_language)
    sparse = Bm25Encoder(ChineseSegmenter(settings.cache_dir), Bm25Weights(average_terms=settings.average_terms))
    async with scheduling(encoder, settings.scheduler) as scheduler:
        queries = QueryEncoder(
            embedder=scheduler, sparse=sparse, languages=languages, characters_max=settings.query_characters_max
        )
        passages = PassageEncoder(
            embedder=scheduler, sparse=sparse, languages=languages, characters_max=settings.passage_characters_max
        )
        await queries.encode(WARM_UP)
        yield Embed(queries, passages, settings.passages_per_call_max)


async def run(settings: EmbedSettings, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """The gateway as a process of its own."""
    server = GrpcServerSettings(address=settings.address, grace_s=settings.grace_s)
    async with opened(settings) as embed, serving(server, [partial(embed.register, tenant_of=plain_tenant)]):
        ready.set()
        await stop.wait()
