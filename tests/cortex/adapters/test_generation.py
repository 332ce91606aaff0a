"""Generation over a real channel: what was asked arrives whole, parts come as they are made, leaving stops it."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from functools import partial

import pytest

from cortex.adapters.generation.client import ContextsClient, GenerationClient
from cortex.adapters.generation.server import Served, register
from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.models_rpc import models_channel
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.domain.answer import Citation, Passage, Sentence, SourceLabel
from cortex.domain.document import Anchor
from cortex.domain.errors import Denied, Exhausted, Transient
from cortex.domain.identity import ChunkId, DocumentId, PersonId, SourceId, TenantId, tenant_id
from cortex.ports.generator import Ending, GenerationRequest, Usage
from cortex.testing.sources import FixedClock

ACME, ANN = tenant_id("acme"), PersonId(uuid.UUID(int=1))
SIGNED = SignedMetadata("key", FixedClock())
ANCHOR = Anchor(3, 1, 4, 20, page=2, message_id="m-1", second=1.5)
PASSAGE = Passage(
    chunk_id=ChunkId(uuid.UUID(int=2)),
    document_id=DocumentId(uuid.UUID(int=3)),
    revision=3,
    title="Leave",
    url="https://wiki.acme.example/leave",
    source=SourceLabel(SourceId(uuid.UUID(int=4)), "files", "wiki"),
    author=None,
    updated_at=datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC),
    language="en",
    heading_path=("People", "Leave"),
    text="Everyone has 31 days.",
    anchors=(ANCHOR, Anchor(3, 2, 0, 4)),
    score=0.75,
    scores={"dense": 0.5},
)
SENTENCE = Sentence("31 days.", (Citation(1, "31 days", PASSAGE.document_id, PASSAGE.chunk_id, ANCHOR),))
ENDING = Ending(abstained=False, reason=None, usage=Usage(12, 3), degraded=("llm",), engine="small")


class Scripted:
    """Implements Generator: one sentence, then whatever `then` waits for, then the ending."""

    def __init__(self) -> None:
        self.asked: list[GenerationRequest] = []
        self.then = asyncio.Event()
        self.closed = asyncio.Event()
        self.failing: Exception | None = None

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        self.asked.append(request)
        try:
            yield SENTENCE
            await self.then.wait()
            if self.failing:
                raise self.failing
            yield ENDING
        finally:
            self.closed.set()


class Contexts:
    """Implements Contextualiser."""

    async def contexts(self, tenant: TenantId, title: str, passages: Sequence[str]) -> list[str]:
        return [f"{tenant == ACME} {title}: {passage}" for passage in passages]


@asynccontextmanager
async def connected(generator: Scripted, signed: SignedMetadata = SIGNED) -> AsyncIterator[GenerationClient]:
    served = partial(register, served=Served(generator, Contexts()), callers=SIGNED, passages_max=2)
    async with (
        serving(GrpcServerSettings(address="127.0.0.1:0", grace_s=0.1), [served]) as port,
        models_channel(f"127.0.0.1:{port}") as channel,
    ):
        yield GenerationClient(channel, sign=signed.sign, timeout_s=10)


@asynccontextmanager
async def contexts(signed: SignedMetadata = SIGNED) -> AsyncIterator[ContextsClient]:
    served = partial(register, served=Served(Scripted(), Contexts()), callers=SIGNED, passages_max=2)
    async with (
        serving(GrpcServerSettings(address="127.0.0.1:0", grace_s=0.1), [served]) as port,
        models_channel(f"127.0.0.1:{port}") as channel,
    ):
        yield ContextsClient(channel, sign=signed.sign, timeout_s=10)


def asked(passages: int = 1) -> GenerationRequest:
    return GenerationRequest(ACME, ANN, "How many days?", [PASSAGE] * passages)


async def test_what_is_asked_and_answered_arrives_as_it_was() -> None:
    generator = Scripted()
    generator.then.set()
    async with connected(generator) as client:
        await client.ping()
        assert [part async for part in client.generate(asked())] == [SENTENCE, ENDING]
    assert generator.asked == [asked()]


async def test_a_sentence_comes_before_the_next_one_is_made() -> None:
    generator = Scripted()
    async with connected(generator) as client, aclosing(client.generate(asked())) as parts:
        assert await anext(parts) == SENTENCE
        generator.then.set()
        assert await anext(parts) == ENDING


async def test_whoever_leaves_stops_it() -> None:
    generator = Scripted()
    async with connected(generator) as client:
        async with aclosing(client.generate(asked())) as parts:
            await anext(parts)
        async with asyncio.timeout(10):
            await generator.closed.wait()


async def test_a_failure_midway_is_the_same_error() -> None:
    generator = Scripted()
    generator.failing = Transient("no engine answers", retry_after_s=2.0)
    generator.then.set()
    async with connected(generator) as client:
        with pytest.raises(Transient, match="no engine answers") as raised:
            assert [part async for part in client.generate(asked())] == []
    assert raised.value.retry_after_s == 2.0


async def test_what_is_not_signed_or_too_much_is_refused() -> None:
    async with connected(Scripted(), SignedMetadata("other", FixedClock())) as client:
        with pytest.raises(Denied):
            await anext(client.generate(asked()))
    async with connected(Scripted()) as client:
        with pytest.raises(Exhausted, match="3 passages"):
            await anext(client.generate(asked(3)))


async def test_contexts_are_for_the_tenant_of_the_call() -> None:
    async with contexts() as client:
        assert await client.contexts(ACME, "Leave", ["a", "b"]) == ["True Leave: a", "True Leave: b"]
        assert (await client.contexts(tenant_id("other"), "Leave", ["a"]))[0].startswith("False")
    async with contexts(SignedMetadata("other", FixedClock())) as client:
        with pytest.raises(Denied):
            await client.contexts(ACME, "Leave", ["a"])


async def test_passages_go_without_context_while_it_is_away() -> None:
    async with models_channel("127.0.0.1:1") as channel:
        client = ContextsClient(channel, sign=SIGNED.sign, timeout_s=0.2)
        assert await client.contexts(ACME, "Leave", ["a", "b"]) == ["", ""]
