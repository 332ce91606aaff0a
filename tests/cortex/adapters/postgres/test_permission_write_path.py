"""The way of a permission write: commit, apply, mark. Wherever it breaks off, the same code makes it whole."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from authzed.api.v1 import (
    CheckPermissionRequest,
    CheckPermissionResponse,
    Consistency,
    ObjectReference,
    SubjectReference,
    ZedToken,
)
from sqlalchemy import text

from cortex.adapters import spicedb as schema_package
from cortex.adapters.clock import SystemClock
from cortex.adapters.objects import Objects
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.source_writer import PostgresSourceWriter
from cortex.adapters.redis import RedisGroupCache
from cortex.adapters.spicedb_local.consistency import Settling
from cortex.adapters.spicedb_local.engine import Engine
from cortex.adapters.spicedb_local.library import Library, locate
from cortex.adapters.spicedb_local.replay import load_schema, load_tuples
from cortex.domain.acl import UserRef, parse_acl
from cortex.domain.errors import Transient
from cortex.domain.identity import DocumentId, PersonId, TenantId
from cortex.domain.relation import RelationUpdate, object_id
from cortex.ports.permission_engine import Check, PermissionEngine
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers

SCHEMA = (Path(schema_package.__file__).parent / "schema.zed").read_text(encoding="utf-8")


class Killed(BaseException):
    """What a process that is killed does not catch."""


@dataclass
class Dying:
    """A permission engine in a process that is killed `before` or `after` a write, or whose answer gets lost."""

    engine: PermissionEngine
    point: str
    writes: int = 0
    sent: list[RelationUpdate] = field(default_factory=list)

    async def write(self, updates: Sequence[RelationUpdate]) -> str:
        self.writes += 1
        self.sent += updates
        if self.point == "before":
            raise Killed
        token = await self.engine.write(updates)
        if self.point == "after":
            raise Killed
        if self.point == "lost":
            raise Transient("the answer got lost")
        return token

    async def check(
        self, tenant: TenantId, person: PersonId, checks: Sequence[Check], *, at_least_as_fresh: str | None
    ) -> list[bool]:
        return await self.engine.check(tenant, person, checks, at_least_as_fresh=at_least_as_fresh)


@pytest.fixture
async def cache(redis_url: str) -> AsyncIterator[RedisGroupCache]:
    cache = RedisGroupCache(redis_url)
    yield cache
    await cache.close()


def writer(store: Store, engine: PermissionEngine, cache: RedisGroupCache, objects: Path) -> PostgresSourceWriter:
    """Of another process than the test's."""
    permissions = PermissionApplier(store.database, engine)
    return PostgresSourceWriter(
        store.database, Objects(objects.as_uri()), permissions, SystemClock(), cache, pipeline_version="1"
    )


async def ann_and_ben(store: Store) -> tuple[PersonId, PersonId]:
    put = store.directory.put_person
    ann, ben = [await put(store.tenant, f"{name}@acme.example", name=name, guest=False) for name in ("ann", "ben")]
    return ann.id, ben.id


async def seeing(store: Store, document: DocumentId, *people: PersonId) -> list[bool]:
    async with store.database.tenant(store.tenant) as connection:
        token = (await connection.execute(text("SELECT token FROM permission_marks"))).scalar_one()
    return [
        answer
        for person in people
        for answer in await store.engine.check(store.tenant, person, [Check(document)], at_least_as_fresh=token)
    ]


async def state(store: Store) -> tuple[int, int]:
    """What waits to be applied, and how far the mark is behind the sequence."""
    statement = text(
        "SELECT (SELECT count(*) FROM permission_outbox), s.last - m.applied"
        " FROM permission_sequences s JOIN permission_marks m USING (tenant_id)"
    )
    async with store.database.tenant(store.tenant) as connection:
        waiting, behind = (await connection.execute(statement)).one()
    return waiting, behind


async def _change(store: Store, dying: PostgresSourceWriter, change: str) -> None:
    """Takes the document from Ann; a deletion from everybody."""
    if change == "acl":
        only_ben = parse_acl({"allow": ["user:ben@acme.example"]})
        await dying.put_document(store.tenant, store.source, page(acl=only_ben))
    elif change == "group":
        await dying.put_group(store.tenant, store.source, "crew", [UserRef("ben@acme.example")], version=None)
    else:
        await dying.delete_document(store.tenant, store.source, "a.md", reason="gone")


@pytest.mark.parametrize("point", ["before", "after", "lost"])
@pytest.mark.parametrize("change", ["acl", "group", "delete"])
async def test_a_write_that_broke_off_is_made_whole_by_whoever_comes_next(
    store: Store, cache: RedisGroupCache, tmp_path: Path, point: str, change: str
) -> None:
    ann, ben = await ann_and_ben(store)
    both = [UserRef("ann@acme.example"), UserRef("ben@acme.example")]
    await store.writer.put_group(store.tenant, store.source, "crew", both, version=None)
    acl = parse_acl({"allow": ["group:wiki/crew"]})
    written = await store.writer.put_document(store.tenant, store.source, page(acl=acl))
    assert await seeing(store, written.document_id, ann, ben) == [True, True]
    dying = writer(store, Dying(store.engine, point), cache, tmp_path)
    with pytest.raises((Killed, Transient)):
        await _change(store, dying, change)
    waiting, behind = await state(store)
    assert waiting == behind > 0
    await store.permissions.apply_all(store.tenant)
    assert await state(store) == (0, 0)
    assert await seeing(store, written.document_id, ann, ben) == [False, change != "delete"]


