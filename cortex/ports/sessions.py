"""Browser sessions, and sign-ins on their way to the identity provider and back. Secrets are kept as hashes."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from cortex.domain.credential import Credential
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.audit_log import LeavesLine


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    return_to: str


class SignIns(Protocol):
    async def put(self, tenant: TenantId, state: str, pending: PendingSignIn) -> None:
        """Kept for a few minutes. Raises Exhausted when too many are under way."""
        ...

    async def take(self, tenant: TenantId, state: str) -> PendingSignIn:
        """Once. Raises Denied when it is unknown, used or expired."""
        ...


@dataclass(frozen=True, slots=True)
class StartedSession:
    secret: str = field(repr=False)
    expires_at: datetime


class Sessions(LeavesLine, Protocol):
    async def start(self, tenant: TenantId, person: PersonId) -> StartedSession: ...

    async def credential(self, secret: str) -> Credential:
        """Raises Denied when it is unknown, ended, idle too long or too old, or its person is inactive."""
        ...

    async def end(self, secret: str) -> None:
        """Idempotent."""
        ...

    async def end_all(self, tenant: TenantId, person: PersonId) -> int:
        """How many there were."""
        ...
