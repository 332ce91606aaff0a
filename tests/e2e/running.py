"""One whole platform for a run of tests: every server and role, in a thread of its own, gone at the end."""

import asyncio
import os
import random
import signal
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from cortex.adapters.onnx.package import MANIFEST_FILE, MODEL_FOLDER
from cortex.adapters.processes import is_running
from cortex.domain.errors import Transient
from cortex.runtime.local import PlatformOptions, record
from cortex.runtime.local import platform as local_platform
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.ports import is_free
from cortex.runtime.local.record import ProcessRecord, RuntimeRecord
from tests.built_model import built_model
from tests.e2e.provider import identity_provider
from tests.e2e.waiting import eventually
from tests.otlp import Collector, listening

START_TIMEOUT_S = 120.0
RUNNING_ALREADY = "CORTEX_TEST_DATA"
"""The data folder of a platform that runs already: saves its start while tests are being written."""
_CHECKOUT_MODELS = Path(__file__).parents[2] / ".cortex" / "models"
_PORTS = range(18_080, 28_080)  # below those that the kernel gives to clients


@dataclass(frozen=True, slots=True)
class Platform:
    """`urls` are the CORTEX_* addresses that its processes were given; `collector` takes their spans."""

    data: Path
    urls: Mapping[str, str] = field(repr=False)
    collector: Collector | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._record().ports['gateway']}"

    def process(self, name: str) -> ProcessRecord:
        return next(process for process in self._record().processes if process.name == name)

    def kill(self, name: str) -> int:
        """Kills it as a crash would, and waits until it is dead; returns how often it had been restarted before."""
        found = self.process(name)
        identity = found.identity
        assert identity is not None, f"{name} does not run"
        os.kill(identity.pid, signal.SIGKILL)

        def dead() -> None:
            assert not is_running(identity)

        eventually(dead)
        return found.restarts

    def _record(self) -> RuntimeRecord:
        found = record.load(DataFolder(self.data))
        assert found is not None, f"nothing was recorded in {self.data}"
        return found


@contextmanager
def whole_platform() -> Iterator[Platform]:
    running = os.environ.get(RUNNING_ALREADY)
    if running is not None:
        found = record.load(DataFolder(Path(running).absolute()))
        assert found is not None, f"no platform runs on {running}"
        yield Platform(Path(running).absolute(), found.urls)
        return
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="cortex-e2e-", ignore_cleanup_errors=True)
        yield _started(stack, Path(stack.enter_context(folder)))


def _started(stack: ExitStack, folder: Path) -> Platform:
    """Once more where it fails: on a busy machine somebody else may take a port between its choice and its use."""
    try:
        return _entered(stack, folder / "data")
    except Transient:
        return _entered(stack, folder / "again")


def _entered(stack: ExitStack, data: Path) -> Platform:
    collector, otlp_url = stack.enter_context(listening())
    provider = stack.enter_context(identity_provider(_free_port()))
    environment = _environment() | {"CORTEX_OTLP_URL": otlp_url, **provider}
    options = PlatformOptions(data=data, port=_free_port(), environment=environment, disposable=True)
    return Platform(data, stack.enter_context(_served(options)), collector)


@contextmanager
def _served(options: PlatformOptions) -> Iterator[Mapping[str, str]]:
    started: Future[Mapping[str, str]] = Future()
    stop: Future[asyncio.Event] = Future()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        stopped = asyncio.Event()
        stop.set_result(stopped)
        try:
            async with local_platform(options) as running:
                started.set_result(running.urls)
                await stopped.wait()
        finally:
            if not started.done():
                started.cancel()

    thread = Thread(target=loop.run_forever, name="platform", daemon=True)
    thread.start()
    serving = asyncio.run_coroutine_threadsafe(serve(), loop)
    try:
        yield started.result(timeout=START_TIMEOUT_S)
    finally:
        loop.call_soon_threadsafe(stop.result(timeout=START_TIMEOUT_S).set)
        failure = serving.exception(timeout=START_TIMEOUT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        if failure is not None:
            raise failure  # why it did not start, in place of its having been cancelled


def _environment() -> dict[str, str]:
    """The caller's, but for addresses of servers that it may have set for other work."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CORTEX_")}
    return kept | {"CORTEX_MODELS_DIR": str(_models())}


def _models() -> Path:
    """The built model of the environment or the checkout; one is built for the run where there is none."""
    for folder in (Path(os.environ.get("CORTEX_MODELS_DIR", _CHECKOUT_MODELS)), _CHECKOUT_MODELS):
        if (folder / MODEL_FOLDER / MANIFEST_FILE).is_file():
            return folder.absolute()
    return built_model().folder.parent


def _free_port() -> int:
    """By chance, so that two runs on one machine do not choose the same one."""
    source = random.SystemRandom()
    return next(port for port in source.sample(_PORTS, len(_PORTS)) if is_free(port))
