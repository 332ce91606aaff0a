"""What there is of a person. What they wrote stays a document of the company; that it was they goes."""

import json
import uuid
from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import queue_updates
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.erasing.statements import Statements
from cortex.adapters.postgres.group_rows import lock_groups
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.repairs import queue_change
from cortex.adapters.wrap.cached_directory import drop
from cortex.domain.erasure import Subject
from cortex.domain.identity import TenantId
from cortex.domain.relation import Operation, Relation, RelationUpdate, object_id
from cortex.domain.revision import EventKind
from cortex.ports.clock import Clock
from cortex.ports.group_cache import GroupCache

BATCH = 500
_RELATION = "resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
_COUNT_TUPLES = text("SELECT count(*) FROM relation_tuples WHERE subject_type = 'person' AND subject_id = :person")
_COUNT_MEMBERSHIPS = text("SELECT count(*) FROM group_members WHERE member_kind = 'person' AND member_id = :subject")
_TUPLES = text(
    f"SELECT owner_id, {_RELATION} FROM relation_tuples WHERE subject_type = 'person' AND subject_id = :person"
    f" ORDER BY owner_id, {_RELATION} LIMIT {BATCH}"
)
_LEAVE = text("DELETE FROM group_members WHERE member_kind = 'person' AND member_id = :subject")
_INACTIVE = text("UPDATE persons SET active = false WHERE id = :subject")
# An address by itself or in angle brackets, or a name that nobody else has.
_AUTHORED = (
    "SELECT d.id FROM documents d WHERE d.author IS NOT NULL AND (EXISTS (SELECT FROM person_emails e"
    " WHERE e.person_id = :subject AND (lower(d.author) = e.email OR lower(d.author) LIKE '%<' || e.email || '>'))"
    " OR EXISTS (SELECT FROM persons p WHERE p.id = :subject AND p.name <> '' AND lower(p.name) = lower(d.author)"
    " AND NOT EXISTS (SELECT FROM persons o WHERE o.id <> p.id AND lower(o.name) = lower(p.name))))"
)
_COUNT_AUTHORED = text(f"SELECT count(*) FROM ({_AUTHORED}) AS authored")
_ANONYMOUS = text(
    "UPDATE documents SET author = NULL, metadata_revision = metadata_revision + 1"
    f" WHERE id IN ({_AUTHORED} LIMIT {BATCH})"
    " RETURNING id, source_id, revision, metadata_revision, acl_revision, raw_key, content_sha256, metadata_sha256,"
    " mime, pipeline_version, tombstoned_at IS NOT NULL AS tombstoned"
)
_NAMED = (
    "acl IS NOT NULL AND EXISTS (SELECT FROM person_emails e WHERE e.person_id = :subject"
    " AND position('\"user:' || e.email || '\"' IN lower(acl::text)) > 0)"
)
_EMAILS = text("SELECT email FROM person_emails WHERE person_id = :subject")


class Memberships:
    """First of all: from here on the person may open nothing."""

    name = "permissions"

    def __init__(self, database: Database, permissions: PermissionApplier, groups: GroupCache) -> None:
        self._database = database
        self._permissions = permissions
        self._groups = groups

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        async with self._database.tenant(tenant) as connection:
            tuples = await connection.execute(_COUNT_TUPLES, {"person": object_id(tenant, subject.id)})
            members = await connection.execute(_COUNT_MEMBERSHIPS, {"subject": subject.id})
            return int(tuples.scalar_one()) + int(members.scalar_one())

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        async with self._database.tenant(tenant) as connection:
            # Leaving changes what is counted of several groups, whose rows others lock one by one.
            await lock_groups(connection, tenant)
            await connection.execute(_INACTIVE, {"subject": subject.id})
            await connection.execute(_LEAVE, {"subject": subject.id})
        while (sequence := await self._batch(tenant, subject)) is not None:
            await self._permissions.apply_until(tenant, sequence)
        await self._permissions.apply_all(tenant)
        await drop(self._groups, tenant)

    async def _batch(self, tenant: TenantId, subject: Subject) -> int | None:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_TUPLES, {"person": object_id(tenant, subject.id)})).all()
            owned: dict[uuid.UUID, list[RelationUpdate]] = {}
            for row in rows:
                owned.setdefault(row.owner_id, []).append(RelationUpdate(Operation.DELETE, Relation(*row[1:])))
            sequence = None
            for owner, updates in owned.items():
                sequence = await queue_updates(connection, tenant, owner, updates)
            return sequence


