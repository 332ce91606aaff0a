"""Erasure step by step, with a crash before and after everything that it does."""

import base64
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from cortex.adapters.signing import PlatformSigner, verified
from cortex.adapters.temporal import TemporalErasureControl, WorkerLimits, working
from cortex.domain.erasure import Erasure, ErasureState, Subject, SubjectKind, signed_bytes
from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import TenantId
from cortex.ports.sync_control import TASK_QUEUE
from services.connectors.erasure.activities import ErasureActivities
from services.connectors.erasure.erasing import Erasing
from services.connectors.erasure.workflows import EraseWorkflow
from tests.services.connectors.temporal import skipping, time_skipping
from tests.unlined import Unlined

TENANT = TenantId(uuid.uuid4())
DOCUMENT = Subject(SubjectKind.DOCUMENT, uuid.uuid4())
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
LIMITS = WorkerLimits(activities_max=4, workflow_tasks_max=4, workflows_cached_max=10, shutdown_grace_s=1)


class Crash(Exception):
    """The process is gone."""


@dataclass
class Fate:
    """Crashes at the given call, once."""

    crash_at: int | None = None
    calls: int = 0

    def strike(self) -> None:
        self.calls += 1
        if self.calls == self.crash_at:
            raise Crash


@dataclass
class Place:
    """A store with so many things in it."""

    name: str
    number: int
    fate: Fate
    refills: int = 0

    async def count(self, _tenant: TenantId, _subject: Subject) -> int:
        self.fate.strike()
        return self.number

    async def erase(self, _tenant: TenantId, _subject: Subject) -> None:
        self.fate.strike()
        self.number, self.refills = (1, self.refills - 1) if self.refills else (0, 0)
        self.fate.strike()


@dataclass
class Ledger(Unlined):
    fate: Fate
    held: Erasure
    certificates: list[Mapping[str, object]] = field(default_factory=list)

    async def request(self, _tenant: TenantId, _subject: Subject, *, by: str) -> Erasure:
        return self.held

    async def document(self, _tenant: TenantId, document: uuid.UUID) -> Subject:
        return Subject(SubjectKind.DOCUMENT, document)

    async def person(self, _tenant: TenantId, _email: str) -> Subject:
        raise NotImplementedError

    async def erasure(self, _tenant: TenantId, _erasure: uuid.UUID) -> Erasure:
        return self.held

    async def erasures(self, _tenant: TenantId, *, limit: int) -> list[Erasure]:
        return [self.held]

    async def found(self, _tenant: TenantId, _erasure: uuid.UUID, *, store: str, number: int) -> None:
        self.fate.strike()
        stores = {**self.held.stores, store: max(number, self.held.stores.get(store, 0))}
        self.held = replace(self.held, stores=stores)

    async def finish(self, _tenant: TenantId, _erasure: uuid.UUID, *, certificate: Mapping[str, object]) -> None:
        self.fate.strike()
        if self.held.certificate is None:
            self.held = replace(self.held, state=ErasureState.DONE, certificate=certificate)
        self.certificates.append(certificate)
        self.fate.strike()

    async def fail(self, _tenant: TenantId, _erasure: uuid.UUID, *, error: str) -> None:
        self.held = replace(self.held, state=ErasureState.FAILED, error=error)


class Noon:
    def now(self) -> datetime:
        return NOON


@dataclass
class World:
    fate: Fate
    ledger: Ledger
    places: list[Place]
    erasing: Erasing

    async def attempt(self) -> None:
        """What the workflow does, from its start."""
        held = self.ledger.held.id
        for step in await self.erasing.steps(TENANT, held):
            await self.erasing.erase(TENANT, held, step)
        await self.erasing.certify(TENANT, held)


@pytest.fixture
def make_world(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., World]:
    signer = PlatformSigner(tmp_path_factory.mktemp("keys"))

    def make(crash_at: int | None = None) -> World:
        fate = Fate(crash_at)
        places = [Place("permissions", 3, fate), Place("index", 7, fate), Place("empty", 0, fate)]
        ledger = Ledger(fate, Erasure(uuid.uuid4(), DOCUMENT, "admin", NOON, ErasureState.RUNNING))
        erasing = Erasing(ledger, {SubjectKind.DOCUMENT: places}, signer, Noon())
        return World(fate, ledger, places, erasing)

    return make


