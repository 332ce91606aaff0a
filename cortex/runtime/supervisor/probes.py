"""Readiness probes. Each makes one short try; the keeper repeats them."""

import asyncio
from dataclasses import dataclass

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeProbe:
    """Sends bytes and wants an answer that begins with others: enough for protocols that greet or ping."""

    port: int
    send: bytes = b""
    expect: bytes = b""
    timeout_s: float = 2.0

    async def ready(self) -> bool:
        try:
            async with asyncio.timeout(self.timeout_s):
                return await _exchange(self.port, self.send, expect=self.expect) == self.expect
        except (OSError, asyncio.IncompleteReadError):  # a timeout is an OSError too
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpProbe:
    """The port takes a connection. Right for servers that listen only when they are complete."""

    port: int

    async def ready(self) -> bool:
        return await ExchangeProbe(port=self.port).ready()


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpProbe:
    """`GET path` answers 200."""

    port: int
    path: str = "/readyz"
    timeout_s: float = 5.0

    async def ready(self) -> bool:
        request = f"GET {self.path} HTTP/1.0\r\nHost: {LOOPBACK}:{self.port}\r\nConnection: close\r\n\r\n"
        try:
            async with asyncio.timeout(self.timeout_s):
                head = await _exchange(self.port, request.encode(), expect=b"HTTP/1.x 200")
        except (OSError, asyncio.IncompleteReadError):
            return False
        return head.endswith(b" 200")


async def _exchange(port: int, send: bytes, *, expect: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(send)
        await writer.drain()
        return await reader.readexactly(len(expect))
    finally:
        writer.close()
