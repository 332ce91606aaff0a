"""What administrators say of engines: which there are, in which order they are asked, and how much they may read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from cortex.domain.engine import Engine, EngineSpec, GenerationPlan
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import LeavesLine
from cortex.ports.generator import Usage


@dataclass(frozen=True, slots=True)
class KnownEngine:
    """Whether it has a key, and never which."""

    spec: EngineSpec
    has_key: bool


@dataclass(frozen=True, slots=True)
class SpentTokens:
    """Of one engine on one day in UTC."""

    day: date
    engine: str
    answers: int
    usage: Usage


class EngineStore(LeavesLine, Protocol):
    """Of a tenant's own. Raises Transient."""

    async def engines(self, tenant: TenantId) -> list[KnownEngine]: ...

    async def put(self, tenant: TenantId, spec: EngineSpec, *, key: str | None) -> None:
        """None keeps a key that is there, as long as the address stays; an empty one removes it.

        Raises Invalid where there are too many engines, and where the address changes and no key is sent along.
        """
        ...

    async def opened(self, tenant: TenantId, name: str) -> Engine:
        """With its key, to be tried. Raises NotFound."""
        ...

    async def remove(self, tenant: TenantId, name: str) -> None:
        """From the route as well. Raises NotFound."""
        ...

    async def route(self, tenant: TenantId) -> tuple[str, ...] | None:
        """None: the platform's own."""
        ...

    async def set_route(self, tenant: TenantId, route: Sequence[str] | None) -> None:
        """Raises Invalid for a name that is no engine's of the tenant."""
        ...

    async def budget(self, tenant: TenantId) -> int | None:
        """Tokens a day; None: no bound."""
        ...

    async def set_budget(self, tenant: TenantId, tokens_per_day: int | None) -> None: ...

    async def spent(self, tenant: TenantId, *, since: date) -> list[SpentTokens]: ...


class GenerationLedger(Protocol):
    """What a generator reads before an answer and writes after it. Raises Transient."""

    async def plan(self, tenant: TenantId) -> GenerationPlan:
        """The tenant's own route, else the platform's. Keys come opened."""
        ...

    async def spend(self, tenant: TenantId, engine: str, usage: Usage) -> None: ...


class EngineKeys(LeavesLine, Protocol):
    async def rewrap(self, tenant: TenantId) -> int:
        """As SourceSecrets does."""
        ...
