"""API keys (ports/api_keys.py)."""

import hmac
import re
import secrets
import uuid
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import SET_TENANT, Database
from cortex.adapters.postgres.people_rows import lock_people, settle
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.sessions import SECRET_BYTES, digest
from cortex.domain.credential import Credential, Refused, Role, Scope
from cortex.domain.errors import Conflict, Denied, NotFound
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.api_keys import PREFIX, KeyId, KeyRecord, MadeKey, NewKey
from cortex.ports.clock import Clock

USED_EVERY = timedelta(minutes=1)
SERVICE_DOMAIN = "service.invalid"
"""Where service people have their addresses: a name that no mail and no identity provider can have (RFC 2606)."""

_KEY = re.compile(r"ck_([0-9a-f]{32})_([A-Za-z0-9_-]{43})")
_COLUMNS = (
    "k.id, k.person_id, coalesce(e.email, p.user_name, p.name) AS person, k.name, k.scopes, k.role, k.created_by,"
    " k.created_at, k.expires_at, k.used_at, k.revoked_at, k.secret_sha256, p.active"
    " FROM api_keys k JOIN persons p ON p.id = k.person_id"
    " LEFT JOIN LATERAL (SELECT email FROM person_emails WHERE person_id = p.id ORDER BY email LIMIT 1) e ON true"
)
_ONE = text(f"SELECT {_COLUMNS} WHERE k.id = :id")
_PAGE = text(
    f"SELECT {_COLUMNS} WHERE (CAST(:person AS uuid) IS NULL OR k.person_id = :person)"
    " AND (:after = '' OR k.id > CAST(nullif(:after, '') AS uuid)) ORDER BY k.id LIMIT :limit"
)
_MAKE = text(
    "INSERT INTO api_keys (tenant_id, id, person_id, name, secret_sha256, scopes, role, created_by, created_at,"
    " expires_at) VALUES (:tenant, :id, :person, :name, :secret, :scopes, :role, :created_by, :now, :expires_at)"
)
_HOLDS = text(
    "SELECT EXISTS (SELECT FROM api_keys k JOIN persons p ON p.id = k.person_id WHERE p.service AND k.name = :name"
    " AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now))"
)
_SERVICE = text(
    "SELECT p.id, p.known AND NOT p.service AS taken FROM person_emails e JOIN persons p ON p.id = e.person_id"
    " WHERE e.email = :email"
)
_MAKE_SERVICE = text(
    "INSERT INTO persons (tenant_id, id, name, guest, known, service) VALUES (:tenant, :id, :name, :guest, true, true)"
)
_MAKE_EMAIL = text("INSERT INTO person_emails (tenant_id, email, person_id) VALUES (:tenant, :email, :id)")
_RENEW_SERVICE = text(
    "UPDATE persons SET name = :name, guest = :guest, known = true, service = true, active = true WHERE id = :id"
)
_TENANT = text("SELECT cortex_api_key_tenant(:id)")
_USED = text("UPDATE api_keys SET used_at = :now WHERE id = :id")
_REVOKE = text("UPDATE api_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL")


