"""Starts a local platform, whole or in part, and stops it when the block ends."""

import asyncio
import os
import random
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial

from cortex.adapters.processes import ProcessIdentity, end, identify
from cortex.domain.errors import Bug, Conflict, Invalid
from cortex.runtime.local import cortex_processes, migrations, nats, postgres, qdrant, record, spicedb, temporal, valkey
from cortex.runtime.local.credentials import load_or_create
from cortex.runtime.local.folder import DataFolder, locked, option_for
from cortex.runtime.local.options import Hooks, PlatformOptions, Role, ServerName
from cortex.runtime.local.plan import MIGRATIONS, SECOND_PORTS, Plan, addresses, local_servers, port_names
from cortex.runtime.local.ports import choose
from cortex.runtime.local.postgres_home import remove_home
from cortex.runtime.local.record import ProcessRecord, RuntimeRecord
from cortex.runtime.supervisor import NodeSpec, ProcessSpec, ProcessStatus, StepSpec, Supervisor, supervise

_LEFTOVER_GRACE_S = 5.0


class RunningPlatform:
    """A platform of which everything is ready."""

    def __init__(self, *, urls: Mapping[str, str], supervisor: Supervisor, boot_s: float) -> None:
        self.urls = urls
        self.boot_s = boot_s
        self._supervisor = supervisor
        self._stop = asyncio.Event()

    def status(self) -> tuple[ProcessStatus, ...]:
        return self._supervisor.status()

    def stop(self) -> None:
        """Lets `until_stopped` return. The platform stops when its block is left."""
        self._stop.set()

    async def until_stopped(self) -> None:
        await self._stop.wait()


@asynccontextmanager
async def platform(options: PlatformOptions, hooks: Hooks | None = None) -> AsyncIterator[RunningPlatform]:
    """Everything is ready in the block; nothing is left after it, however it ends.

    Conflict when a platform runs on the data already; Transient, with the end of the log, when a process does not
    start; Invalid when something is missing or wrong, with the mend.
    """
    began = time.monotonic()
    hooks = hooks or Hooks()
    folder = DataFolder.open(options.data)
    with _only_one(folder):
        try:
            earlier = record.load(folder)
            if earlier is not None:
                await asyncio.to_thread(_stop_leftovers, earlier)
            plan = await asyncio.to_thread(_make_plan, options, folder=folder, earlier=earlier)
            nodes = await asyncio.to_thread(_build_nodes, plan, hooks)
            recorder = _Recorder(folder, plan, hooks)
            try:
                async with supervise(nodes, logs=folder.logs, observe=recorder.observe) as supervisor:
                    await supervisor.ready()
                    boot_s = recorder.booted(time.monotonic() - began, supervisor.status())
                    yield RunningPlatform(urls=plan.urls, supervisor=supervisor, boot_s=boot_s)
            finally:
                recorder.stopped()
        finally:
            if options.disposable:
                await asyncio.to_thread(_discard, folder)


