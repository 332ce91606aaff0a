"""Both kinds of embedder keep to the port."""

from collections.abc import AsyncIterator

import pytest

from cortex.adapters.egress import EgressPolicy
from cortex.adapters.embedding.engine import HttpEmbedder
from cortex.adapters.embedding.shapes import OPENAI, TEI
from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.adapters.openai_http import engine_client
from cortex.domain.embedding_engine import Declared, EmbeddingEngine
from cortex.ports.embedder import Embedder
from cortex.testing.embedder import EmbedderContract
from services.embed.scheduler import scheduling
from services.embed.settings import SchedulerSettings
from tests.built_model import built_model
from tests.embedding_engine import DIMENSIONS, MODEL, WordEngine, embedding_engine

DECLARED = Declared(MODEL, "1", DIMENSIONS, tokens_max=256)


class TestBuiltIn(EmbedderContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[Embedder]:
        async with scheduling(OnnxEncoder(built_model()), SchedulerSettings()) as scheduler:
            yield scheduler


class TestOpenAi(EmbedderContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[Embedder]:
        async with (
            embedding_engine(WordEngine()) as server,
            engine_client(EgressPolicy().naming("127.0.0.1")) as client,
        ):
            engine = EmbeddingEngine(f"{server.url}/v1", DECLARED, frozenset({"*"}))
            yield HttpEmbedder(engine, OPENAI, client=client, counter=Tokenizer(built_model().tokenizer_path))


class TestTei(EmbedderContract):
    @pytest.fixture
    async def subject(self) -> AsyncIterator[Embedder]:
        async with (
            embedding_engine(WordEngine()) as server,
            engine_client(EgressPolicy().naming("127.0.0.1")) as client,
        ):
            engine = EmbeddingEngine(server.url, DECLARED, frozenset({"en"}))
            yield HttpEmbedder(engine, TEI, client=client, counter=Tokenizer(built_model().tokenizer_path))
