"""Erasures that were asked for (ports/erasure.py)."""

import uuid
from collections.abc import Mapping

from sqlalchemy import Row, text

from cortex.adapters.postgres.acl_rows import as_json
from cortex.adapters.postgres.audit import LeavesLines
from cortex.adapters.postgres.database import Database
from cortex.domain.erasure import Erasure, ErasureState, Subject, SubjectKind
from cortex.domain.errors import NotFound
from cortex.domain.identity import TenantId
from cortex.ports.clock import Clock

_COLUMNS = "id, subject_kind, subject_id, requested_by, requested_at, state, finished_at, stores, certificate, error"
_REQUEST = text(
    "INSERT INTO erasures (tenant_id, id, subject_kind, subject_id, requested_by)"
    " VALUES (:tenant, :id, :kind, :subject, :by) ON CONFLICT DO NOTHING"
)
_RUNNING = text(
    f"SELECT {_COLUMNS} FROM erasures WHERE subject_kind = :kind AND subject_id = :subject AND state = 'running'"
)
_DOCUMENT = text("SELECT id FROM documents WHERE id = :id")
_PERSON = text("SELECT person_id FROM person_emails WHERE email = :email")
_GET = text(f"SELECT {_COLUMNS} FROM erasures WHERE id = :id")
_NEWEST = text(f"SELECT {_COLUMNS} FROM erasures ORDER BY requested_at DESC LIMIT :most")
_FOUND = text(
    "UPDATE erasures SET stores = stores || jsonb_build_object(CAST(:store AS text),"
    " greatest(CAST(:number AS bigint), coalesce((stores ->> :store)::bigint, 0))) WHERE id = :id AND state = 'running'"
)
_FINISH = text(
    "UPDATE erasures SET state = 'done', finished_at = now(), certificate = CAST(:certificate AS jsonb), error = NULL"
    " WHERE id = :id AND certificate IS NULL"
)
_FAIL = text(
    "UPDATE erasures SET state = 'failed', finished_at = now(), error = :error WHERE id = :id AND state = 'running'"
)


class PostgresErasures(LeavesLines):
    """Implements ErasureLedger."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def request(self, tenant: TenantId, subject: Subject, *, by: str) -> Erasure:
        values = {"tenant": tenant, "id": uuid.uuid4(), "kind": subject.kind.value, "subject": subject.id, "by": by}
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_REQUEST, values)
            running = _erasure((await connection.execute(_RUNNING, values)).one())
            await self._leave_line(connection, tenant, erasure=str(running.id))
            return running

    async def document(self, tenant: TenantId, document: uuid.UUID) -> Subject:
        async with self._database.tenant(tenant) as connection:
            if (await connection.execute(_DOCUMENT, {"id": document})).one_or_none() is None:
                raise NotFound("no such document")
        return Subject(SubjectKind.DOCUMENT, document)

    async def person(self, tenant: TenantId, email: str) -> Subject:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_PERSON, {"email": email})).one_or_none()
        if row is None:
            raise NotFound("no such person")
        return Subject(SubjectKind.PERSON, row.person_id)

    async def erasure(self, tenant: TenantId, erasure: uuid.UUID) -> Erasure:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_GET, {"id": erasure})).one_or_none()
        if row is None:
            raise NotFound("no such erasure")
        return _erasure(row)

    async def erasures(self, tenant: TenantId, *, limit: int) -> list[Erasure]:
        async with self._database.tenant(tenant) as connection:
            return [_erasure(row) for row in await connection.execute(_NEWEST, {"most": limit})]

    async def found(self, tenant: TenantId, erasure: uuid.UUID, *, store: str, number: int) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FOUND, {"id": erasure, "store": store, "number": number})

    async def finish(self, tenant: TenantId, erasure: uuid.UUID, *, certificate: Mapping[str, object]) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FINISH, {"id": erasure, "certificate": as_json(certificate)})

    async def fail(self, tenant: TenantId, erasure: uuid.UUID, *, error: str) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_FAIL, {"id": erasure, "error": error})


def _erasure(row: Row[tuple[object, ...]]) -> Erasure:
    return Erasure(
        id=row.id,
        subject=Subject(SubjectKind(row.subject_kind), row.subject_id),
        requested_by=row.requested_by,
        requested_at=row.requested_at,
        state=ErasureState(row.state),
        finished_at=row.finished_at,
        stores=row.stores,
        certificate=row.certificate,
        error=row.error,
    )