@contextmanager
def _only_one(folder: DataFolder) -> Iterator[None]:
    """The folder's lock, with a message that says who holds it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except Conflict as error:
            running = record.load(folder)
            if running is None:
                raise
            gateway = running.ports.get(Role.GATEWAY)
            url = f" at http://127.0.0.1:{gateway}" if gateway else ""
            raise Conflict(
                f"{error} (pid {running.supervisor.pid}{url}); `cortex down{option_for(folder.root)}` stops it"
            ) from error
        yield


def _stop_leftovers(earlier: RuntimeRecord) -> None:
    """What a supervisor left that was killed where the kernel does not clean up: verified by the time of start."""
    leftovers = [process.identity for process in earlier.processes if process.identity is not None]
    end(leftovers, grace_s=_LEFTOVER_GRACE_S)


def _make_plan(options: PlatformOptions, *, folder: DataFolder, earlier: RuntimeRecord | None) -> Plan:
    _check_model(options, folder)
    credentials = load_or_create(folder)
    names = port_names(options)
    if unknown := options.ports.keys() - {*ServerName, *Role, *SECOND_PORTS}:
        raise Invalid(f"no process is called {', '.join(sorted(unknown))}; ports can be given for {', '.join(names)}")
    ports = choose(
        names,
        fixed={name: port for name, port in {Role.GATEWAY: options.port, **options.ports}.items() if name in names},
        earlier=earlier.ports if earlier is not None else {},
        source=random.SystemRandom(),
    )
    return Plan(
        folder=folder,
        credentials=credentials,
        ports=ports,
        local=local_servers(options),
        roles=options.roles,
        migrates=options.migrate,
        urls=addresses(options, folder=folder, credentials=credentials, ports=ports),
        environment=options.environment,
    )


def _check_model(options: PlatformOptions, folder: DataFolder) -> None:
    """Before any server starts: without a model the platform would give up two minutes later."""
    models, built = folder.built_models(options.environment)
    if Role.MODELS in options.roles and not built:
        raise Invalid(f"no built model in {models}: cortex models build --dir {models}")


def _build_nodes(plan: Plan, hooks: Hooks) -> list[NodeSpec]:
    nodes: list[NodeSpec] = [_RECIPES[name](plan) for name in sorted(plan.local & _RECIPES.keys())]
    migration = plan.migration
    if migration is not None:
        run = partial(hooks.migrate or migrations.migrate, migration)
        nodes.append(StepSpec(name=MIGRATIONS, run=run, depends_on=plan.present(ServerName.POSTGRES)))
    if ServerName.SPICEDB in plan.local:
        nodes.append(spicedb.spec(plan, empty=migration is None))
    return nodes + [cortex_processes.spec(plan, role) for role in sorted(plan.roles)]


def _discard(folder: DataFolder) -> None:
    remove_home(folder)
    shutil.rmtree(folder.root, ignore_errors=True)


class _Recorder:
    """Keeps `runtime.json` true. Its writes are a few kilobytes at a change of state, hence in the event loop."""

    def __init__(self, folder: DataFolder, plan: Plan, hooks: Hooks) -> None:
        me = identify(os.getpid())
        if me is None:
            raise Bug("this process does not find itself")
        self._folder = folder
        self._hooks = hooks
        self._identities: dict[int, ProcessIdentity | None] = {}
        self._record = RuntimeRecord(supervisor=me, ports=plan.ports, urls=plan.urls)

    def observe(self, statuses: tuple[ProcessStatus, ...]) -> None:
        self._record = replace(self._record, processes=tuple(self._process(status) for status in statuses))
        record.save(self._folder, self._record)
        self._hooks.observe(statuses)

    def booted(self, boot_s: float, statuses: tuple[ProcessStatus, ...]) -> float:
        self._record = replace(self._record, boot_s=boot_s)
        self.observe(statuses)
        return boot_s

    def stopped(self) -> None:
        """Only the ports stay, for the next start."""
        record.save(self._folder, replace(self._record, processes=(), urls={}))

    def _process(self, status: ProcessStatus) -> ProcessRecord:
        if status.pid is not None and status.pid not in self._identities:
            self._identities[status.pid] = identify(status.pid)
        return ProcessRecord(
            name=status.name,
            state=status.state,
            identity=self._identities.get(status.pid) if status.pid is not None else None,
            port=status.port,
            ready_after_s=status.ready_after_s,
            restarts=status.restarts,
            detail=status.detail,
        )


_RECIPES: Mapping[ServerName, Callable[[Plan], ProcessSpec]] = {
    ServerName.POSTGRES: postgres.spec,
    ServerName.NATS: nats.spec,
    ServerName.VALKEY: valkey.spec,
    ServerName.TEMPORAL: temporal.spec,
    ServerName.QDRANT: qdrant.spec,
}
