"""One platform on a folder of its own, what is done to it, and whether it comes out of that whole."""

import asyncio
import os
import random
import signal
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import psycopg
from nats.errors import Error as NatsError

from cortex.adapters.local_tokens import LocalClaims
from cortex.cli.gateway import Gateway, mint, segment
from cortex.cli.source import run_of, start_sync
from cortex.domain.credential import Role
from cortex.domain.errors import Transient
from cortex.domain.identity import PersonId
from cortex.runtime.local.platform import RunningPlatform
from cortex.runtime.supervisor import ProcessState, ProcessStatus
from tests.faults import compare
from tests.faults.compare import TENANT, Askers, Expected
from tests.faults.drive import SOURCE, Drive
from tests.faults.pushing import SOURCE as PUSHED
from tests.faults.pushing import Pushing

POLL_S = 0.25
RECOVERY_S_MAX = 60.0
INGEST_S_MAX = 30.0
QUIET_S_MAX = 240.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Killed:
    name: str
    indexed: int
    ready_again_s: float


@dataclass(slots=True)
class Trial:
    running: RunningPlatform
    url: str
    data: Path
    drive: Drive
    source: random.Random
    persons: dict[str, PersonId] = field(default_factory=dict)
    killed: list[Killed] = field(default_factory=list)

    def gateway(self, email: str, role: Role = Role.MEMBER) -> Gateway:
        return Gateway(self.url, mint(self.data, LocalClaims(TENANT, email, role), timedelta(hours=1)))

    def pushing(self, seed: int) -> Pushing:
        gateway = self.gateway("robot@faults.example", Role.ADMIN)
        return Pushing(gateway, random.Random(seed), tuple(self.drive.people))

    async def set_up(self, gateway: Gateway) -> str:
        """People, groups and the source; returns the first run."""
        for email in self.drive.people:
            body = {"name": email, "guest": self.drive.is_guest(email)}
            answer = await asyncio.to_thread(gateway.put, f"/admin/v1/people/{segment(email)}", body)
            self.persons[email] = PersonId(_uuid(answer["id"]))
        for name, members in self.drive.groups.items():
            await asyncio.to_thread(gateway.put, f"/admin/v1/groups/{name}", {"name": name, "members": members})
        config = {"path": str(self.drive.folder), "page_size": 25, "every_s": 3600}
        body = {"name": SOURCE, "type": "files", "config": config}
        await asyncio.to_thread(gateway.post, "/admin/v1/sources", body)
        return await asyncio.to_thread(start_sync, gateway, SOURCE)

    async def kill(self, name: str, *, indexed_min: int) -> None:
        """Once so many documents are indexed, or nothing moved for long; returns when the process is ready again."""
        indexed = await self._indexed(indexed_min)
        before = self._status(name)
        if before.pid is None:
            raise RuntimeError(f"{name} is not running")
        began = time.monotonic()
        os.kill(before.pid, signal.SIGKILL)
        async with asyncio.timeout(RECOVERY_S_MAX):
            while not _is_back(self._status(name), before):
                await _pause(POLL_S)
        self.killed.append(Killed(name, indexed, time.monotonic() - began))

    async def sync(self, gateway: Gateway) -> str:
        return await _insist(lambda: start_sync(gateway, SOURCE))

    async def until_run_ends(self, gateway: Gateway, run_id: str) -> Mapping[str, object]:
        async with asyncio.timeout(QUIET_S_MAX):
            while True:
                run = run_of(await _insist(lambda: gateway.get(f"/admin/v1/sources/{SOURCE}")), run_id)
                if run.get("state") in ("done", "failed"):
                    return run
                await _pause(POLL_S)

    async def until_quiet(self) -> float:
        """Until nothing is left to do, twice in a row; returns the seconds. What is left is in the error."""
        began, quiet, left = time.monotonic(), 0, {}
        while quiet < 2:
            left = await self._left()
            quiet = 0 if left else quiet + 1
            if left and time.monotonic() - began > QUIET_S_MAX:
                raise TimeoutError(f"still to be done after {QUIET_S_MAX:.0f} s: {left}")
            await _pause(POLL_S)
        return time.monotonic() - began

    async def differences(self, pushing: Pushing) -> list[str]:
        expected = self._expected(pushing)
        urls, admin_url = self.running.urls, self.running.urls["CORTEX_DATABASE_ADMIN_URL"]
        rows, points = compare.rows_of(admin_url), await compare.points_of(urls)
        found = list(compare.stored_differences(rows, points, expected))
        found += await compare.permission_differences(urls, expected, self.persons)
        if dead := await compare.messages_of(urls["CORTEX_NATS_URL"], "cortex-dead"):
            found.append(f"{dead} dead letters")
        retired = self.drive.retired + pushing.retired
        with ExitStack() as stack:
            askers = Askers({email: stack.enter_context(self.gateway(email)) for email in self.drive.people})
            found += await asyncio.to_thread(lambda: list(askers.differences(expected, retired, self.source)))
        return found

    def _expected(self, pushing: Pushing) -> list[Expected]:
        oracle = self.drive.oracle()
        drive = [
            Expected(
                SOURCE,
                node.removeprefix(f"{SOURCE}/"),
                token,
                frozenset(person for person in self.drive.people if oracle.visible(person, node)),
                compare.sha256_of(oracle.documents[node]),
            )
            for node, token in self.drive.tokens().items()
        ]
        pushed = [Expected(PUSHED, external, *live) for external, live in pushing.live.items()]
        return drive + pushed

    def _status(self, name: str) -> ProcessStatus:
        return next(status for status in self.running.status() if status.name == name)

    async def _indexed(self, least: int) -> int:
        admin_url, deadline = self.running.urls["CORTEX_DATABASE_ADMIN_URL"], time.monotonic() + INGEST_S_MAX
        while (found := await asyncio.to_thread(compare.indexed, admin_url)) < least and time.monotonic() < deadline:
            await _pause(POLL_S)
        return found

    async def _left(self) -> dict[str, int]:
        try:
            left = await asyncio.to_thread(compare.work_left, self.running.urls["CORTEX_DATABASE_ADMIN_URL"])
            messages = await compare.messages_of(self.running.urls["CORTEX_NATS_URL"], "cortex-work")
        except (psycopg.OperationalError, NatsError, OSError):
            return {"servers away": 1}
        return left | ({"messages": messages} if messages else {})


def _is_back(now: ProcessStatus, before: ProcessStatus) -> bool:
    return now.restarts > before.restarts and now.state is ProcessState.READY


async def _insist(call: Callable[[], T]) -> T:
    """As a client does that tries again."""
    while True:
        try:
            return await asyncio.to_thread(call)
        except Transient:
            await _pause(POLL_S)


async def _pause(seconds: float) -> None:
    """Between two looks at something that tells nobody when it changes."""
    try:
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()
    except TimeoutError:
        return


def _uuid(value: object) -> uuid.UUID:
    return uuid.UUID(str(value))
