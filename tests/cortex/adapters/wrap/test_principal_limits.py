"""Rates and quotas: what is too much waits, one principal at a time, with the shared counters or without."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from cortex.adapters.redis import RedisBuckets
from cortex.adapters.wrap.principal_limits import KEPT_S, CountedLimits, LimitedAuthenticator, LocalBuckets
from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Throttled, Transient
from cortex.domain.identity import PersonId, TenantId
from cortex.domain.limits import Limits
from cortex.ports.authenticator import Presented
from cortex.ports.limits import Buckets
from tests.unlined import Unlined

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@dataclass
class Hands:
    """A clock that is moved by hand."""

    time: datetime = NOON

    def now(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@dataclass
class Store(Unlined):
    held: Limits = field(default_factory=lambda: Limits(requests_per_minute=60, requests_at_once=3))
    away: bool = False

    async def limits(self, tenant: TenantId) -> Limits:
        if self.away:
            raise Transient("away")
        return self.held

    async def set_limits(self, tenant: TenantId, limits: Limits) -> None:
        self.held = limits


class Away:
    async def take(self, key: str, *, per_s: float, most: float) -> float:
        raise Transient("away")

    async def count(self, key: str, *, keep_s: float) -> int:
        raise Transient("away")


@dataclass
class Bench:
    clock: Hands = field(default_factory=Hands)
    store: Store = field(default_factory=Store)
    tenant: TenantId = field(default_factory=lambda: TenantId(uuid.uuid4()))
    ann: PersonId = field(default_factory=lambda: PersonId(uuid.uuid4()))

    def limits(self, buckets: Buckets | None = None) -> CountedLimits:
        return CountedLimits(self.store, buckets or LocalBuckets(self.clock), self.clock)


@pytest.fixture
async def redis_buckets(redis_url: str) -> AsyncIterator[RedisBuckets]:
    buckets = RedisBuckets(redis_url, timeout_s=5)
    yield buckets
    await buckets.close()


async def spend(limits: CountedLimits, bench: Bench, count: int) -> None:
    for _ in range(count):
        await limits.request(bench.tenant, bench.ann)


async def test_a_burst_passes_and_then_the_rate_decides() -> None:
    bench = Bench()
    limits = bench.limits()
    await spend(limits, bench, 3)
    with pytest.raises(Throttled) as refused:
        await spend(limits, bench, 1)
    assert refused.value.retry_after_s == pytest.approx(1.0)
    bench.clock.advance(1.0)
    await spend(limits, bench, 1)
    with pytest.raises(Throttled):
        await spend(limits, bench, 1)


async def test_one_principal_does_not_slow_another() -> None:
    bench = Bench()
    limits = bench.limits()
    await spend(limits, bench, 3)
    await limits.request(bench.tenant, PersonId(uuid.uuid4()))
    await limits.request(TenantId(uuid.uuid4()), bench.ann)


async def test_without_the_shared_counters_this_process_counts_by_itself() -> None:
    bench = Bench()
    limits = bench.limits(Away())
    await spend(limits, bench, 3)
    with pytest.raises(Throttled):
        await spend(limits, bench, 1)


async def test_limits_that_cannot_be_read_are_the_last_known_or_the_defaults() -> None:
    bench = Bench()
    limits = bench.limits()
    await spend(limits, bench, 1)
    bench.store.away = True
    bench.clock.advance(KEPT_S + 1)
    await spend(limits, bench, 3)
    with pytest.raises(Throttled):
        await spend(limits, bench, 1)


async def test_changed_limits_hold_soon() -> None:
    bench = Bench()
    limits = bench.limits()
    await spend(limits, bench, 3)
    await bench.store.set_limits(bench.tenant, Limits(requests_per_minute=60, requests_at_once=1))
    bench.clock.advance(KEPT_S)
    await spend(limits, bench, 1)
    with pytest.raises(Throttled):
        await spend(limits, bench, 1)


@pytest.mark.parametrize("away", [False, True])
async def test_a_days_questions_are_used_up_until_midnight(away: bool) -> None:
    bench = Bench()
    bench.store.held = Limits(questions_per_day=2)
    limits = bench.limits(Away() if away else None)
    for _ in range(2):
        await limits.question(bench.tenant, bench.ann)
    with pytest.raises(Throttled) as refused:
        await limits.question(bench.tenant, bench.ann)
    assert refused.value.retry_after_s == 12 * 3600
    bench.clock.advance(12 * 3600)
    await limits.question(bench.tenant, bench.ann)


async def test_a_credential_that_does_not_hold_costs_nothing_and_one_that_does_is_counted() -> None:
    bench = Bench()

    class Everyone:
        async def authenticate(self, presented: Presented) -> Credential:
            return Credential(bench.tenant, bench.ann, "ann@acme.example", Role.MEMBER)

    authenticator = LimitedAuthenticator(Everyone(), bench.limits())
    for _ in range(3):
        await authenticator.authenticate(Presented())
    with pytest.raises(Throttled):
        await authenticator.authenticate(Presented())


async def test_the_local_counters_are_bounded() -> None:
    buckets = LocalBuckets(Hands(), keys_max=2)
    for key in ("a", "b", "c"):
        assert await buckets.take(key, per_s=0.001, most=1) == 0
    assert await buckets.take("a", per_s=0.001, most=1) == 0
    assert await buckets.take("c", per_s=0.001, most=1) > 0


@pytest.mark.servers
async def test_processes_share_one_bucket(redis_buckets: RedisBuckets, redis_url: str) -> None:
    other, key = RedisBuckets(redis_url, timeout_s=5), str(uuid.uuid4())
    waits = [await buckets.take(key, per_s=0.001, most=3) for buckets in (redis_buckets, other, redis_buckets)]
    assert waits == [0, 0, 0]
    assert 900 < await other.take(key, per_s=0.001, most=3) <= 1000
    assert [await buckets.count(key + "/day", keep_s=60) for buckets in (redis_buckets, other)] == [1, 2]
    await other.close()


async def test_shared_counters_that_are_away_are_transient() -> None:
    buckets = RedisBuckets("redis://127.0.0.1:1/0")
    with pytest.raises(Transient):
        await buckets.take("x", per_s=1, most=1)
    with pytest.raises(Transient):
        await buckets.count("x", keep_s=1)
    await buckets.close()
