"""A tenant's engines, their keys, their order, budget and accounts."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from cortex.adapters.postgres.engines import PlatformEngines, PostgresEngines
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.domain.engine import ENGINES_MAX, Engine, EngineSpec, GenerationPlan
from cortex.domain.errors import Invalid, NotFound
from cortex.ports.audit_log import AuditEntry
from cortex.ports.generator import Usage
from cortex.testing.sources import FixedClock
from tests.cortex.adapters.postgres.conftest import Store
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers

SMALL = EngineSpec("small", "https://llm.example/v1", "tiny-1")
LARGE = EngineSpec("large", "https://llm.example/v1", "big-1", answer_tokens_max=1_024)
KEY = "sk-not-for-the-database"


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys.json")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def engines(store: Store, keys: KeyFile, clock: FixedClock) -> PostgresEngines:
    return PostgresEngines(store.database, EnvelopeSealer(keys), clock)


async def test_a_plan_holds_the_route_in_its_order_with_opened_keys(store: Store, engines: PostgresEngines) -> None:
    await engines.put(store.tenant, SMALL, key=KEY)
    await engines.put(store.tenant, LARGE, key=None)
    assert await engines.plan(store.tenant) == GenerationPlan(), "no route was set"
    await engines.set_route(store.tenant, ["large", "small"])
    assert (await engines.plan(store.tenant)).engines == (Engine(LARGE), Engine(SMALL, KEY))
    assert [(one.spec, one.has_key) for one in await engines.engines(store.tenant)] == [(LARGE, False), (SMALL, True)]
    await engines.set_route(store.tenant, [])
    assert (await engines.plan(store.tenant)).engines == ()


async def test_the_platforms_engines_are_for_tenants_without_a_route(
    store: Store, keys: KeyFile, clock: FixedClock
) -> None:
    platform = PlatformEngines((Engine(LARGE, operated=True),))
    engines = PostgresEngines(store.database, EnvelopeSealer(keys), clock, platform=platform)
    assert (await engines.plan(store.tenant)).engines == platform.engines
    await engines.set_route(store.tenant, [])
    assert (await engines.plan(store.tenant)).engines == ()
    await engines.set_route(store.tenant, None)
    assert (await engines.plan(store.tenant)).engines == platform.engines


async def test_the_database_holds_no_key(store: Store, engines: PostgresEngines, postgres_url: PostgresUrls) -> None:
    await engines.put(store.tenant, SMALL, key=KEY)
    with psycopg.connect(postgres_url.admin) as connection:
        rows = connection.execute("SELECT * FROM engines WHERE tenant_id = %s", [store.tenant]).fetchall()
    stored = b"".join(part if isinstance(part, bytes) else str(part).encode() for row in rows for part in row)
    assert KEY.encode() not in stored


async def test_a_key_stays_with_its_address(store: Store, engines: PostgresEngines) -> None:
    """Whoever may name an address may not have the key sent to another one."""
    await engines.put(store.tenant, SMALL, key=KEY)
    await engines.put(store.tenant, replace(SMALL, model="tiny-2"), key=None)
    elsewhere = replace(SMALL, url="https://evil.example/v1")
    for moved in (
        elsewhere,
        replace(SMALL, url="http://llm.example/v1"),
        replace(SMALL, url="https://llm.example:1/v1"),
    ):
        with pytest.raises(Invalid, match="key"):
            await engines.put(store.tenant, moved, key=None)
    await engines.set_route(store.tenant, ["small"])
    assert (await engines.plan(store.tenant)).engines == (Engine(replace(SMALL, model="tiny-2"), KEY),)
    await engines.put(store.tenant, elsewhere, key="")
    assert (await engines.plan(store.tenant)).engines == (Engine(elsewhere),)


async def test_an_engine_that_is_removed_leaves_the_route(store: Store, engines: PostgresEngines) -> None:
    await engines.put(store.tenant, SMALL, key=None)
    await engines.set_route(store.tenant, ["small", "small"])
    assert await engines.route(store.tenant) == ("small",)
    await engines.remove(store.tenant, "small")
    assert await engines.route(store.tenant) == ()
    with pytest.raises(NotFound):
        await engines.remove(store.tenant, "small")
    with pytest.raises(Invalid, match="'small' is no engine"):
        await engines.set_route(store.tenant, ["small"])


async def test_there_are_only_so_many(store: Store, engines: PostgresEngines) -> None:
    for number in range(ENGINES_MAX):
        await engines.put(store.tenant, replace(SMALL, name=f"engine-{number}"), key=None)
    with pytest.raises(Invalid, match="already"):
        await engines.put(store.tenant, SMALL, key=None)
    await engines.put(store.tenant, replace(SMALL, name="engine-0", model="other"), key=None)


async def test_tokens_are_counted_by_day_and_engine_against_the_budget(
    store: Store, engines: PostgresEngines, clock: FixedClock
) -> None:
    assert (await engines.plan(store.tenant)).tokens_left is None
    await engines.set_budget(store.tenant, 100)
    await engines.spend(store.tenant, "small", Usage(30, 10))
    await engines.spend(store.tenant, "small", Usage(20, 5))
    await engines.spend(store.tenant, "large", Usage(40, 0))
    plan = await engines.plan(store.tenant)
    assert (plan.tokens_left, plan.spent) == (-5, True)
    today = clock.now().date()
    found = {one.engine: (one.answers, one.usage) for one in await engines.spent(store.tenant, since=today)}
    assert found == {"large": (1, Usage(40, 0)), "small": (2, Usage(50, 15))}
    clock.time += timedelta(days=1)
    assert (await engines.plan(store.tenant)).tokens_left == 100
    assert await engines.spent(store.tenant, since=clock.now().date()) == []
    assert await engines.budget(store.tenant) == 100


async def test_another_tenant_has_nothing_of_it(store: Store, engines: PostgresEngines) -> None:
    await engines.put(store.tenant, SMALL, key=KEY)
    await engines.set_route(store.tenant, ["small"])
    await engines.set_budget(store.tenant, 0)
    other = await PostgresTenants(store.database).make(f"o-{store.tenant.hex[:12]}", title="Another")
    assert await engines.engines(other) == []
    assert await engines.plan(other) == GenerationPlan()


async def test_after_a_rotation_nothing_needs_the_older_key(
    store: Store, engines: PostgresEngines, keys: KeyFile
) -> None:
    await engines.put(store.tenant, SMALL, key=KEY)
    await engines.put(store.tenant, LARGE, key=None)
    keys.rotate()
    assert await engines.rewrap(store.tenant) == 1
    assert await engines.rewrap(store.tenant) == 0
    keys.retire("1")
    await engines.set_route(store.tenant, ["small"])
    assert (await engines.plan(store.tenant)).engines == (Engine(SMALL, KEY),)


async def test_a_write_and_its_line_are_one(store: Store, engines: PostgresEngines) -> None:
    audited = engines.audited(AuditEntry("ann@acme.example", "engine.put", "small"))
    await audited.put(store.tenant, SMALL, key=KEY)
    with pytest.raises(NotFound):
        await audited.remove(store.tenant, "unknown")
    assert await _lines(store) == {"engine.put": 1}


async def _lines(store: Store) -> Mapping[str, int]:
    async with store.database.tenant(store.tenant) as connection:
        rows = await connection.exec_driver_sql("SELECT action, count(*) FROM audit GROUP BY action")
        return dict(rows.all())  # type: ignore[arg-type]