async def test_every_store_is_emptied_and_certified(make_world: Callable[..., World]) -> None:
    world = make_world()
    await world.attempt()
    assert [place.number for place in world.places] == [0, 0, 0]
    certificate = world.ledger.held.certificate or {}
    assert certificate["stores"] == {
        "permissions": {"erased": 3, "left": 0},
        "index": {"erased": 7, "left": 0},
        "empty": {"erased": 0, "left": 0},
    }
    signature = base64.b64decode(str(certificate["signature"]))
    assert verified(world.erasing.signer.public_key, signed_bytes(certificate), signature)
    assert not verified(world.erasing.signer.public_key, signed_bytes({**certificate, "tenant_id": "x"}), signature)


async def test_a_crash_at_any_moment_changes_nothing_about_the_end(make_world: Callable[..., World]) -> None:
    """Before and after each look, each deletion and each note of it: the second attempt certifies the same."""
    whole = make_world()
    await whole.attempt()
    expected = (whole.ledger.held.certificate or {})["stores"]
    for crash_at in range(1, whole.fate.calls + 1):
        world = make_world(crash_at)
        with pytest.raises(Crash):
            await world.attempt()
        await world.attempt()
        assert [place.number for place in world.places] == [0, 0, 0], crash_at
        assert (world.ledger.held.certificate or {})["stores"] == expected, crash_at


async def test_what_comes_in_behind_the_erasure_is_found_by_the_last_look(make_world: Callable[..., World]) -> None:
    world = make_world()
    world.places[1].refills = 1
    with pytest.raises(Transient, match="index"):
        await world.attempt()
    assert world.ledger.held.certificate is None
    await world.attempt()
    assert world.ledger.held.state is ErasureState.DONE


async def test_what_is_certified_is_not_gone_through_again(make_world: Callable[..., World]) -> None:
    world = make_world()
    await world.attempt()
    first = world.ledger.held.certificate
    await world.attempt()
    assert world.ledger.held.certificate == first
    assert len(world.ledger.certificates) == 1


async def test_a_store_that_is_not_there_is_a_bug(make_world: Callable[..., World]) -> None:
    world = make_world()
    with pytest.raises(Bug):
        await world.erasing.erase(TENANT, world.ledger.held.id, "elsewhere")


@pytest.fixture(scope="module")
async def environment() -> AsyncIterator[WorkflowEnvironment]:
    async with await time_skipping() as environment:
        yield environment


@dataclass
class Away(Place):
    """Out of reach for some calls; then there."""

    outages: int = 5

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        if self.outages:
            self.outages -= 1
            raise Transient("the store is away")
        await super().erase(tenant, subject)


async def _run(client: Client, world: World) -> None:
    activities = ErasureActivities(world.erasing).all()
    async with working(client, task_queue=TASK_QUEUE, workflows=[EraseWorkflow], activities=activities, limits=LIMITS):
        await TemporalErasureControl(client).start(TENANT, world.ledger.held.id)
        await TemporalErasureControl(client).start(TENANT, world.ledger.held.id)
        handle = client.get_workflow_handle(f"erase-{TENANT}-{world.ledger.held.id}")
        async with skipping(client):
            await handle.result()


async def test_the_workflow_waits_for_a_store_that_is_away(
    environment: WorkflowEnvironment, make_world: Callable[..., World]
) -> None:
    world = make_world()
    world.places[1] = Away("index", 7, world.fate)
    world.erasing.stores[SubjectKind.DOCUMENT][1:2] = [world.places[1]]  # type: ignore[index]
    await _run(environment.client, world)
    assert world.ledger.held.state is ErasureState.DONE


async def test_a_bug_ends_it_with_a_reason_and_no_certificate(
    environment: WorkflowEnvironment, make_world: Callable[..., World]
) -> None:
    world = make_world()
    world.fate.crash_at = 1
    with pytest.raises(WorkflowFailureError):
        await _run(environment.client, world)
    assert (world.ledger.held.state, world.ledger.held.certificate) == (ErasureState.FAILED, None)
    assert "Crash" in (world.ledger.held.error or "")
