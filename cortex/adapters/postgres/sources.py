"""Sources, their runs, cursors and failures (ports/source_store.py)."""

from collections.abc import Sequence

from sqlalchemy import Row, text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.group_rows import forget_groups
from cortex.domain.acl import Acl, parse_acl
from cortex.domain.change import Failure
from cortex.domain.errors import Conflict, NotFound
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.clock import Clock
from cortex.ports.source_store import Run, RunCounts, Source
from cortex.ports.source_writer import Known

_SOURCE_COLUMNS = "id, tenant_id, name, type, config, state, created_at"
_RUN_COLUMNS = (
    "id, source_id, kind, state, started_at, finished_at, cursor, seen, changed, deleted, failed, containers, error"
)
_SOURCE = text(f"SELECT {_SOURCE_COLUMNS} FROM sources WHERE id = :source")
_SOURCES = text(f"SELECT {_SOURCE_COLUMNS} FROM sources ORDER BY name")
_ADD_SOURCE = text(
    "INSERT INTO sources (tenant_id, id, name, type, config)"
    " VALUES (:tenant, :id, :name, :type, CAST(:config AS jsonb)) ON CONFLICT DO NOTHING"
)
_START_RUN = text(
    "INSERT INTO source_runs (tenant_id, id, source_id, kind) VALUES (:tenant, :run, :source, :kind)"
    " ON CONFLICT DO NOTHING"
)
_RUN = text(f"SELECT {_RUN_COLUMNS} FROM source_runs WHERE id = :run")
_RUNS = text(f"SELECT {_RUN_COLUMNS} FROM source_runs WHERE source_id = :source ORDER BY started_at DESC LIMIT :most")
_COMMIT_PAGE = text(
    "UPDATE source_runs SET cursor = :cursor, seen = seen + :seen, changed = changed + :changed,"
    " deleted = deleted + :deleted, failed = failed + :failed, containers = containers + :containers"
    " WHERE id = :run AND cursor IS NOT DISTINCT FROM CAST(:before AS text)"
)
_ADD_FAILURE = text(
    "INSERT INTO source_failures (tenant_id, source_id, external_id, stage, place, message)"
    " SELECT :tenant, source_id, :external_id, 'fetch', :place, :message FROM source_runs WHERE id = :run"
    " ON CONFLICT (tenant_id, source_id, external_id, stage)"
    " DO UPDATE SET place = excluded.place, message = excluded.message, at = now()"
)
_FINISH_RUN = text(
    "UPDATE source_runs SET state = CASE WHEN CAST(:error AS text) IS NULL THEN 'done' ELSE 'failed' END,"
    " error = :error, finished_at = now() WHERE id = :run AND state = 'running'"
)
# Its permissions are as they were when it began.
_FRESH = text(
    "UPDATE sources s SET acl_as_of = r.started_at FROM source_runs r WHERE r.id = :run AND s.id = r.source_id"
    " AND r.state = 'done' AND s.acl_as_of < r.started_at"
)
# A complete pass has seen every item: what it did not report again has been mended or is gone.
_FORGET_FAILURES = text(
    "DELETE FROM source_failures f USING source_runs r WHERE r.id = :run AND f.source_id = r.source_id"
    " AND f.stage = 'fetch' AND f.at < r.started_at AND CAST(:error AS text) IS NULL"
)
_KNOWN = text(
    "SELECT d.external_id, d.fingerprint, c.external_id AS container FROM documents d"
    " LEFT JOIN containers c ON c.id = d.container_id"
    " WHERE d.source_id = :source AND d.tombstoned_at IS NULL AND d.external_id > :after"
    " AND (CAST(:until AS text) IS NULL OR d.external_id <= :until) ORDER BY d.external_id LIMIT :most"
)
_KNOWN_CONTAINERS = text(
    "SELECT external_id FROM containers WHERE source_id = :source AND tombstoned_at IS NULL AND external_id > :after"
    " ORDER BY external_id LIMIT :most"
)
_CONTAINER_ACLS = text(
    "SELECT external_id, acl FROM containers WHERE source_id = :source AND tombstoned_at IS NULL"
    " AND external_id = ANY(:externals)"
)
_FAILURES = text(
    "SELECT external_id, place, stage || ': ' || message AS message FROM source_failures WHERE source_id = :source"
    " ORDER BY external_id LIMIT :most"
)
_SET_STATE = text(
    "UPDATE sources SET state = :state WHERE id = :source AND (state <> 'removing' OR :state = 'removing')"
)
_LIVING = text(
    "SELECT EXISTS (SELECT FROM documents WHERE source_id = :source AND tombstoned_at IS NULL)"
    " OR EXISTS (SELECT FROM containers WHERE source_id = :source AND tombstoned_at IS NULL)"
)
_REMOVE = text("DELETE FROM sources WHERE id = :source")
_COUNTS = text(
    "SELECT count(*) FILTER (WHERE indexed_revision = revision) AS indexed,"
    " count(*) FILTER (WHERE indexed_revision <> revision) AS waiting,"
    " (SELECT count(*) FROM source_failures WHERE source_id = :source) AS failed,"
    " (SELECT count(DISTINCT external_id) FROM source_failures WHERE source_id = :source AND stage <> 'fetch')"
    "  AS unreadable,"
    " (SELECT count(DISTINCT external_id) FROM source_failures WHERE source_id = :source AND stage = 'fetch')"
    "  AS not_read,"
    " (SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id AND c.revision = d.indexed_revision"
    "  WHERE d.source_id = :source AND d.tombstoned_at IS NULL) AS chunks"
    " FROM documents WHERE tombstoned_at IS NULL AND source_id = :source"
)