class Authorship:
    """Authors of documents, in rows and in the index."""

    name = "authorship"

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        async with self._database.tenant(tenant) as connection:
            return int((await connection.execute(_COUNT_AUTHORED, {"subject": subject.id})).scalar_one())

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        while await self._batch(tenant, subject):
            continue

    async def _batch(self, tenant: TenantId, subject: Subject) -> int:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_ANONYMOUS, {"subject": subject.id})).all()
            for row in rows:
                if row.tombstoned:
                    continue
                await queue_change(connection, tenant, row._asdict(), EventKind.METADATA, now=self._clock.now())
            return len(rows)


class NamesInAcls:
    """ACLs are kept as they were sent, by address. What is decided from them is kept by id, and stays as it is.

    A name of nobody takes the address's place: an `allow` that became empty would say something else.
    """

    name = "names in permissions"

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        async with self._database.tenant(tenant) as connection:
            number = 0
            for table in ("documents", "containers"):
                found = await connection.execute(
                    text(f"SELECT count(*) FROM {table} WHERE {_NAMED}"), {"subject": subject.id}
                )
                number += int(found.scalar_one())
            return number

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        for table in ("documents", "containers"):
            more = True
            while more:
                async with self._database.tenant(tenant) as connection:
                    more = await _unname(connection, table, subject)


async def _unname(connection: AsyncConnection, table: str, subject: Subject) -> bool:
    emails = (await connection.execute(_EMAILS, {"subject": subject.id})).scalars()
    nobody = f"user:{subject.id}@erased.invalid"
    renamed = {f"user:{email}": nobody for email in emails}
    found = text(f"SELECT id, acl FROM {table} WHERE {_NAMED} ORDER BY id LIMIT {BATCH} FOR UPDATE")
    rows = (await connection.execute(found, {"subject": subject.id})).all()
    change = text(f"UPDATE {table} SET acl = CAST(:acl AS jsonb) WHERE id = :id")
    for row in rows:
        await connection.execute(change, {"id": row.id, "acl": json.dumps(with_names(row.acl, renamed))})
    return len(rows) == BATCH


def with_names(acl: object, renamed: Mapping[str, str]) -> object:
    """The same JSON with other names, in lists of whatever depth."""
    if isinstance(acl, dict):
        return {key: with_names(value, renamed) for key, value in acl.items()}
    if isinstance(acl, list):
        return [with_names(item, renamed) for item in acl]
    return renamed.get(acl.lower(), acl) if isinstance(acl, str) else acl


def conversations(database: Database) -> Statements:
    """What the person asked and was answered, with the log of it, shares and feedback."""
    return Statements(
        database,
        "answers and conversations",
        count="SELECT (SELECT count(*) FROM answers WHERE person_id = :subject)"
        " + (SELECT count(*) FROM conversations WHERE person_id = :subject)",
        erase=[
            "DELETE FROM conversations WHERE person_id = :subject",
            "DELETE FROM answers WHERE person_id = :subject",
        ],
    )


def cached_answers(database: Database) -> Statements:
    """What a model wrote when they asked."""
    return Statements(
        database,
        "cached answers",
        count="SELECT count(*) FROM cached_answers WHERE person_id = :subject",
        erase=["DELETE FROM cached_answers WHERE person_id = :subject"],
    )


def credentials(database: Database) -> Statements:
    """Sessions, keys, and who the person is to an identity provider."""
    tables = ("sessions", "api_keys", "person_identities")
    held = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE person_id = :subject" for table in tables)
    return Statements(
        database,
        "credentials",
        count=f"SELECT count(*) FROM ({held}) AS held",
        erase=[f"DELETE FROM {table} WHERE person_id = :subject" for table in tables],
    )


def row(database: Database) -> Statements:
    """Last, since the others look addresses up in it."""
    return Statements(
        database,
        "person",
        count="SELECT (SELECT count(*) FROM person_emails WHERE person_id = :subject)"
        " + (SELECT count(*) FROM persons WHERE id = :subject)",
        erase=["DELETE FROM person_emails WHERE person_id = :subject", "DELETE FROM persons WHERE id = :subject"],
    )
