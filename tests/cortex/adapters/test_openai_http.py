"""An engine over real HTTP: its pieces as they come, its failures as errors of ours, its key and nothing else shown."""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from cortex.adapters.egress import EgressPolicy
from cortex.adapters.openai_http import BODY_BYTES_MAX, FreshWriter, OpenAiWriter, engine_client
from cortex.domain.engine import Engine, EngineSpec
from cortex.domain.errors import CortexError, Denied, Invalid, Transient
from cortex.ports.engine import Message
from cortex.ports.generator import Usage
from tests.openai_engine import ScriptedEngine, engine_on, event

MESSAGES = [Message("system", "Be brief."), Message("user", "How many days?")]
LOOPBACK = EgressPolicy.parsed(["127.0.0.1"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def at(engine: ScriptedEngine, key: str | None = None, **bounds: float) -> Engine:
    return Engine(EngineSpec("small", engine.url, "tiny-1", **bounds), key)  # type: ignore[arg-type]


@asynccontextmanager
async def serving_engine(engine: ScriptedEngine) -> AsyncIterator[OpenAiWriter]:
    async with engine_on(engine, free_port()), engine_client(LOOPBACK) as client:
        yield OpenAiWriter(client)


async def test_pieces_come_in_order_and_what_was_used_last() -> None:
    engine = ScriptedEngine()
    async with serving_engine(engine) as writer:
        parts = [part async for part in writer.write(at(engine, "sk-1"), MESSAGES)]
    assert parts == ["Everyone has 31 days.", " [1]", Usage(12, 5)]
    (asked,) = engine.requests
    assert (asked["model"], asked["stream"], asked["temperature"], asked["max_tokens"]) == ("tiny-1", True, 0, 512)
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    assert "tools" not in asked
    assert engine.keys == ["Bearer sk-1"]


async def test_a_piece_comes_before_the_next_one_is_written() -> None:
    engine = ScriptedEngine(room=asyncio.Semaphore(1))
    async with serving_engine(engine) as writer, aclosing(writer.write(at(engine), MESSAGES)) as parts:
        assert await anext(parts) == "Everyone has 31 days."
        assert engine.sent == 1


async def test_whoever_leaves_ends_the_call() -> None:
    engine = ScriptedEngine(room=asyncio.Semaphore(1))
    async with serving_engine(engine) as writer:
        async with aclosing(writer.write(at(engine), MESSAGES)) as parts:
            await anext(parts)
        async with asyncio.timeout(10):
            await engine.left.wait()


async def test_whoever_leaves_before_the_first_piece_ends_the_call() -> None:
    engine = ScriptedEngine(room=asyncio.Semaphore(0))
    async with serving_engine(engine) as writer, aclosing(writer.write(at(engine), MESSAGES)) as parts:
        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(_first(parts))
            await engine.asked.wait()
            waiting.cancel()
        async with asyncio.timeout(10):
            await engine.left.wait()


async def _first(parts: AsyncGenerator[str | Usage, None]) -> str | Usage:
    return await anext(parts)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, Denied),
        (403, Denied),
        (404, Invalid),
        (400, Invalid),
        (302, Invalid),
        (429, Transient),
        (500, Transient),
        (503, Transient),
    ],
)
async def test_a_refusal_is_an_error_of_ours_without_the_engines_words(status: int, error: type[CortexError]) -> None:
    engine = ScriptedEngine(status=status, headers={"Location": "http://127.0.0.1:1/v1"} if status == 302 else {})
    async with serving_engine(engine) as writer:
        with pytest.raises(error) as raised:
            await anext(writer.write(at(engine, "sk-1"), MESSAGES))
    assert "secret words" not in str(raised.value)
    assert "sk-1" not in str(raised.value)
    assert len(engine.requests) == 1


async def test_an_answer_that_breaks_off_is_no_whole_answer() -> None:
    engine = ScriptedEngine(breaks_after=1)
    async with serving_engine(engine) as writer, aclosing(writer.write(at(engine), MESSAGES)) as parts:
        assert await anext(parts) == "Everyone has 31 days."
        with pytest.raises(Transient, match="broke off"):
            await anext(parts)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([b"data: no json\n\n"], "form"),
        ([b"data: []\n\n"], "midway"),
        ([event({"error": {"message": "out of memory"}})], "midway"),
        ([event({"choices": [7]})], "form"),
        ([b"data: " + b"x" * (BODY_BYTES_MAX // 8)] * 9, "too large"),
    ],
)
async def test_what_is_no_answer_is_refused(raw: list[bytes], message: str) -> None:
    engine = ScriptedEngine(raw=raw)
    async with serving_engine(engine) as writer:
        with pytest.raises(Transient, match=message):
            assert [part async for part in writer.write(at(engine), MESSAGES)] == []


async def test_comments_and_an_end_without_a_mark_are_fine() -> None:
    end = event({"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]})
    engine = ScriptedEngine(raw=[b": still here\n\n", b"event: x\n", end[:9], end[9:]])
    async with serving_engine(engine) as writer:
        assert [part async for part in writer.write(at(engine), MESSAGES)] == ["Yes."]


@pytest.mark.parametrize("sent", [0, 1])
async def test_an_engine_that_is_late_or_goes_quiet_is_given_up(sent: int) -> None:
    engine = ScriptedEngine(room=asyncio.Semaphore(sent))
    first_s = 0.1 if sent == 0 else 30.0
    async with serving_engine(engine) as writer:
        late = at(engine, first_token_s_max=first_s, silence_s_max=0.1)
        with pytest.raises(Transient, match="no answer in time"):
            assert len([part async for part in writer.write(late, MESSAGES)]) == sent


async def test_an_engine_that_is_away_says_so() -> None:
    engine = ScriptedEngine(port=free_port())
    async with engine_client(LOOPBACK) as client:
        with pytest.raises(Transient, match="engine small"):
            await anext(OpenAiWriter(client).write(at(engine), MESSAGES))


async def test_one_call_may_have_a_connection_of_its_own() -> None:
    engine = ScriptedEngine()
    async with engine_on(engine, free_port()):
        assert len([part async for part in FreshWriter(LOOPBACK).write(at(engine), MESSAGES)]) == 3
        with pytest.raises(Denied):
            await anext(FreshWriter(EgressPolicy()).write(at(engine), MESSAGES))


async def test_only_the_operators_engines_may_stand_inside() -> None:
    """A tenant's administrator names an address; it must be public, or the operator must allow it."""
    engine = ScriptedEngine()
    async with (
        engine_on(engine, free_port()),
        engine_client(EgressPolicy()) as public,
        engine_client(LOOPBACK) as own,
    ):
        writer = OpenAiWriter(public, operated=own)
        with pytest.raises(Denied, match="CORTEX_EGRESS_ALLOWED"):
            await anext(writer.write(at(engine), MESSAGES))
        assert engine.requests == []
        operated = Engine(at(engine).spec, operated=True)
        assert len([part async for part in writer.write(operated, MESSAGES)]) == 3