class PostgresApiKeys(LeavesLines):
    """Implements ApiKeys. A service key's person keeps its id over renewals, so that ACLs may name it."""

    def __init__(self, database: Database, permissions: PermissionApplier, clock: Clock) -> None:
        self._database = database
        self._permissions = permissions
        self._clock = clock

    async def make(self, tenant: TenantId, key: NewKey) -> MadeKey:
        identifier, secret, now = uuid.uuid4(), secrets.token_urlsafe(SECRET_BYTES), self._clock.now()
        sequence = None
        async with self._database.tenant(tenant) as connection:
            person = key.person
            if person is None:
                await lock_people(connection, tenant)
                if (await connection.execute(_HOLDS, {"name": key.name, "now": now})).scalar_one():
                    raise Conflict(f"a key named {key.name!r} holds already; revoke it or choose another name")
                person = await _service_person(connection, tenant, key)
                sequence = await settle(connection, tenant, person)
            values = {
                "tenant": tenant,
                "id": identifier,
                "person": person,
                "name": key.name,
                "secret": digest(secret),
                "scopes": sorted(scope.value for scope in key.scopes),
                "role": key.role.value,
                "created_by": key.created_by,
                "now": now,
                "expires_at": key.expires_at,
            }
            await connection.execute(_MAKE, values)
            row = (await connection.execute(_ONE, {"id": identifier})).one()
            await self._leave_line(connection, tenant, made=identifier)
        await self._permissions.apply_until(tenant, sequence)
        return MadeKey(_record(row), f"{PREFIX}{identifier.hex}_{secret}")

    async def keys(self, tenant: TenantId, *, person: PersonId | None, after: str, limit: int) -> Sequence[KeyRecord]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_PAGE, {"person": person, "after": after, "limit": limit})
            return [_record(row) for row in rows]

    async def revoke(self, tenant: TenantId, key: KeyId, *, person: PersonId | None) -> KeyRecord:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_REVOKE, {"id": key, "now": self._clock.now()})
            row = (await connection.execute(_ONE, {"id": key})).one_or_none()
            if row is None or (person is not None and row.person_id != person):
                raise NotFound("there is no such key")  # and what was revoked here is rolled back
            await self._leave_line(connection, tenant)
        return _record(row)

    async def credential(self, key: str) -> Credential:
        match = _KEY.fullmatch(key)
        if match is None:
            raise Denied("this is not an API key of this platform")
        identifier, now = KeyId(uuid.UUID(match[1])), self._clock.now()
        async with self._database.spanning() as connection:
            tenant = (await connection.execute(_TENANT, {"id": identifier})).scalar_one()
            if tenant is not None:
                await connection.execute(SET_TENANT, {"tenant": str(tenant)})
            row = (await connection.execute(_ONE, {"id": identifier})).one_or_none()
            # One message for all: whoever guesses learns nothing.
            if row is None or not hmac.compare_digest(digest(match[2]), bytes(row.secret_sha256)) or not row.active:
                raise Refused("the API key does not hold", tenant=tenant, about=f"key:{identifier}")
            if row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= now):
                raise Refused("the API key was revoked or has expired", tenant=tenant, about=f"key:{identifier}")
            if row.used_at is None or now - row.used_at >= USED_EVERY:
                await connection.execute(_USED, {"id": identifier, "now": now})
        scopes = frozenset(map(Scope, row.scopes))
        return Credential(TenantId(tenant), PersonId(row.person_id), row.person, Role(row.role), scopes)


async def _service_person(connection: AsyncConnection, tenant: TenantId, key: NewKey) -> PersonId:
    email = f"{key.name}@{SERVICE_DOMAIN}"
    found = (await connection.execute(_SERVICE, {"email": email})).one_or_none()
    if found is not None and found.taken:
        raise Conflict(f"{email} is a person's address; choose another name")
    identifier = found.id if found is not None else uuid.uuid4()
    values = {"tenant": tenant, "id": identifier, "name": key.name, "guest": key.guest, "email": email}
    if found is None:
        await connection.execute(_MAKE_SERVICE, values)
        await connection.execute(_MAKE_EMAIL, values)
    else:
        await connection.execute(_RENEW_SERVICE, values)
    return PersonId(identifier)


def _record(row: Row[tuple[object, ...]]) -> KeyRecord:
    return KeyRecord(
        id=KeyId(row.id),
        person_id=PersonId(row.person_id),
        person=row.person,
        name=row.name,
        scopes=frozenset(map(Scope, row.scopes)),
        role=Role(row.role),
        created_by=row.created_by,
        created_at=row.created_at,
        expires_at=row.expires_at,
        used_at=row.used_at,
        revoked_at=row.revoked_at,
    )
