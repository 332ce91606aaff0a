"""The same over a real server and real connections: what proxies and browsers meet."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from cortex.runtime.http import serving
from services.query_gateway.settings import AnswerSettings, Settings
from tests.services.query_gateway.fakes import auth
from tests.services.query_gateway.streams import parse
from tests.services.query_gateway.world import World

HOST = "127.0.0.1"
MEGABYTE = 1_000_000


class Watched:
    """Tells when a request of `path` is over, as the server sees it."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app = app
        self._path = path
        self.over = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
        if scope.get("path") == self._path:
            self.over.set()


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[int]:
    """The port of a server on loopback."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
    async with serving(app, port=port):
        yield port


def client_at(port: int) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=f"http://{HOST}:{port}", headers=auth("ann"))


async def test_a_closed_connection_is_resumed_where_it_broke_off() -> None:
    world = World()
    world.many(3)
    world.generator.gate = asyncio.Semaphore(0)
    async with served(world.app()) as port, client_at(port) as client:
        first = ""
        async with client.stream("POST", "/v1/chat", json={"question": "What number?"}) as response:
            async for text in response.aiter_text():
                first += text
                if "event: sources" in first:
                    break
        for _ in range(3):
            world.generator.gate.release()
        seen = parse(first)
        answer = seen[0].json["answer_id"]
        rest = await client.get(f"/v1/answers/{answer}/stream", headers={"Last-Event-ID": str(seen[-1].id)})
    assert [event.id for event in seen + parse(rest.text)] == list(range(1, 10))


async def test_a_client_that_stops_reading_is_cut_off_and_others_are_served() -> None:
    world = World(Settings(answer=AnswerSettings(slow_reader_s=0.1, context_characters=50 * MEGABYTE)))
    for n in range(12):
        world.add(f"long-{n}", f"Text {n}. " + "-" * MEGABYTE)
    app = Watched(world.app(), "/v1/chat")
    async with served(app) as port:
        reader, writer = await asyncio.open_connection(HOST, port, limit=1024)
        body = json.dumps({"question": "What number?"}).encode()
        head = f"POST /v1/chat HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer ann\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        await writer.drain()
        await app.over.wait()
        async with client_at(port) as client:
            assert (await client.get("/healthz")).status_code == 200
        received = 0
        while piece := await reader.read(MEGABYTE):
            received += len(piece)
        writer.close()
    assert world.answers.ended.is_set()
    assert received < 12 * MEGABYTE