class PostgresSources(LeavesLines):
    """Implements SourceStore, and what administration asks about sources."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def source(self, tenant: TenantId, source: SourceId) -> Source:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_SOURCE, {"source": source})).one_or_none()
        if row is None:
            raise NotFound("the source is not known")
        return Source(*row)

    async def sources(self, tenant: TenantId) -> list[Source]:
        async with self._database.tenant(tenant) as connection:
            return [Source(*row) for row in await connection.execute(_SOURCES)]

    async def add(self, tenant: TenantId, source: SourceId, *, name: str, type_: str, config: object) -> bool:
        """False when a source of that name is there already."""
        async with self._database.tenant(tenant) as connection:
            values = {"tenant": tenant, "id": source, "name": name, "type": type_, "config": as_json(config)}
            added = (await connection.execute(_ADD_SOURCE, values)).rowcount == 1
            if added:
                await self._leave_line(connection, tenant)
            return added

    async def start_run(self, tenant: TenantId, source: SourceId, run_id: str, *, kind: str) -> Run:
        async with self._database.tenant(tenant) as connection:
            values = {"tenant": tenant, "run": run_id, "source": source, "kind": kind}
            await connection.execute(_START_RUN, values)
        return await self.run(tenant, run_id)

    async def run(self, tenant: TenantId, run_id: str) -> Run:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_RUN, {"run": run_id})).one_or_none()
        if row is None:
            raise NotFound("the run is not known")
        return _run(row)

    async def runs(self, tenant: TenantId, source: SourceId, *, limit: int) -> list[Run]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_RUNS, {"source": source, "most": limit})
            return [_run(row) for row in rows]

    async def commit_page(
        self,
        tenant: TenantId,
        run_id: str,
        *,
        before: str | None,
        cursor: str,
        counts: RunCounts,
        failures: Sequence[Failure],
    ) -> bool:
        async with self._database.tenant(tenant) as connection:
            values = {
                "run": run_id,
                "before": before,
                "cursor": cursor,
                "seen": counts.seen,
                "changed": counts.changed,
                "deleted": counts.deleted,
                "failed": counts.failed,
                "containers": counts.containers,
            }
            moved = (await connection.execute(_COMMIT_PAGE, values)).rowcount == 1
            if moved and failures:
                rows = [
                    {
                        "tenant": tenant,
                        "run": run_id,
                        "external_id": f.external_id,
                        "place": f.place,
                        "message": f.message,
                    }
                    for f in failures
                ]
                await connection.execute(_ADD_FAILURE, rows)
            return moved

    async def finish_run(self, tenant: TenantId, run_id: str, *, error: str | None) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FINISH_RUN, {"run": run_id, "error": error})
            await connection.execute(_FRESH, {"run": run_id})
            await connection.execute(_FORGET_FAILURES, {"run": run_id, "error": error})

    async def known(
        self, tenant: TenantId, source: SourceId, *, after: str, until: str | None, limit: int
    ) -> list[Known]:
        async with self._database.tenant(tenant) as connection:
            values = {"source": source, "after": after, "until": until, "most": limit}
            return [Known(*row) for row in await connection.execute(_KNOWN, values)]

    async def known_containers(self, tenant: TenantId, source: SourceId, *, after: str, limit: int) -> list[str]:
        async with self._database.tenant(tenant) as connection:
            values = {"source": source, "after": after, "most": limit}
            return list((await connection.execute(_KNOWN_CONTAINERS, values)).scalars())

    async def container_acls(
        self, tenant: TenantId, source: SourceId, externals: Sequence[str]
    ) -> dict[str, Acl | None]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_CONTAINER_ACLS, {"source": source, "externals": list(externals)})
            return {row.external_id: None if row.acl is None else parse_acl(row.acl) for row in rows}

    async def failures(self, tenant: TenantId, source: SourceId, *, limit: int) -> list[Failure]:
        async with self._database.tenant(tenant) as connection:
            return [Failure(*row) for row in await connection.execute(_FAILURES, {"source": source, "most": limit})]

    async def counts(self, tenant: TenantId, source: SourceId) -> dict[str, int]:
        """Live documents that are indexed, those that wait to be, what failed, and chunks in the index.

        `unreadable` are indexed documents of which nothing could be read; `not_read` did not come in at all.
        """
        async with self._database.tenant(tenant) as connection:
            return dict((await connection.execute(_COUNTS, {"source": source})).one()._mapping)

    async def set_state(self, tenant: TenantId, source: SourceId, state: str) -> None:
        await self.source(tenant, source)
        async with self._database.tenant(tenant) as connection:
            values = {"source": source, "state": state}
            if (await connection.execute(_SET_STATE, values)).rowcount == 0:
                raise Conflict("the source is being removed")
            await self._leave_line(connection, tenant)

    async def remove(self, tenant: TenantId, source: SourceId) -> None:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_SOURCE, {"source": source})).one_or_none()
            if row is None:
                return
            if row.state != "removing" or (await connection.execute(_LIVING, {"source": source})).scalar_one():
                raise Conflict("the source still has documents or containers, or is not being removed")
            await forget_groups(connection, tenant, source)
            await connection.execute(_REMOVE, {"source": source})


def _run(row: Row[tuple[object, ...]]) -> Run:
    return Run(
        id=row.id,
        source_id=row.source_id,
        kind=row.kind,
        state=row.state,
        started_at=row.started_at,
        finished_at=row.finished_at,
        cursor=row.cursor,
        counts=RunCounts(row.seen, row.changed, row.deleted, row.failed, row.containers),
        error=row.error,
    )
