"""Somebody else's engine: OpenAI's API over HTTP, that writes what a test tells it to, when it tells it to."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from cortex.runtime.http import serving


@dataclass
class ScriptedEngine:
    """`pieces` are its answer; `room`, if set, lets out one piece a release; `breaks_after` so many it is cut off.

    `raw` are lines to send instead of events. `left` is set when whoever asked is gone.
    """

    pieces: Sequence[str] = ("Everyone has 31 days.", " [1]")
    status: int = 200
    usage: dict[str, int] | None = field(default_factory=lambda: {"prompt_tokens": 12, "completion_tokens": 5})
    room: asyncio.Semaphore | None = None
    breaks_after: int | None = None
    raw: Sequence[bytes] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[Any] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    sent: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def complete(self, request: Request) -> Response:
        self.requests.append(await request.json())
        self.asked.set()
        self.keys.append(request.headers.get("authorization"))
        if self.status != 200:
            return PlainTextResponse("secret words of the engine", self.status, headers=self.headers)
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[bytes]:
        try:
            if self.raw is not None:
                for line in self.raw:
                    yield line
                return
            for number, piece in enumerate(self.pieces):
                if number == self.breaks_after:
                    return
                if self.room is not None:
                    await self.room.acquire()
                self.sent += 1
                yield event({"choices": [{"delta": {"content": piece}, "finish_reason": None}]})
            if self.breaks_after is not None:
                return
            yield event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
            if self.usage is not None:
                yield event({"choices": [], "usage": self.usage})
            yield b"data: [DONE]\n\n"
        except asyncio.CancelledError:
            self.left.set()
            raise


def engines_file(folder: Path, port: int) -> Path:
    """What CORTEX_ENGINES_FILE names, with one engine `small` on that port."""
    path = folder / "engines.json"
    engine = {"name": "small", "url": f"http://127.0.0.1:{port}/v1", "model": "tiny"}
    path.write_text(json.dumps({"engines": [engine]}))
    return path


def event(body: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


@asynccontextmanager
async def engine_on(engine: ScriptedEngine, port: int) -> AsyncIterator[ScriptedEngine]:
    engine.port = port
    app = Starlette(routes=[Route("/v1/chat/completions", engine.complete, methods=["POST"])])
    async with serving(app, port=port, grace_s=1):
        yield engine
