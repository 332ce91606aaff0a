"""Reads a response piece by piece, as a client at the end of a wire would, or does not read at all."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI
from starlette.types import Message, Scope

from tests.services.query_gateway.fakes import auth


@dataclass(frozen=True)
class Event:
    id: int
    type: str
    data: str

    @property
    def json(self) -> Any:
        return json.loads(self.data)


def parse(text: str) -> list[Event]:
    """Events of a whole stream; comments are skipped."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append(Event(int(fields["id"]), fields["event"], fields["data"]))
    return found


@dataclass
class Stream:
    """One request in a task of its own. `room` bounds how many pieces the client takes without asking."""

    pieces: asyncio.Queue[bytes]
    status: asyncio.Future[int]
    headers: dict[str, str] = field(default_factory=dict)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    served: asyncio.Event = field(default_factory=asyncio.Event)
    comments: int = 0
    _rest: str = ""

    async def event(self) -> Event:
        """The next event; comments are counted."""
        while True:
            block = await self._block()
            if block.startswith(":"):
                self.comments += 1
                continue
            return parse(block)[0]

    async def rest(self) -> list[Event]:
        found = []
        while True:
            try:
                found.append(await self.event())
            except EOFError:
                return found

    async def _block(self) -> str:
        while "\n\n" not in self._rest:
            piece = await self.pieces.get()
            if not piece:
                raise EOFError
            self._rest += piece.decode()
        block, self._rest = self._rest.split("\n\n", 1)
        return block


@asynccontextmanager
async def opened(
    app: FastAPI,
    method: str,
    path: str,
    *,
    body: object = None,
    name: str = "ann",
    headers: dict[str, str] | None = None,
    room: int = 0,
) -> AsyncIterator[Stream]:
    """`room` 0 takes everything at once. Leaving the block is what a client does that closes its connection."""
    loop = asyncio.get_running_loop()
    stream = Stream(asyncio.Queue(room), loop.create_future())
    raw = json.dumps(body).encode() if body is not None else b""
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": raw, "more_body": False}
        await stream.left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            stream.headers.update({k.decode(): v.decode() for k, v in message["headers"]})
            stream.status.set_result(message["status"])
        elif message.get("body"):
            await stream.pieces.put(message["body"])

    scope = _scope(method, path, auth(name) | (headers or {}) | {"Content-Length": str(len(raw))})

    async def serve() -> None:
        await app(scope, receive, send)
        stream.served.set()
        await stream.pieces.put(b"")

    async with asyncio.TaskGroup() as group:
        task = group.create_task(serve())
        try:
            yield stream
        finally:
            stream.left.set()
            if room:
                task.cancel()


def _scope(method: str, path: str, headers: dict[str, str]) -> Scope:
    fields = {"host": "127.0.0.1", "content-type": "application/json"}
    fields |= {key.lower(): value for key, value in headers.items()}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(key.encode(), value.encode()) for key, value in fields.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8080),
    }
