"""A qdrant_edge server of the test's own, in a process that may be killed."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

KEY = "a key for tests"
READY = re.compile(r"ready: grpc (\S+):(\d+) http (\S+)")


def write_key(folder: Path) -> Path:
    """The key file, made if it is not there."""
    path = folder / "key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(KEY)
    return path


async def spawn(folder: Path, *, port: int = 0, options: Sequence[str] = ()) -> asyncio.subprocess.Process:
    arguments = ["--data", folder / "data", "--port", port, "--http-port", 0, "--key-file", write_key(folder), *options]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "error",
        "-m",
        "cortex.adapters.qdrant_edge",
        *map(str, arguments),
        stderr=asyncio.subprocess.PIPE,
    )


@dataclass(slots=True)
class EdgeProcess:
    """A running server; `port` stays the same over restarts."""

    folder: Path
    process: asyncio.subprocess.Process
    port: int
    http: str
    options: Sequence[str] = ()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def kill(self) -> None:
        self.process.kill()
        await self.process.communicate()

    async def terminate(self) -> tuple[int, str]:
        """The exit code and what was logged since it was ready."""
        if self.process.returncode is None:
            self.process.terminate()
        _, log = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, log.decode()

    async def logged(self, text: str) -> str:
        """The next line of the log that holds `text`."""
        assert self.process.stderr is not None
        while line := (await self.process.stderr.readline()).decode():
            if text in line:
                return line
        raise AssertionError(f"the server ended without saying {text!r}")

    async def restart(self) -> None:
        self.process = await spawn(self.folder, port=self.port, options=self.options)
        self.port, self.http = await _ready(self.process)


async def _ready(process: asyncio.subprocess.Process) -> tuple[int, str]:
    assert process.stderr is not None
    seen = []
    while line := (await process.stderr.readline()).decode():
        seen.append(line)
        if match := READY.search(line):
            return int(match[2]), match[3]
    await process.wait()
    raise AssertionError(f"the server ended with {process.returncode}:\n{''.join(seen)}")


@asynccontextmanager
async def edge_process(folder: Path, *, options: Sequence[str] = ()) -> AsyncIterator[EdgeProcess]:
    process = await spawn(folder, options=options)
    port, http = await _ready(process)
    edge = EdgeProcess(folder, process, port, http, options)
    try:
        yield edge
    finally:
        if edge.process.returncode is None:
            await edge.kill()
