"""Connector secrets, encrypted (ports/source_secrets.py). Postgres sees ciphertext alone."""

from collections.abc import Mapping

from sqlalchemy import Row, text
from sqlalchemy.exc import IntegrityError

from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.domain.errors import NotFound
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.clock import Clock
from cortex.ports.sealer import Sealed, Sealer

_COLUMNS = "source_id, name, key_id, wrapped_key, nonce, ciphertext"
_PUT = text(
    f"INSERT INTO source_secrets (tenant_id, {_COLUMNS})"
    " VALUES (:tenant, :source, :name, :key_id, :wrapped_key, :nonce, :ciphertext)"
    " ON CONFLICT (tenant_id, source_id, name) DO UPDATE SET key_id = excluded.key_id,"
    " wrapped_key = excluded.wrapped_key, nonce = excluded.nonce, ciphertext = excluded.ciphertext, created_at = now()"
)
_GET = text(f"SELECT {_COLUMNS} FROM source_secrets WHERE source_id = :source ORDER BY name")
_NAMES = text("SELECT name FROM source_secrets WHERE source_id = :source ORDER BY name")
_ALL = text(f"SELECT {_COLUMNS} FROM source_secrets ORDER BY source_id, name FOR UPDATE")
_REWRAP = text(
    "UPDATE source_secrets SET key_id = :key_id, wrapped_key = :wrapped_key WHERE source_id = :source AND name = :name"
)


class PostgresSecrets(LeavesLines):
    """Implements SourceSecrets. A row opens in its own tenant, source and name, and nowhere else."""

    def __init__(self, database: Database, sealer: Sealer, clock: Clock) -> None:
        self._database = database
        self._sealer = sealer
        self._clock = clock

    async def put(self, tenant: TenantId, source: SourceId, secrets: Mapping[str, str]) -> None:
        rows = [
            {"tenant": tenant, "source": source, "name": name, **await self._sealed(tenant, source, name, value)}
            for name, value in sorted(secrets.items())
        ]
        if not rows:
            return
        async with self._database.tenant(tenant) as connection:
            try:
                await connection.execute(_PUT, rows)
            except IntegrityError as error:
                raise NotFound("the source is not known") from error
            await self._leave_line(connection, tenant)

    async def get(self, tenant: TenantId, source: SourceId) -> dict[str, str]:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_GET, {"source": source})).all()
        return {row.name: await self._opened(tenant, row) for row in rows}

    async def names(self, tenant: TenantId, source: SourceId) -> list[str]:
        async with self._database.tenant(tenant) as connection:
            return list((await connection.execute(_NAMES, {"source": source})).scalars())

    async def rewrap(self, tenant: TenantId) -> int:
        changed = 0
        async with self._database.tenant(tenant) as connection:
            for row in (await connection.execute(_ALL)).all():
                sealed = await self._sealer.rewrap(_sealed(row), _context(tenant, row.source_id, row.name))
                if sealed is not None:
                    values = {"key_id": sealed.key_id, "wrapped_key": sealed.wrapped_key}
                    await connection.execute(_REWRAP, values | {"source": row.source_id, "name": row.name})
                    changed += 1
            await self._leave_line(connection, tenant, rewrapped=changed)
        return changed

    async def _sealed(self, tenant: TenantId, source: SourceId, name: str, value: str) -> dict[str, object]:
        sealed = await self._sealer.seal(value.encode(), _context(tenant, source, name))
        return {
            "key_id": sealed.key_id,
            "wrapped_key": sealed.wrapped_key,
            "nonce": sealed.nonce,
            "ciphertext": sealed.ciphertext,
        }

    async def _opened(self, tenant: TenantId, row: Row[tuple[object, ...]]) -> str:
        return (await self._sealer.open(_sealed(row), _context(tenant, row.source_id, row.name))).decode()


def _sealed(row: Row[tuple[object, ...]]) -> Sealed:
    return Sealed(row.key_id, bytes(row.wrapped_key), bytes(row.nonce), bytes(row.ciphertext))


def _context(tenant: TenantId, source: SourceId, name: str) -> bytes:
    return f"source secret\0{tenant}\0{source}\0{name}".encode()
