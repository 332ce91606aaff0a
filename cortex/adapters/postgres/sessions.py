"""Browser sessions and sign-ins under way (ports/sessions.py). A secret is known here by its SHA-256 alone."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import SET_TENANT, Database
from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Denied, Exhausted
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.clock import Clock
from cortex.ports.sessions import PendingSignIn, StartedSession

SECRET_BYTES = 32
SEEN_EVERY = timedelta(minutes=1)

_FORGET_OLD_SIGN_INS = text("DELETE FROM sign_ins WHERE expires_at <= :now")
_COUNT_SIGN_INS = text("SELECT count(*) FROM sign_ins")
_PUT_SIGN_IN = text(
    "INSERT INTO sign_ins (tenant_id, state_sha256, nonce, verifier, return_to, expires_at)"
    " VALUES (:tenant, :state, :nonce, :verifier, :return_to, :expires_at)"
)
_TAKE_SIGN_IN = text(
    "DELETE FROM sign_ins WHERE state_sha256 = :state RETURNING nonce, verifier, return_to, expires_at"
)
_FORGET_OLD = text("DELETE FROM sessions WHERE person_id = :person AND (expires_at <= :now OR seen_at <= :idle)")
_START = text(
    "INSERT INTO sessions (tenant_id, secret_sha256, person_id, created_at, seen_at, expires_at)"
    " VALUES (:tenant, :secret, :person, :now, :now, :expires_at)"
)
_TENANT = text("SELECT cortex_session_tenant(:secret)")
_CREDENTIAL = text(
    "SELECT s.person_id, s.seen_at, p.role, coalesce(e.email, p.user_name, p.name) AS email"
    " FROM sessions s JOIN persons p ON p.id = s.person_id"
    " LEFT JOIN LATERAL (SELECT email FROM person_emails WHERE person_id = p.id ORDER BY email LIMIT 1) e ON true"
    " WHERE s.secret_sha256 = :secret AND s.expires_at > :now AND s.seen_at > :idle AND p.active AND p.known"
)
_SEEN = text("UPDATE sessions SET seen_at = :now WHERE secret_sha256 = :secret")
_END = text("DELETE FROM sessions WHERE secret_sha256 = :secret")
_END_ALL = text("DELETE FROM sessions WHERE person_id = :person")


@dataclass(frozen=True, slots=True)
class SessionLimits:
    idle: timedelta = timedelta(hours=8)
    absolute: timedelta = timedelta(days=7)
    sign_in: timedelta = timedelta(minutes=10)
    sign_ins_max: int = 10_000


def digest(secret: str) -> bytes:
    """Enough where the secret is random and long; a password would need more."""
    return hashlib.sha256(secret.encode()).digest()


class PostgresSessions(LeavesLines):
    """Implements Sessions and SignIns."""

    def __init__(self, database: Database, clock: Clock, limits: SessionLimits) -> None:
        self._database = database
        self._clock = clock
        self._limits = limits

    async def put(self, tenant: TenantId, state: str, pending: PendingSignIn) -> None:
        now = self._clock.now()
        values = {
            "tenant": tenant,
            "state": digest(state),
            "nonce": pending.nonce,
            "verifier": pending.verifier,
            "return_to": pending.return_to,
            "expires_at": now + self._limits.sign_in,
        }
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FORGET_OLD_SIGN_INS, {"now": now})
            if (await connection.execute(_COUNT_SIGN_INS)).scalar_one() >= self._limits.sign_ins_max:
                raise Exhausted("too many sign-ins are under way; try again in a few minutes")
            await connection.execute(_PUT_SIGN_IN, values)

    async def take(self, tenant: TenantId, state: str) -> PendingSignIn:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_TAKE_SIGN_IN, {"state": digest(state)})).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            raise Denied("this sign-in is unknown, used or too old; start again")
        return PendingSignIn(row.nonce, row.verifier, row.return_to)

    async def start(self, tenant: TenantId, person: PersonId) -> StartedSession:
        now, secret = self._clock.now(), secrets.token_urlsafe(SECRET_BYTES)
        values = {"tenant": tenant, "secret": digest(secret), "person": person, "now": now}
        expires_at = now + self._limits.absolute
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FORGET_OLD, {"person": person, "now": now, "idle": now - self._limits.idle})
            await connection.execute(_START, values | {"expires_at": expires_at})
            await self._leave_line(connection, tenant)
        return StartedSession(secret, expires_at)

    async def credential(self, secret: str) -> Credential:
        now, hashed = self._clock.now(), digest(secret)
        async with self._database.spanning() as connection:
            tenant = (await connection.execute(_TENANT, {"secret": hashed})).scalar_one()
            if tenant is None:
                raise Denied("the session has ended; sign in again")
            await connection.execute(SET_TENANT, {"tenant": str(tenant)})
            values = {"secret": hashed, "now": now, "idle": now - self._limits.idle}
            row = (await connection.execute(_CREDENTIAL, values)).one_or_none()
            if row is None:
                raise Denied("the session has ended; sign in again")
            if now - row.seen_at >= SEEN_EVERY:
                await connection.execute(_SEEN, {"secret": hashed, "now": now})
        return Credential(TenantId(tenant), PersonId(row.person_id), row.email, Role(row.role))

    async def end(self, secret: str) -> None:
        async with self._database.spanning() as connection:
            tenant = (await connection.execute(_TENANT, {"secret": digest(secret)})).scalar_one()
            if tenant is not None:
                await connection.execute(SET_TENANT, {"tenant": str(tenant)})
                await connection.execute(_END, {"secret": digest(secret)})
                await self._leave_line(connection, TenantId(tenant))

    async def end_all(self, tenant: TenantId, person: PersonId) -> int:
        async with self._database.tenant(tenant) as connection:
            ended = (await connection.execute(_END_ALL, {"person": person})).rowcount
            await self._leave_line(connection, tenant)
            return ended
