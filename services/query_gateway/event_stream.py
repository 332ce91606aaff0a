"""The response that carries server-sent events, and cuts off a reader who does not read."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import StreamingResponse
from starlette.types import Send

from cortex.domain.identity import AnswerId

log = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Every write is bounded by `slow_reader_s`; the generator is closed whichever way the stream ends.

    The head says where an `answer` is resumed, should the connection be cut before its first event arrives.
    """

    media_type = "text/event-stream"

    def __init__(
        self, events: AsyncGenerator[bytes, None], *, slow_reader_s: float, answer: AnswerId | None = None
    ) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if answer is not None:
            headers["Content-Location"] = f"/v1/answers/{answer}/stream"
        super().__init__(events, headers=headers)
        self._events = events
        self._slow_reader_s = slow_reader_s

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self._events) as events:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            try:
                async for data in events:
                    async with asyncio.timeout(self._slow_reader_s):
                        await send({"type": "http.response.body", "body": data, "more_body": True})
            except TimeoutError:
                log.info("a reader of a stream was too slow and was cut off")
                return
            await send({"type": "http.response.body", "body": b"", "more_body": False})
