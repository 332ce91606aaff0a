"""The standard gRPC health check, spoken by hand.

gRPC's own library runs threads that do not go well with the forks of a supervisor, and one call needs little: an
HTTP/2 preface, one request, and the first DATA frame that comes back.
"""

import asyncio
import struct
from dataclasses import dataclass

from cortex.runtime.supervisor.probes import LOOPBACK

_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_END_STREAM, _END_HEADERS = 1, 4
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_FRAME_BYTES_MAX = 16_384
_SERVING = b"\x08\x01"  # HealthCheckResponse{status: SERVING}


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcHealthProbe:
    """Ready when `grpc.health.v1` says SERVING for the service (empty: for the server as a whole)."""

    port: int
    service: str = ""
    timeout_s: float = 2.0

    async def ready(self) -> bool:
        try:
            async with asyncio.timeout(self.timeout_s):
                return await _check(self.port, self.service) == _SERVING
        except (OSError, asyncio.IncompleteReadError):
            return False


async def _check(port: int, service: str) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(_request(f"{LOOPBACK}:{port}", service))
        await writer.drain()
        while True:
            kind, flags, payload = await _read_frame(reader)
            if kind == _DATA:
                return payload[5:]  # after the flag and the length of the message
            if kind == _HEADERS and flags & _END_STREAM:
                return b""  # an error, which comes without a message
    finally:
        writer.close()


def _request(authority: str, service: str) -> bytes:
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": "/grpc.health.v1.Health/Check",
        ":authority": authority,
        "te": "trailers",
        "content-type": "application/grpc",
    }
    name = service.encode()
    message = b"\x0a" + bytes([len(name)]) + name if name else b""
    return b"".join(
        (
            _PREFACE,
            _frame(_SETTINGS, flags=0, stream=0, payload=b""),
            _frame(_HEADERS, flags=_END_HEADERS, stream=1, payload=b"".join(map(_literal, headers.items()))),
            _frame(_DATA, flags=_END_STREAM, stream=1, payload=struct.pack("!BI", 0, len(message)) + message),
        )
    )


def _literal(header: tuple[str, str]) -> bytes:
    """HPACK: never indexed, not compressed. All lengths here fit the 7-bit prefix."""
    return b"\x10" + b"".join(bytes([len(part)]) + part.encode() for part in header)


def _frame(kind: int, *, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + struct.pack("!BBI", kind, flags, stream) + payload


async def _read_frame(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    head = await reader.readexactly(9)
    length = int.from_bytes(head[:3], "big")
    if length > _FRAME_BYTES_MAX:
        raise ConnectionError("not HTTP/2")
    return head[3], head[4], await reader.readexactly(length)
