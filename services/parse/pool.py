"""Parsing in child processes that may be killed."""

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import sys
from types import TracebackType
from typing import Self

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import Bug, Exhausted, Transient
from services.parse import wire
from services.parse.child import EXIT_FAILED
from services.parse.dispatch import shown
from services.parse.settings import ParseSettings

REPLY_BYTES_PER_CHARACTER = 6
REPLY_BYTES_SPARE = 16 * 1024 * 1024
THREAD_BYTES_MIN = 512 * 1024
ATTEMPTS = 2
END_S = 2.0


class ParserPool:
    """Implements `cortex.ports.parser.Parser`. Use as an asynchronous context manager; leaving it leaves no process.

    At most `processes` documents are parsed at a time; further calls wait their turn. Children start when first needed
    and are replaced after `documents_per_child` documents, and after any call that did not end with their reply.
    """

    def __init__(self, settings: ParseSettings, *, child_module: str = "services.parse.child") -> None:
        self._settings = settings
        self._child_module = child_module
        self._slots: asyncio.LifoQueue[_Child | None] = asyncio.LifoQueue()
        for _ in range(settings.pool.processes):
            self._slots.put_nowait(None)
        self._children: list[_Child] = []
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        for child in self._children:
            child.kill()
        for child in self._children:
            await child.ended()

    @property
    def process_ids(self) -> tuple[int, ...]:
        """Of the children that live, for whoever watches memory."""
        return tuple(child.process_id for child in self._children if child.alive)

    async def parse(self, data: bytes, *, name: str, mime: str | None = None) -> ParsedDocument:
        """See the port. Raises Transient as well: the machine has no room for a process, or the pool is closing."""
        bytes_max = self._settings.limits.bytes_max
        if len(data) > bytes_max:
            raise Exhausted(f"{shown(name)}: has {len(data):,} bytes, more than {bytes_max:,} (bytes_max); split it")
        for _ in range(ATTEMPTS - 1):
            # Somebody else may have killed it: an operator, or the kernel on another process's account.
            with contextlib.suppress(_DiedError):
                return await self._attempt(data, name, mime)
        try:
            return await self._attempt(data, name, mime)
        except _DiedError as error:
            raise Exhausted(f"{shown(name)}: {error}") from error

    async def _attempt(self, data: bytes, name: str, mime: str | None) -> ParsedDocument:
        child = await self._slots.get()
        try:
            child = child if child and child.alive else await self._start()
            reply = await self._ask(child, data, name, mime)
        finally:
            if child and (not child.idle or child.documents >= self._settings.pool.documents_per_child):
                child.kill()
                child = None
            self._slots.put_nowait(child)
        return await _decode(reply)

    async def _start(self) -> "_Child":
        if self._closed:
            raise Transient("the parser pool is closing")
        self._children = [child for child in self._children if child.alive]
        child = await _Child.start(self._settings, self._child_module)
        self._children.append(child)
        return child

    async def _ask(self, child: "_Child", data: bytes, name: str, mime: str | None) -> bytes:
        settings = self._settings.pool
        try:
            async with asyncio.timeout(settings.wall_s):
                return await child.ask(data, name, mime)
        except TimeoutError as error:
            raise Exhausted(f"{shown(name)}: takes longer than {settings.wall_s:g} s to parse (wall_s)") from error
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            status = await child.ended()
            if status == -signal.SIGXCPU:
                limit = f"{settings.cpu_s} s of processor time (cpu_s)"
                raise Exhausted(f"{shown(name)}: needs more than {limit} to parse") from error
            if status == EXIT_FAILED:
                raise Bug(f"{shown(name)}: the parser failed; the log of the workers names the place") from error
            raise _DiedError(status) from error


async def _decode(reply: bytes) -> ParsedDocument:
    """Large documents in a thread, since JSON takes long enough to be felt."""
    if len(reply) > THREAD_BYTES_MIN:
        return await asyncio.to_thread(wire.decode_document, reply)
    return wire.decode_document(reply)


class _DiedError(Exception):
    """A child that ended without a reply, for a reason that its exit status does not tell."""

    def __init__(self, status: int) -> None:
        cause = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        super().__init__(f"its parser process died ({cause}), as when memory runs out (memory_bytes_max)")


class _Child:
    """One process. `idle` is false from a request until its reply has been read whole, and after its last reply."""

    def __init__(self, process: asyncio.subprocess.Process, reply_bytes_max: int) -> None:
        self._process = process
        self._reply_bytes_max = reply_bytes_max
        self.idle = True
        self.documents = 0

    @classmethod
    async def start(cls, settings: ParseSettings, module: str) -> Self:
        """Returns when the child is ready, so that its start counts against no document."""
        pool = settings.pool
        told = {
            "limits": dataclasses.asdict(settings.limits),
            "memory_bytes_max": pool.memory_bytes_max,
            "memory_bytes_kept": pool.memory_bytes_kept,
            "cpu_s": pool.cpu_s,
        }
        arguments = ["-m", module, str(os.getpid()), json.dumps(told)]
        # Nothing of our environment: it holds addresses with passwords, and files come from strangers.
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *arguments, stdin=pipe, stdout=pipe, env=environment
            )
        except OSError as error:
            raise Transient("no parser process can be started") from error
        child = cls(process, settings.limits.characters_max * REPLY_BYTES_PER_CHARACTER + REPLY_BYTES_SPARE)
        ready = False
        try:
            async with asyncio.timeout(pool.start_s):
                await child._reply()
            ready = True
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
            raise Transient("a parser process did not start; see the log") from error
        finally:
            if not ready:
                child.kill()
        return child

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, data: bytes, name: str, mime: str | None) -> bytes:
        """The body of the reply. Raises what the child raised; IncompleteReadError or ConnectionError when it died."""
        requests = self._process.stdin
        if requests is None:
            raise Bug("a child without standard input")
        self.idle = False
        self.documents += 1
        requests.write(wire.frame_start({"name": name, "mime": mime}, len(data)))
        requests.write(data)
        await requests.drain()
        head, body = await self._reply()
        # A child that leaves is as one at work: not to be asked again.
        self.idle = "last" not in head
        wire.raise_error(head)
        return body

    async def _reply(self) -> tuple[wire.Head, bytes]:
        replies = self._process.stdout
        if replies is None:
            raise Bug("a child without standard output")
        prefix = await replies.readexactly(wire.PREFIX.size)
        head_bytes, body_bytes = wire.lengths(prefix, body_bytes_max=self._reply_bytes_max)
        head = json.loads(await replies.readexactly(head_bytes))
        return head, await replies.readexactly(body_bytes)

    def kill(self) -> None:
        """At once, and without waiting; `ended` waits."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def ended(self) -> int:
        """The exit status, as `Process.returncode` gives it. One that only closed its pipes is killed soon."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                return await self._process.wait()
        self.kill()
        return await self._process.wait()
