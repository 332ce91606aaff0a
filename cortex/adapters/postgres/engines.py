"""A tenant's engines, their order, its budget, and what was spent (ports/engine_store.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.domain.engine import ENGINES_MAX, Engine, EngineSpec, GenerationPlan, checked, routed
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import TenantId
from cortex.ports.clock import Clock
from cortex.ports.engine_store import KnownEngine, SpentTokens
from cortex.ports.generator import Usage
from cortex.ports.sealer import Sealed, Sealer

_SEALED = "key_id, wrapped_key, nonce, ciphertext"
_ALL = text(f"SELECT name, spec, {_SEALED} FROM engines ORDER BY name")
_ONE = text(f"SELECT name, spec, {_SEALED} FROM engines WHERE name = :name FOR UPDATE")
_COUNT = text("SELECT count(*) FROM engines")
_PUT = text(
    f"INSERT INTO engines (tenant_id, name, spec, {_SEALED})"
    " VALUES (:tenant, :name, CAST(:spec AS jsonb), :key_id, :wrapped_key, :nonce, :ciphertext)"
    " ON CONFLICT (tenant_id, name) DO UPDATE SET spec = excluded.spec, key_id = excluded.key_id,"
    " wrapped_key = excluded.wrapped_key, nonce = excluded.nonce, ciphertext = excluded.ciphertext"
)
_REMOVE = text("DELETE FROM engines WHERE name = :name RETURNING name")
_LEAVE_ROUTE = text("UPDATE tenant_settings SET engine_route = array_remove(engine_route, :name)")
_SETTINGS = text("SELECT engine_route, tokens_per_day FROM tenant_settings")
_SET_ROUTE = text(
    "INSERT INTO tenant_settings (tenant_id, engine_route) VALUES (:tenant, :value)"
    " ON CONFLICT (tenant_id) DO UPDATE SET engine_route = excluded.engine_route"
)
_SET_BUDGET = text(
    "INSERT INTO tenant_settings (tenant_id, tokens_per_day) VALUES (:tenant, :value)"
    " ON CONFLICT (tenant_id) DO UPDATE SET tokens_per_day = excluded.tokens_per_day"
)
_SPEND = text(
    "INSERT INTO spent_tokens (tenant_id, day, engine, answers, prompt_tokens, completion_tokens)"
    " VALUES (:tenant, :day, :engine, 1, :prompt, :completion) ON CONFLICT (tenant_id, day, engine) DO UPDATE SET"
    " answers = spent_tokens.answers + 1, prompt_tokens = spent_tokens.prompt_tokens + excluded.prompt_tokens,"
    " completion_tokens = spent_tokens.completion_tokens + excluded.completion_tokens"
)
_SPENT = text(
    "SELECT day, engine, answers, prompt_tokens, completion_tokens FROM spent_tokens WHERE day >= :since"
    " ORDER BY day, engine"
)
_SPENT_TODAY = text("SELECT coalesce(sum(prompt_tokens + completion_tokens), 0) FROM spent_tokens WHERE day = :day")
_REWRAP = text("UPDATE engines SET key_id = :key_id, wrapped_key = :wrapped_key WHERE name = :name")


@dataclass(frozen=True, slots=True)
class PlatformEngines:
    """What the operator offers to every tenant that has no route of its own."""

    engines: tuple[Engine, ...] = ()


class PostgresEngines(LeavesLines):
    """Implements EngineStore, GenerationLedger and EngineKeys. A key opens in its own tenant and name alone."""

    def __init__(
        self, database: Database, sealer: Sealer, clock: Clock, *, platform: PlatformEngines | None = None
    ) -> None:
        self._database = database
        self._sealer = sealer
        self._clock = clock
        self._platform = platform or PlatformEngines()

    async def engines(self, tenant: TenantId) -> list[KnownEngine]:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_ALL)).all()
        return [KnownEngine(_spec(row), has_key=row.key_id is not None) for row in rows]

    async def put(self, tenant: TenantId, spec: EngineSpec, *, key: str | None) -> None:
        checked(spec)
        async with self._database.tenant(tenant) as connection:
            before = (await connection.execute(_ONE, {"name": spec.name})).one_or_none()
            if before is None and (await connection.execute(_COUNT)).scalar_one() >= ENGINES_MAX:
                raise Invalid(f"there are {ENGINES_MAX} engines already; remove one first")
            values = {"tenant": tenant, "name": spec.name, "spec": as_json(_stored(spec))}
            await connection.execute(_PUT, {**values, **await self._key(tenant, spec, key, before=before)})
            await self._leave_line(connection, tenant)

    async def opened(self, tenant: TenantId, name: str) -> Engine:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_ONE, {"name": name})).one_or_none()
        if row is None:
            raise NotFound("no such engine")
        return await self._opened(tenant, row)

    async def remove(self, tenant: TenantId, name: str) -> None:
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_REMOVE, {"name": name})).one_or_none() is None:
                raise NotFound("no such engine")
            await connection.execute(_LEAVE_ROUTE, {"name": name})
            await self._leave_line(connection, tenant)

    async def route(self, tenant: TenantId) -> tuple[str, ...] | None:
        async with self._database.tenant(tenant) as connection:
            return (await _settings(connection))[0]

    async def set_route(self, tenant: TenantId, route: Sequence[str] | None) -> None:
        async with self._database.tenant(tenant) as connection:
            known = {row.name for row in (await connection.execute(_ALL)).all()}
            if unknown := [name for name in route or () if name not in known]:
                raise Invalid(
                    f"route: {unknown[0]!r} is no engine; those there are: {', '.join(sorted(known)) or 'none'}"
                )
            value = None if route is None else list(dict.fromkeys(route))
            await connection.execute(_SET_ROUTE, {"tenant": tenant, "value": value})
            await self._leave_line(connection, tenant)

    async def budget(self, tenant: TenantId) -> int | None:
        async with self._database.tenant(tenant) as connection:
            return (await _settings(connection))[1]

    async def set_budget(self, tenant: TenantId, tokens_per_day: int | None) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SET_BUDGET, {"tenant": tenant, "value": tokens_per_day})
            await self._leave_line(connection, tenant)

    async def spent(self, tenant: TenantId, *, since: date) -> list[SpentTokens]:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_SPENT, {"since": since})).all()
        return [
            SpentTokens(row.day, row.engine, row.answers, Usage(row.prompt_tokens, row.completion_tokens))
            for row in rows
        ]

    async def plan(self, tenant: TenantId) -> GenerationPlan:
        async with self._database.tenant(tenant) as connection:
            route, budget = await _settings(connection)
            rows = (await connection.execute(_ALL)).all() if route else []
            spent = 0
            if budget is not None:
                spent = int((await connection.execute(_SPENT_TODAY, {"day": self._today()})).scalar_one())
        engines = self._platform.engines
        if route is not None:
            engines = routed({row.name: await self._opened(tenant, row) for row in rows if row.name in route}, route)
        return GenerationPlan(engines, tokens_left=None if budget is None else budget - spent)

    async def spend(self, tenant: TenantId, engine: str, usage: Usage) -> None:
        values = {
            "tenant": tenant,
            "day": self._today(),
            "engine": engine,
            "prompt": usage.prompt_tokens,
            "completion": usage.completion_tokens,
        }
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_SPEND, values)

    async def rewrap(self, tenant: TenantId) -> int:
        changed = 0
        async with self._database.tenant(tenant) as connection:
            for row in (await connection.execute(_ALL)).all():
                sealed = None
                if row.key_id is not None:
                    sealed = await self._sealer.rewrap(_sealed(row), _context(tenant, row.name))
                if sealed is not None:
                    values = {"key_id": sealed.key_id, "wrapped_key": sealed.wrapped_key, "name": row.name}
                    await connection.execute(_REWRAP, values)
                    changed += 1
            await self._leave_line(connection, tenant, rewrapped=changed)
        return changed

    def _today(self) -> date:
        return self._clock.now().date()

    async def _key(
        self, tenant: TenantId, spec: EngineSpec, key: str | None, *, before: Row[tuple[object, ...]] | None
    ) -> Mapping[str, object]:
        """A key that is there already goes nowhere but where it was given for."""
        if key:
            return asdict(await self._sealer.seal(key.encode(), _context(tenant, spec.name)))
        if key is None and before is not None and before.key_id is not None:
            if _spec(before).origin != spec.origin:
                raise Invalid("key: the address is another one; send its key along, or an empty one")
            return asdict(_sealed(before))
        return dict.fromkeys(_SEALED.split(", "))

    async def _opened(self, tenant: TenantId, row: Row[tuple[object, ...]]) -> Engine:
        if row.key_id is None:
            return Engine(_spec(row))
        return Engine(_spec(row), (await self._sealer.open(_sealed(row), _context(tenant, row.name))).decode())


async def _settings(connection: AsyncConnection) -> tuple[tuple[str, ...] | None, int | None]:
    row = (await connection.execute(_SETTINGS)).one_or_none()
    if row is None:
        return None, None
    return None if row.engine_route is None else tuple(row.engine_route), row.tokens_per_day


def _stored(spec: EngineSpec) -> dict[str, object]:
    return {name: value for name, value in asdict(spec).items() if name != "name"}


def _spec(row: Row[tuple[object, ...]]) -> EngineSpec:
    """What an older or newer version stored beside is passed over."""
    known = {entry.name for entry in fields(EngineSpec)}
    return EngineSpec(row.name, **{name: value for name, value in row.spec.items() if name in known - {"name"}})


def _sealed(row: Row[tuple[object, ...]]) -> Sealed:
    return Sealed(row.key_id, bytes(row.wrapped_key), bytes(row.nonce), bytes(row.ciphertext))


def _context(tenant: TenantId, name: str) -> bytes:
    return f"engine key\0{tenant}\0{name}".encode()
