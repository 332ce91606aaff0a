"""What may stand between a browser and the gateway: a wire that breaks, or stalls, in the middle of an answer."""

import socket
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from urllib.parse import urlsplit

PIECE = 65_536
PATIENCE_S = 60.0
# The responses that are streams of an answer's events.
_STREAMS = (b"POST /v1/chat ", b"GET /v1/answers/")


@dataclass(frozen=True, slots=True)
class _Trouble:
    """`stalled` None: the wire breaks. Otherwise nothing passes until it is set."""

    marker: bytes
    further: int
    stalled: Event | None


@dataclass
class _Wire:
    """One connection of a browser."""

    down: socket.socket
    up: socket.socket
    trouble: _Trouble | None = None
    seen: bytearray = field(default_factory=bytearray)
    passed: int = 0


class Between(socketserver.ThreadingTCPServer):
    """Passes bytes on in both directions. Each trouble befalls one stream, in the order in which they were told."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, gateway: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.gateway = (urlsplit(gateway).hostname or "", urlsplit(gateway).port or 0)
        self.troubles: SimpleQueue[_Trouble] = SimpleQueue()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def cut(self, marker: str, *, further: int = 0) -> None:
        """Breaks the wire so many bytes after the next stream has shown `marker`."""
        self.troubles.put(_Trouble(marker.encode(), further, None))

    def stall(self, marker: str, *, further: int = 0) -> Event:
        """Holds the rest of the next stream back, until the event is set; with no marker, what asks for it already."""
        stalled = Event()
        self.troubles.put(_Trouble(marker.encode(), further, stalled))
        return stalled


class _Handler(socketserver.BaseRequestHandler):
    server: Between

    def handle(self) -> None:
        with suppress(OSError), socket.create_connection(self.server.gateway) as up:
            wire = _Wire(self.request, up)
            Thread(target=self._requests, args=(wire,), daemon=True).start()
            while (piece := up.recv(PIECE)) and self._responded(wire, piece):
                pass

    def _requests(self, wire: _Wire) -> None:
        with suppress(OSError):
            while piece := wire.down.recv(PIECE):
                if piece.startswith(_STREAMS) and wire.trouble is None:
                    with suppress(Empty):
                        wire.trouble = self.server.troubles.get_nowait()
                    wire.seen.clear()
                    wire.passed = 0
                    _asked_late(wire)
                wire.up.sendall(piece)
            wire.up.shutdown(socket.SHUT_WR)

    def _responded(self, wire: _Wire, piece: bytes) -> bool:
        """False once the wire is broken."""
        trouble = wire.trouble
        if trouble is None:
            wire.down.sendall(piece)
            return True
        wire.seen += piece
        found = wire.seen.find(trouble.marker)
        end = found + len(trouble.marker) + trouble.further
        reached = found >= 0 and len(wire.seen) >= end
        wire.down.sendall(wire.seen[wire.passed : end if reached else None])
        wire.passed = len(wire.seen)
        if not reached:
            return True
        wire.trouble = None
        if trouble.stalled is None:
            _broken(wire.down)
            return False
        trouble.stalled.wait(PATIENCE_S)
        wire.down.sendall(wire.seen[end:])
        return True


def _asked_late(wire: _Wire) -> None:
    if wire.trouble is not None and wire.trouble.stalled is not None and not wire.trouble.marker:
        wire.trouble.stalled.wait(PATIENCE_S)
        wire.trouble = None


def _broken(connection: socket.socket) -> None:
    """What was passed on arrives, and no more: closed at once, what the browser had not read yet would be lost."""
    connection.shutdown(socket.SHUT_WR)
    with suppress(OSError):
        while connection.recv(PIECE):
            pass
    connection.close()


@contextmanager
def between(gateway: str) -> Iterator[Between]:
    server = Between(gateway)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
