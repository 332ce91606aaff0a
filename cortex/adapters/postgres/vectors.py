"""Stored vectors: reused by `embed`, read by `rerank` (ports/vector_cache.py, ports/token_vector_store.py)."""

import struct
from collections.abc import Collection, Mapping

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.encoding import PassageEncoding, StoredTokens, pack_token_ids, unpack_floats, unpack_token_ids
from cortex.domain.identity import TenantId

# Taking a vector up again clears its mark, so that the sweep cannot take it away underneath.
_TAKE_UP = text(
    "UPDATE chunk_vectors SET orphaned_at = NULL WHERE model = :model AND embedded_sha256 = ANY(:hashes)"
    " AND orphaned_at IS NOT NULL"
)
_DENSE = text(
    "SELECT embedded_sha256, dense FROM chunk_vectors WHERE model = :model AND embedded_sha256 = ANY(:hashes)"
)
_SAVE = text(
    "INSERT INTO chunk_vectors (tenant_id, model, embedded_sha256, dense, token_bits, token_ids, tokens)"
    " VALUES (:tenant, :model, :hash, :dense, :token_bits, :token_ids, :tokens) ON CONFLICT DO NOTHING"
)
_LOAD = text(
    "SELECT embedded_sha256, token_bits, token_ids FROM chunk_vectors"
    " WHERE model = :model AND embedded_sha256 = ANY(:hashes)"
)
_SAMPLE = text("SELECT token_ids FROM chunk_vectors WHERE model = :model ORDER BY embedded_sha256 LIMIT :most")
_COUNT = text("SELECT count(*) FROM chunk_vectors WHERE model = :model")
_MARK_ORPHANS = text(
    "UPDATE chunk_vectors v SET orphaned_at = now() WHERE orphaned_at IS NULL"
    " AND NOT EXISTS (SELECT FROM chunks c WHERE c.embedded_sha256 = v.embedded_sha256)"
)
_SWEEP = text(
    "DELETE FROM chunk_vectors v WHERE orphaned_at < now() - make_interval(secs => :grace_s)"
    " AND NOT EXISTS (SELECT FROM chunks c WHERE c.embedded_sha256 = v.embedded_sha256)"
)


class PostgresVectors:
    """Implements VectorCache and TokenVectorStore. Dense vectors are stored as float16."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def dense(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, tuple[float, ...]]:
        values = {"model": model_key, "hashes": list(embedded_sha256s)}
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_TAKE_UP, values)
            rows = await connection.execute(_DENSE, values)
            return {row.embedded_sha256: _unpack_halves(bytes(row.dense)) for row in rows}

    async def save(
        self, tenant: TenantId, *, model_key: str, encodings: Mapping[str, PassageEncoding]
    ) -> dict[str, tuple[float, ...]]:
        halves = {key: _pack_halves(unpack_floats(encoding.dense)) for key, encoding in encodings.items()}
        rows = [
            {
                "tenant": tenant,
                "model": model_key,
                "hash": embedded_sha256,
                "dense": halves[embedded_sha256],
                "token_bits": encoding.stored.token_bits,
                "token_ids": pack_token_ids(encoding.stored.token_ids),
                "tokens": encoding.stored.tokens,
            }
            for embedded_sha256, encoding in sorted(encodings.items())
        ]
        if rows:
            async with self._database.tenant(tenant) as connection:
                await connection.execute(_SAVE, rows)
        return {key: _unpack_halves(packed) for key, packed in halves.items()}

    async def load(
        self, tenant: TenantId, *, model_key: str, embedded_sha256s: Collection[str]
    ) -> dict[str, StoredTokens]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_LOAD, {"model": model_key, "hashes": list(embedded_sha256s)})
            return {
                row.embedded_sha256: StoredTokens(bytes(row.token_bits), unpack_token_ids(bytes(row.token_ids)))
                for row in rows
            }

    async def sample(self, tenant: TenantId, *, model_key: str, limit: int) -> list[tuple[int, ...]]:
        """Hashes are as good as random, so that the first of them are spread over the whole."""
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_SAMPLE, {"model": model_key, "most": limit})
            return [unpack_token_ids(bytes(row.token_ids)) for row in rows]

    async def count(self, tenant: TenantId, *, model_key: str) -> int:
        async with self._database.tenant(tenant) as connection:
            return int((await connection.execute(_COUNT, {"model": model_key})).scalar_one())

    async def sweep(self, tenant: TenantId, *, grace_s: float) -> int:
        """Erases vectors that no chunk has referred to for `grace_s`; returns how many."""
        async with self._database.tenant(tenant) as connection:
            swept = (await connection.execute(_SWEEP, {"grace_s": grace_s})).rowcount
            await connection.execute(_MARK_ORPHANS)
            return int(swept)


def _pack_halves(floats: tuple[float, ...]) -> bytes:
    return struct.pack(f"<{len(floats)}e", *floats)


def _unpack_halves(packed: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(packed) // 2}e", packed)
