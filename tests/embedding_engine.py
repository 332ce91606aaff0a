"""Somebody else's embedder over HTTP, after the published interfaces: OpenAI's `/v1/embeddings`, and `/embed` of TEI.

It knows words alone: a text's vector is the sum of its words' directions. What an interface does not have is refused,
as those engines refuse it.
"""

import asyncio
import base64
import hashlib
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cortex.runtime.http import serving

DIMENSIONS = 24
MODEL = "words-24"


@dataclass
class WordEngine:
    """`statuses` are answered first, one a request; `answer`, if set, instead of vectors; `room` lets requests in.

    `texts_max` is the largest batch, `words_max` the longest text.
    """

    statuses: list[int] = field(default_factory=list)
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: Any = None
    floats: bool = False
    dimensions: int = DIMENSIONS
    texts_max: int = 32
    words_max: int = 10_000
    key: str = ""
    room: asyncio.Semaphore | None = None
    requests: list[list[str]] = field(default_factory=list)
    asked: asyncio.Condition = field(default_factory=asyncio.Condition)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def let_in(self, requests: int) -> None:
        assert self.room is not None
        for _ in range(requests):
            self.room.release()

    async def until_asked(self, times: int) -> list[list[str]]:
        async with self.asked:
            await self.asked.wait_for(lambda: len(self.requests) >= times)
            return list(self.requests)

    async def openai(self, request: Request) -> Response:
        body = await request.json()
        if unknown := body.keys() - {"model", "input", "encoding_format", "dimensions", "user"}:
            return JSONResponse({"error": {"message": f"unknown parameters {unknown}"}}, 400)
        if body["model"] != MODEL:
            return JSONResponse({"error": {"message": "The model does not exist.", "code": "model_not_found"}}, 404)
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if (refusal := await self._refusal(request, texts)) is not None:
            return refusal
        packed = body.get("encoding_format") == "base64" and not self.floats
        rows = [
            {"object": "embedding", "index": n, "embedding": _base64(vector) if packed else vector.tolist()}
            for n, vector in enumerate(map(self.vector, texts))
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        whole = {"object": "list", "data": rows[::-1], "model": MODEL, "usage": usage}
        return JSONResponse(whole if self.answer is None else self.answer)

    async def tei(self, request: Request) -> Response:
        body = await request.json()
        if unknown := body.keys() - {"inputs", "normalize", "truncate", "truncation_direction", "prompt_name"}:
            return JSONResponse({"error": f"unknown field {unknown}", "error_type": "Validation"}, 422)
        texts = [body["inputs"]] if isinstance(body["inputs"], str) else body["inputs"]
        if (refusal := await self._refusal(request, texts)) is not None:
            return refusal
        rows = [self.vector(text).tolist() for text in texts]
        return JSONResponse(rows if self.answer is None else self.answer)

    async def _refusal(self, request: Request, texts: list[str]) -> Response | None:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return JSONResponse({"error": {"message": "Incorrect API key provided."}}, 401)
        async with self.asked:
            self.requests.append(texts)
            self.asked.notify_all()
        if self.room is not None:
            await self.room.acquire()
        if self.statuses:
            return PlainTextResponse(f"secret words, and {texts[0]}", self.statuses.pop(0), headers=dict(self.headers))
        if len(texts) > self.texts_max:
            return JSONResponse({"error": "batch size > maximum allowed batch size", "error_type": "Validation"}, 422)
        if any(len(text.split()) > self.words_max for text in texts):
            return JSONResponse({"error": {"message": "This model's maximum context length is 16 tokens."}}, 400)
        return None

    def vector(self, text: str) -> NDArray[np.float32]:
        """Not of unit length: not every engine makes them so."""
        summed = np.full(self.dimensions, 0.01, np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
            summed += np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return summed


def _base64(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def embedding_engine(engine: WordEngine, *, port: int | None = None) -> AsyncIterator[WordEngine]:
    engine.port = port or free_port()
    routes = [
        Route("/v1/embeddings", engine.openai, methods=["POST"]),
        Route("/embed", engine.tei, methods=["POST"]),
    ]
    async with serving(Starlette(routes=routes), port=engine.port, grace_s=1):
        yield engine