async def test_the_same_write_again_is_not_acknowledged_before_the_first_is_applied(
    store: Store, cache: RedisGroupCache, tmp_path: Path
) -> None:
    ann, _ = await ann_and_ben(store)
    acl = parse_acl({"allow": ["user:ann@acme.example"]})
    dying = writer(store, Dying(store.engine, "before"), cache, tmp_path)
    with pytest.raises(Killed):
        await dying.put_document(store.tenant, store.source, page(acl=acl))
    again = await store.writer.put_document(store.tenant, store.source, page(acl=acl))
    assert not again.changed
    assert await state(store) == (0, 0)
    assert await seeing(store, again.document_id, ann) == [True]


async def test_appliers_take_turns_and_apply_everything_once(store: Store) -> None:
    """What one applies no other applies again, however many wait."""
    counting = Dying(store.engine, "never")
    ann, _ = await ann_and_ben(store)
    appliers = [PermissionApplier(store.database, counting) for _ in range(3)]
    async with store.database.tenant(store.tenant) as connection:
        await connection.execute(
            text(
                "INSERT INTO permission_outbox SELECT s.tenant_id, s.last + n, 'touch', 'document',"
                " s.tenant_id || '/' || n, 'allow', 'person', :ann"
                " FROM permission_sequences s, generate_series(1, 2500) AS n"
            ),
            {"ann": object_id(store.tenant, ann)},
        )
        await connection.execute(text("UPDATE permission_sequences SET last = last + 2500"))
    await asyncio.gather(*(applier.apply_all(store.tenant) for applier in appliers))
    assert len(counting.sent) == len(set(counting.sent)) == 2500
    assert await state(store) == (0, 0)


async def test_an_engine_that_starts_anew_knows_everything_and_takes_no_token_of_before_for_now(
    store: Store, postgres_url: PostgresUrls
) -> None:
    """Ann was revoked after the token; the new life must not answer out of any time before its replay was complete."""
    ann, ben = await ann_and_ben(store)
    allow = parse_acl({"allow": ["user:ann@acme.example", "user:ben@acme.example"]})
    written = await store.writer.put_document(store.tenant, store.source, page(acl=allow))
    async with store.database.tenant(store.tenant) as connection:
        before = (await connection.execute(text("SELECT token FROM permission_marks"))).scalar_one()
    only_ben = parse_acl({"allow": ["user:ben@acme.example"]})
    await store.writer.put_document(store.tenant, store.source, page(acl=only_ben))
    with psycopg.connect(postgres_url.admin) as admin:
        rows = admin.execute(
            "SELECT resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
            " FROM relation_tuples WHERE tenant_id = %s",
            [store.tenant],
        ).fetchall()
    with closing(Engine(Library(locate()))) as engine:
        load_schema(engine, SCHEMA)
        assert load_tuples(engine, rows) == len(rows)
        settling = Settling()
        for person, expected in ((ann, False), (ben, True)):
            request = CheckPermissionRequest(
                consistency=Consistency(at_least_as_fresh=ZedToken(token=before)),
                resource=ObjectReference(
                    object_type="document", object_id=object_id(store.tenant, written.document_id)
                ),
                permission="view",
                subject=SubjectReference(
                    object=ObjectReference(object_type="person", object_id=object_id(store.tenant, person))
                ),
            )
            answer = CheckPermissionResponse()
            adjusted = settling.adjust("CheckPermission", request.SerializeToString())
            answer.ParseFromString(engine.call("CheckPermission", adjusted))
            has = answer.permissionship == CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION
            assert has is expected


async def test_what_was_committed_and_never_applied_is_there_after_a_start(
    store: Store, cache: RedisGroupCache, tmp_path: Path, postgres_url: PostgresUrls
) -> None:
    """The mirror is written with the row, so a replay is ahead of the outbox, and applying that is harmless."""
    ann, _ = await ann_and_ben(store)
    dying = writer(store, Dying(store.engine, "before"), cache, tmp_path)
    acl = parse_acl({"allow": ["user:ann@acme.example"]})
    with pytest.raises(Killed):
        await dying.put_document(store.tenant, store.source, page(acl=acl))
    with psycopg.connect(postgres_url.admin) as admin:
        count = admin.execute(
            "SELECT count(*) FROM relation_tuples WHERE tenant_id = %s AND subject_id = %s AND relation = 'allow'",
            [store.tenant, object_id(store.tenant, ann)],
        ).fetchone()
    assert count == (1,)
    await store.permissions.apply_all(store.tenant)
    await store.permissions.apply_all(store.tenant)
    assert await state(store) == (0, 0)
