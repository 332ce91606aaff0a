"""Engines that speak OpenAI's HTTP API: vLLM, SGLang, Ollama, llama.cpp, and hosted ones."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import httpx

from cortex.adapters.egress import EgressPolicy, GuardedTransport
from cortex.domain.engine import Engine
from cortex.domain.errors import CortexError, Denied, Invalid, Transient
from cortex.ports.engine import Message
from cortex.ports.generator import Usage

CONNECT_S_MAX = 5.0
LINE_BYTES_MAX = 256 * 1024
BODY_BYTES_MAX = 8 * 1024 * 1024
RETRY_AFTER_S = 5.0
_DATA, _DONE = b"data:", b"[DONE]"


def engine_client(policy: EgressPolicy) -> httpx.AsyncClient:
    """Past any proxy, to permitted addresses alone, and following nothing: a key goes where it was meant to."""
    transport = GuardedTransport(policy, httpx.AsyncHTTPTransport(trust_env=False))
    return httpx.AsyncClient(transport=transport, trust_env=False, follow_redirects=False)


@dataclass(frozen=True, slots=True)
class _Event:
    text: str = ""
    usage: Usage | None = None
    last: bool = False


class OpenAiWriter:
    """Implements Writer. An engine's own words of failure are not repeated: they may hold what it was asked."""

    def __init__(self, client: httpx.AsyncClient, *, operated: httpx.AsyncClient | None = None) -> None:
        """`operated` is for the operator's engines, which may stand anywhere; `client` for those of tenants."""
        self._client = client
        self._operated = operated or client

    async def write(self, engine: Engine, messages: Sequence[Message]) -> AsyncGenerator[str | Usage, None]:
        spec, finished = engine.spec, False
        try:
            async with asyncio.timeout(spec.first_token_s_max):
                client = self._operated if engine.operated else self._client
                response = await client.send(_request(client, engine, messages), stream=True)
            try:
                _refuse(spec.name, response.status_code)
                limit_s = spec.first_token_s_max
                async with aclosing(_data_lines(spec.name, response.aiter_bytes())) as lines:
                    while True:
                        # Only the engine's time counts, and not that of whoever reads.
                        async with asyncio.timeout(limit_s):
                            line = await anext(lines, _DONE if finished else b"")
                        if line == _DONE:
                            return
                        event = _event(spec.name, line)
                        if event.text:
                            limit_s = spec.silence_s_max
                            yield event.text
                        if event.usage is not None:
                            yield event.usage
                        finished = finished or event.last
            finally:
                await response.aclose()
        except TimeoutError as error:
            raise _unavailable(spec.name, "no answer in time") from error
        except httpx.HTTPError as error:
            raise _unavailable(spec.name, type(error).__name__) from error


class FreshWriter:
    """Implements Writer with a connection of its own for each call: for one that is seldom made."""

    def __init__(self, policy: EgressPolicy) -> None:
        self._policy = policy

    async def write(self, engine: Engine, messages: Sequence[Message]) -> AsyncGenerator[str | Usage, None]:
        async with (
            engine_client(self._policy) as client,
            aclosing(OpenAiWriter(client).write(engine, messages)) as pieces,
        ):
            async for piece in pieces:
                yield piece


def _request(client: httpx.AsyncClient, engine: Engine, messages: Sequence[Message]) -> httpx.Request:
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
    if engine.key:
        headers["Authorization"] = f"Bearer {engine.key}"
    body = {
        "model": engine.spec.model,
        "messages": [{"role": message.role, "content": message.text} for message in messages],
        "max_tokens": engine.spec.answer_tokens_max,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    url = f"{engine.spec.url.rstrip('/')}/chat/completions"
    timeout = httpx.Timeout(None, connect=CONNECT_S_MAX)
    return client.build_request("POST", url, json=body, headers=headers, timeout=timeout)


def _unavailable(name: str, why: str) -> Transient:
    return Transient(f"engine {name}: {why}", retry_after_s=RETRY_AFTER_S)


def _refuse(name: str, status: int) -> None:
    if status == 200:
        return
    error: CortexError = Invalid(f"engine {name}: status {status}")
    if status in (401, 403):
        error = Denied(f"engine {name}: the key is refused (status {status})")
    elif status in (408, 409, 425, 429) or status >= 500:
        error = _unavailable(name, f"status {status}")
    raise error


async def _data_lines(name: str, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """What stands behind `data:`, line by line, in bounded memory."""
    rest, read = b"", 0
    async for chunk in chunks:
        read += len(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        if read > BODY_BYTES_MAX or len(rest) > LINE_BYTES_MAX:
            raise _unavailable(name, "the answer is too large")
        for line in lines:
            if line.startswith(_DATA):
                yield line.removeprefix(_DATA).strip()


def _event(name: str, line: bytes) -> _Event:
    """Raises Transient for what breaks off, fails midway, or is no event at all."""
    if not line:
        raise _unavailable(name, "the answer broke off")
    try:
        found = json.loads(line)
        if not isinstance(found, dict) or found.get("error"):
            raise _unavailable(name, "it failed midway")
        choices = found.get("choices") or [{}]
        text = (choices[0].get("delta") or {}).get("content")
        return _Event(
            text=text if isinstance(text, str) else "",
            usage=_usage(found.get("usage")),
            last=choices[0].get("finish_reason") is not None,
        )
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise _unavailable(name, "the answer is not of OpenAI's form") from error


def _usage(found: object) -> Usage | None:
    if not isinstance(found, Mapping):
        return None
    return Usage(int(found.get("prompt_tokens") or 0), int(found.get("completion_tokens") or 0))
