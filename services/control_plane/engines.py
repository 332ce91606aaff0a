"""Engines of a tenant: which there are, in which order they are asked, and how much they may read a day."""

import time
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field, SecretStr, StrictInt

from cortex.domain.credential import Credential, Role
from cortex.domain.engine import Engine, EngineSpec, checked
from cortex.domain.errors import Denied, Invalid, Transient
from cortex.ports.audit_log import AuditEntry, AuditLog
from cortex.ports.authenticator import Authenticator
from cortex.ports.clock import Clock
from cortex.ports.engine import Message, Writer
from cortex.ports.engine_store import EngineStore, KnownEngine
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body, Text

DAYS_SHOWN_MAX = 366
KEY_CHARACTERS_MAX = 4_000
Seconds = Annotated[float, Field(ge=0.1, le=300)]


class EngineBody(Body):
    """`key`: left out, the one that is there stays; empty, there is none."""

    url: Text
    model: Text
    key: Annotated[SecretStr, Field(max_length=KEY_CHARACTERS_MAX)] | None = None
    first_token_s_max: Seconds = 20.0
    silence_s_max: Seconds = 20.0
    answer_tokens_max: Annotated[StrictInt, Field(ge=16, le=8_192)] = 512
    prompt_characters_max: Annotated[StrictInt, Field(ge=1_000, le=400_000)] = 24_000
    calls_max: Annotated[StrictInt, Field(ge=1, le=256)] = 8


class EngineView(BaseModel):
    """`has_key` and never which."""

    name: str
    url: str
    model: str
    has_key: bool
    first_token_s_max: float
    silence_s_max: float
    answer_tokens_max: int
    prompt_characters_max: int
    calls_max: int


class EngineList(BaseModel):
    items: list[EngineView]
    next_cursor: str | None = None


class CheckView(BaseModel):
    """`problem` says what to look at, without the engine's own words."""

    ok: bool
    first_piece_ms: int
    problem: str | None


class RouteBody(Body):
    """Names in the order in which they are asked; empty: answers are composed. Null: the platform's own."""

    engines: Annotated[list[Text], Field(max_length=20)] | None


class BudgetBody(Body):
    """Null: no bound. Over it, answers are composed until midnight in UTC."""

    tokens_per_day: Annotated[StrictInt, Field(ge=0, le=10**12)] | None


class SpentView(BaseModel):
    day: date
    engine: str
    answers: int
    prompt_tokens: int
    completion_tokens: int


class SpentList(BaseModel):
    items: list[SpentView]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class EnginePorts:
    authenticator: Authenticator
    engines: EngineStore
    writer: Writer
    audit: AuditLog
    clock: Clock


def engines_router(ports: EnginePorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/engines", tags=["engines"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("")
    async def list_engines(credential: Credential = looking) -> EngineList:
        return EngineList(items=[_view(one) for one in await ports.engines.engines(credential.tenant_id)])

    @router.put("/{name}", status_code=204)
    async def put_engine(name: str, body: EngineBody, credential: Credential = admin) -> None:
        spec = checked(EngineSpec(name, **body.model_dump(exclude={"key"})))
        key = None if body.key is None else body.key.get_secret_value()
        line = AuditEntry(credential.email, "engine.put", name, {"host": spec.host, "model": spec.model})
        await ports.engines.audited(line).put(credential.tenant_id, spec, key=key)

    @router.post("/{name}/check")
    async def check_engine(name: str, credential: Credential = admin) -> CheckView:
        """Asks it for a word, as a question would: whether it is reached, takes the key, and knows the model."""
        engine = await ports.engines.opened(credential.tenant_id, name)
        line = AuditEntry(credential.email, "engine.check", name)
        await ports.audit.append(credential.tenant_id, [line])
        started = time.perf_counter()
        problem = await _tried(ports.writer, engine)
        took_ms = round((time.perf_counter() - started) * 1000)
        return CheckView(ok=problem is None, first_piece_ms=took_ms, problem=problem)

    @router.delete("/{name}", status_code=204)
    async def remove_engine(name: str, credential: Credential = admin) -> None:
        line = AuditEntry(credential.email, "engine.remove", name)
        await ports.engines.audited(line).remove(credential.tenant_id, name)

    return router


def generation_router(ports: EnginePorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/generation", tags=["engines"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("/route")
    async def get_route(credential: Credential = looking) -> RouteBody:
        route = await ports.engines.route(credential.tenant_id)
        return RouteBody(engines=None if route is None else list(route))

    @router.put("/route", status_code=204)
    async def put_route(body: RouteBody, credential: Credential = admin) -> None:
        named = "the platform's own" if body.engines is None else ",".join(body.engines)
        line = AuditEntry(credential.email, "engine.route", "tenant", {"engines": named})
        await ports.engines.audited(line).set_route(credential.tenant_id, body.engines)

    @router.get("/budget")
    async def get_budget(credential: Credential = looking) -> BudgetBody:
        return BudgetBody(tokens_per_day=await ports.engines.budget(credential.tenant_id))

    @router.put("/budget", status_code=204)
    async def put_budget(body: BudgetBody, credential: Credential = admin) -> None:
        bound = "none" if body.tokens_per_day is None else body.tokens_per_day
        line = AuditEntry(credential.email, "engine.budget", "tenant", {"tokens_per_day": bound})
        await ports.engines.audited(line).set_budget(credential.tenant_id, body.tokens_per_day)

    @router.get("/usage")
    async def get_usage(
        days: Annotated[int, Query(ge=1, le=DAYS_SHOWN_MAX)] = 30, credential: Credential = looking
    ) -> SpentList:
        """Of each engine on each day, in UTC."""
        since = ports.clock.now().date() - timedelta(days=days - 1)
        found = await ports.engines.spent(credential.tenant_id, since=since)
        items = [
            SpentView(
                day=one.day,
                engine=one.engine,
                answers=one.answers,
                prompt_tokens=one.usage.prompt_tokens,
                completion_tokens=one.usage.completion_tokens,
            )
            for one in found
        ]
        return SpentList(items=items)

    return router


async def _tried(writer: Writer, engine: Engine) -> str | None:
    """What was wrong, or None."""
    try:
        async with aclosing(writer.write(engine, [Message("user", "Say yes.")])) as pieces:
            async for _ in pieces:
                return None
    except (Transient, Denied, Invalid) as error:
        return str(error)
    return f"engine {engine.spec.name}: it wrote nothing"


def _view(one: KnownEngine) -> EngineView:
    spec = one.spec
    return EngineView(
        name=spec.name,
        url=spec.url,
        model=spec.model,
        has_key=one.has_key,
        first_token_s_max=spec.first_token_s_max,
        silence_s_max=spec.silence_s_max,
        answer_tokens_max=spec.answer_tokens_max,
        prompt_characters_max=spec.prompt_characters_max,
        calls_max=spec.calls_max,
    )
