"""What a write of a source changes: counters, events, tuples, and nothing else."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.event_wire import content_event
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.repairs import IndexRepairs
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.source_writer import PostgresSourceWriter
from cortex.domain.acl import Acl, parse_acl
from cortex.domain.change import ContainerState, DocumentState, Failure
from cortex.domain.errors import Conflict, Invalid, NotFound, Transient
from cortex.domain.event import ContentEvent
from cortex.domain.identity import DocumentId, PersonId, TenantId
from cortex.domain.relation import RelationUpdate
from cortex.domain.revision import Counters, EventKind
from cortex.ports.audit_log import AuditEntry
from cortex.ports.permission_engine import Check
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers

EVERYONE = parse_acl({"public": "tenant"})


def acl(*allow: str, **more: object) -> Acl:
    return parse_acl({"allow": list(allow), **more})


def page(external_id: str = "a.md", body: str = "Deploys go out on Tuesdays.", **changes: object) -> DocumentState:
    state = DocumentState(
        external_id=external_id,
        data=body.encode(),
        name=external_id,
        mime="text/markdown",
        title=None,
        url="https://wiki.example/a",
        author=None,
        created_at=None,
        updated_at=None,
        container=None,
        acl=EVERYONE,
    )
    return replace(state, **changes)  # type: ignore[arg-type]


async def events(store: Store) -> list[ContentEvent]:
    """What waits in the outbox for this tenant, taken out of it."""
    async with store.database.tenant(store.tenant) as connection:
        rows = (await connection.execute(text("DELETE FROM event_outbox RETURNING id, payload"))).all()
    return [content_event(bytes(row.payload)) for row in sorted(rows, key=lambda row: row.id)]


async def sees(store: Store, email: str, document: DocumentId) -> bool:
    person = await store.directory.person(store.tenant, email)
    async with store.database.tenant(store.tenant) as connection:
        token = (await connection.execute(text("SELECT token FROM permission_marks"))).scalar_one()
    [allowed] = await store.engine.check(store.tenant, person.id, [Check(document)], at_least_as_fresh=token)
    return allowed


async def test_a_new_document_has_first_counters_and_one_event(store: Store) -> None:
    written = await store.writer.put_document(store.tenant, store.source, page())
    assert written.changed
    assert written.revision == 1
    [event] = await events(store)
    assert (event.kind, event.counters) == (EventKind.UPSERT, Counters(1, 1, 1))


async def test_the_same_again_changes_nothing(store: Store) -> None:
    await store.writer.put_document(store.tenant, store.source, page())
    await events(store)
    again = await store.writer.put_document(store.tenant, store.source, page())
    assert not again.changed
    assert await events(store) == []


@pytest.mark.parametrize(
    ("change", "kind", "counters"),
    [
        ({"url": "https://wiki.example/b"}, EventKind.METADATA, Counters(1, 2, 1)),
        ({"author": "ann@acme.example"}, EventKind.METADATA, Counters(1, 2, 1)),
        ({"acl": acl("user:ann@acme.example")}, EventKind.ACL, Counters(1, 1, 2)),
        ({"data": b"Deploys go out on Thursdays."}, EventKind.UPSERT, Counters(2, 1, 1)),
        ({"title": "Deploys"}, EventKind.UPSERT, Counters(2, 1, 1)),
    ],
)
async def test_only_the_counter_of_what_changed_moves(
    store: Store, change: dict[str, object], kind: EventKind, counters: Counters
) -> None:
    await store.writer.put_document(store.tenant, store.source, page())
    await events(store)
    await store.writer.put_document(store.tenant, store.source, page(**change))  # type: ignore[arg-type]
    [event] = await events(store)
    assert (event.kind, event.counters) == (kind, counters)


async def test_a_document_of_nobody_is_refused(store: Store) -> None:
    with pytest.raises(Invalid, match="acl"):
        await store.writer.put_document(store.tenant, store.source, page(acl=None))


async def test_versions_decide_what_is_newer(store: Store) -> None:
    put, document = store.writer.put_document, page(version=3)
    await put(store.tenant, store.source, document)
    with pytest.raises(Conflict):
        await put(store.tenant, store.source, page(version=2, body="older"))
    with pytest.raises(Conflict):
        await put(store.tenant, store.source, page(version=3, body="another"))
    assert not (await put(store.tenant, store.source, document)).changed
    assert (await put(store.tenant, store.source, page(version=4, body="newer"))).revision == 2
    assert (await put(store.tenant, store.source, page(version=1, body="reset"), reset=True)).revision == 3


async def test_a_deletion_that_overtakes_its_document_holds(store: Store) -> None:
    delete = store.writer.delete_document
    assert not await delete(store.tenant, store.source, "a.md", reason="gone", version=5)
    with pytest.raises(Conflict):
        await store.writer.put_document(store.tenant, store.source, page(version=4))
    assert (await store.writer.put_document(store.tenant, store.source, page(version=6))).revision == 1


async def test_a_deleted_document_is_seen_nowhere_and_comes_back_as_a_new_revision(store: Store) -> None:
    await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    written = await store.writer.put_document(store.tenant, store.source, page())
    assert await sees(store, "ann@acme.example", written.document_id)
    assert await store.writer.delete_document(store.tenant, store.source, "a.md", reason="gone")
    assert not await sees(store, "ann@acme.example", written.document_id)
    assert not await store.writer.delete_document(store.tenant, store.source, "a.md", reason="gone")
    assert (await store.writer.put_document(store.tenant, store.source, page())).revision == 2
    assert await sees(store, "ann@acme.example", written.document_id)
    kinds = [event.kind for event in await events(store)]
    assert kinds == [EventKind.UPSERT, EventKind.DELETE, EventKind.UPSERT]


async def test_a_revocation_holds_once_the_write_returns(store: Store) -> None:
    await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    written = await store.writer.put_document(store.tenant, store.source, page(acl=acl("user:ann@acme.example")))
    assert await sees(store, "ann@acme.example", written.document_id)
    await store.writer.put_document(store.tenant, store.source, page(acl=acl("user:ben@acme.example")))
    assert not await sees(store, "ann@acme.example", written.document_id)


async def test_people_may_be_named_before_they_are_known(store: Store) -> None:
    written = await store.writer.put_document(store.tenant, store.source, page(acl=acl("user:new@acme.example")))
    with pytest.raises(NotFound):
        await store.directory.person(store.tenant, "new@acme.example")
    await store.directory.put_person(store.tenant, "new@acme.example", name="New", guest=False)
    assert await sees(store, "new@acme.example", written.document_id)


async def test_a_container_change_reaches_what_lies_below(store: Store) -> None:
    await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    put = store.writer.put_container
    await put(store.tenant, store.source, ContainerState("space", None, EVERYONE))
    await put(store.tenant, store.source, ContainerState("space/inner", "space", None))
    written = await store.writer.put_document(store.tenant, store.source, page(container="space/inner", acl=None))
    assert await sees(store, "ann@acme.example", written.document_id)
    await events(store)
    await put(store.tenant, store.source, ContainerState("space", None, acl("user:ben@acme.example")))
    assert not await sees(store, "ann@acme.example", written.document_id)
    repairs = IndexRepairs(store.database, SystemClock())
    while await repairs.repair_batch(store.tenant):
        pass
    assert [event.kind for event in await events(store)] == [EventKind.ACL, EventKind.METADATA]
    state = await PostgresRevisions(store.database).index_state(store.tenant, written.document_id)
    ben = await store.directory.put_person(store.tenant, "ben@acme.example", name="Ben", guest=False)
    assert state.acl.clauses == (frozenset([f"p:{ben.id}"]),)


async def test_a_cycle_of_containers_is_refused(store: Store) -> None:
    put = store.writer.put_container
    await put(store.tenant, store.source, ContainerState("a", None, EVERYONE))
    await put(store.tenant, store.source, ContainerState("b", "a", None))
    with pytest.raises(Invalid, match="leads back"):
        await put(store.tenant, store.source, ContainerState("a", "b", None))
    with pytest.raises(Invalid, match="leads back"):
        await put(store.tenant, store.source, ContainerState("a", None, acl("viewers:wiki/b")))


async def test_a_cycle_of_groups_is_refused(store: Store) -> None:
    group = store.writer.put_group
    one = parse_acl({"allow": ["group:wiki/two"]}).allow
    two = parse_acl({"allow": ["group:wiki/one"]}).allow
    await group(store.tenant, store.source, "one", sorted(one, key=str), version=None)
    with pytest.raises(Invalid, match="cycle"):
        await group(store.tenant, store.source, "two", sorted(two, key=str), version=None)


async def test_groups_nest_and_expand(store: Store) -> None:
    ann = await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    group = store.writer.put_group
    await group(store.tenant, store.source, "core", list(acl("user:ann@acme.example").allow), version=None)
    await group(store.tenant, store.source, "eng", list(acl("group:wiki/core").allow), version=None)
    written = await store.writer.put_document(store.tenant, store.source, page(acl=acl("group:wiki/eng")))
    assert await sees(store, "ann@acme.example", written.document_id)
    assert len((await store.directory.expand(store.tenant, ann.id)).groups) == 2


async def test_one_bad_item_fails_alone(store: Store) -> None:
    results = await store.writer.put_documents(
        store.tenant, store.source, [page("a.md"), page("b.md", acl=None), page("c.md")]
    )
    assert [isinstance(result, Failure) for result in results] == [False, True, False]
    assert len(await events(store)) == 2


class _BrokenEngine:
    """A permission engine that is away."""

    async def write(self, updates: Sequence[RelationUpdate]) -> str:
        raise Transient("away")

    async def check(
        self, tenant: TenantId, person: PersonId, checks: Sequence[Check], *, at_least_as_fresh: str | None
    ) -> list[bool]:
        raise Transient("away")


async def test_a_write_waits_for_the_engine_and_is_replayed_later(store: Store) -> None:
    await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    written = await store.writer.put_document(store.tenant, store.source, page(acl=acl("user:ben@acme.example")))
    away = replace_permissions(store, PermissionApplier(store.database, _BrokenEngine()))
    with pytest.raises(Transient):
        await away.put_document(store.tenant, store.source, page(acl=acl("user:ann@acme.example")))
    assert not await sees(store, "ann@acme.example", written.document_id)
    assert store.tenant in await store.permissions.tenants_behind()
    await store.permissions.apply_all(store.tenant)
    assert await sees(store, "ann@acme.example", written.document_id)
    assert store.tenant not in await store.permissions.tenants_behind()


def replace_permissions(store: Store, permissions: PermissionApplier) -> PostgresSourceWriter:
    writer = store.writer
    return type(writer)(
        store.database, writer._objects, permissions, SystemClock(), writer._groups, pipeline_version="1"
    )


async def test_racing_writers_lose_nothing(store: Store) -> None:
    states = [page(f"{n}.md", acl=acl(f"user:person{n % 3}@acme.example")) for n in range(12)]
    await asyncio.gather(*(store.writer.put_document(store.tenant, store.source, state) for state in states))
    known = await store.sources.known(store.tenant, store.source, after="", until=None, limit=100)
    assert len(known) == 12
    assert len(await events(store)) == 12
    assert store.tenant not in await store.permissions.tenants_behind()


async def lines(store: Store) -> list[str]:
    async with store.database.tenant(store.tenant) as connection:
        return list((await connection.execute(text("SELECT action FROM audit ORDER BY sequence"))).scalars())


async def test_a_line_of_the_audit_and_what_it_is_about_are_one(store: Store) -> None:
    writer = store.writer.audited(AuditEntry(actor="ann@acme.example", action="document.put", object="wiki/a"))
    await writer.put_document(store.tenant, store.source, page(version=1))
    await writer.put_document(store.tenant, store.source, page(version=1))
    with pytest.raises(Conflict):
        await writer.put_document(store.tenant, store.source, page(version=0, body="older"))
    assert await lines(store) == ["document.put"]


async def test_a_write_that_the_engine_has_yet_to_hear_of_has_its_line(store: Store) -> None:
    away = replace_permissions(store, PermissionApplier(store.database, _BrokenEngine()))
    writer = away.audited(AuditEntry(actor="ann@acme.example", action="document.put", object="wiki/a"))
    with pytest.raises(Transient):
        await writer.put_document(store.tenant, store.source, page())
    assert await lines(store) == ["document.put"]
