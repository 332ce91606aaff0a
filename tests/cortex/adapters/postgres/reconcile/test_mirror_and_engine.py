"""Drift of every kind between rows, mirror and engine is found, counted and mended."""

import uuid

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.groups import PostgresGroups
from cortex.adapters.postgres.reconcile.engine import EngineReconciler
from cortex.adapters.postgres.reconcile.mirror import MirrorReconciler
from cortex.adapters.postgres.reconcile.permissions import PostgresReconciler
from cortex.domain.acl import UserRef, parse_acl
from cortex.domain.change import ContainerState
from cortex.domain.identity import DocumentId, PersonId
from cortex.domain.reconcile import Drift, Part
from cortex.domain.relation import Operation, Relation, RelationUpdate, membership_relation, object_id
from cortex.ports.permission_engine import Check
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers

PARTS = [part for part in Part if part is not Part.INDEX]


def reconciler(store: Store, *, rows: int = 200, slice_max: int = 50_000) -> PostgresReconciler:
    mirror = MirrorReconciler(store.database, store.permissions, rows=rows)
    return PostgresReconciler(mirror, EngineReconciler(store.database, store.engine, slice_max=slice_max))


async def reconciled(store: Store, *, rows: int = 200, slice_max: int = 50_000) -> dict[Drift, int]:
    found: dict[Drift, int] = {}
    steps = reconciler(store, rows=rows, slice_max=slice_max)
    for part in PARTS:
        after: str | None = None
        while True:
            step = await steps.step(store.tenant, part, after)
            for kind, count in step.drift.items():
                found[kind] = found.get(kind, 0) + count
            after = step.after
            if after is None:
                break
    return found


async def world(store: Store) -> DocumentId:
    """Something of every kind of owner; Ann sees the document, in more than one way."""
    await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    await store.directory.put_person(store.tenant, "gus@acme.example", name="Gus", guest=True)
    put = store.writer.put_group
    await put(store.tenant, store.source, "core", [UserRef("ann@acme.example")], version=None)
    await put(store.tenant, store.source, "eng", list(parse_acl({"allow": ["group:wiki/core"]}).allow), version=None)
    space = parse_acl({"allow": ["group:wiki/eng"], "all_of": [["user:ann@acme.example", "group:wiki/core"]]})
    await store.writer.put_container(store.tenant, store.source, ContainerState("space", None, space))
    await store.writer.put_document(store.tenant, store.source, page("gone.md"))
    await store.writer.delete_document(store.tenant, store.source, "gone.md", reason="gone")
    state = page("a.md", container="space", acl=None)
    return (await store.writer.put_document(store.tenant, store.source, state)).document_id


async def sees(store: Store, person: PersonId, document: DocumentId) -> bool:
    async with store.database.tenant(store.tenant) as connection:
        token = (await connection.execute(text("SELECT token FROM permission_marks"))).scalar_one()
    [allowed] = await store.engine.check(store.tenant, person, [Check(document)], at_least_as_fresh=token)
    return allowed


async def ann(store: Store) -> PersonId:
    return (await store.directory.person(store.tenant, "ann@acme.example")).id


@pytest.mark.parametrize("slice_max", [50_000, 2])
async def test_where_nothing_drifted_nothing_is_mended(store: Store, slice_max: int) -> None:
    await world(store)
    assert await reconciled(store, rows=2, slice_max=slice_max) == {}


@pytest.mark.parametrize("slice_max", [50_000, 2])
async def test_a_relation_that_the_engine_lost_comes_back(store: Store, slice_max: int) -> None:
    document = await world(store)
    async with store.database.tenant(store.tenant) as connection:
        rows = await connection.execute(
            text(
                "SELECT resource_type, resource_id, relation, subject_type, subject_id, subject_relation"
                " FROM relation_tuples ORDER BY resource_id, relation"
            )
        )
        everything = [Relation(*row) for row in rows]
    await store.engine.write([RelationUpdate(Operation.DELETE, relation) for relation in everything])
    assert await reconciled(store, slice_max=slice_max) == {Drift.ENGINE_MISSING: len(everything)}
    assert await sees(store, await ann(store), document)
    assert await reconciled(store) == {}


async def test_a_relation_that_the_engine_should_not_have_goes(store: Store) -> None:
    document = await world(store)
    ben = await store.directory.put_person(store.tenant, "ben@acme.example", name="Ben", guest=False)
    here, anyone = object_id(store.tenant, document), object_id(store.tenant, ben.id)
    planted = [
        Relation("document", here, "allow", "person", anyone),
        Relation("document", object_id(store.tenant, uuid.uuid4()), "allow", "person", anyone),
    ]
    await store.engine.write([RelationUpdate(Operation.TOUCH, relation) for relation in planted])
    assert await store.engine.check(store.tenant, ben.id, [Check(document)], at_least_as_fresh=None) == [True]
    assert await reconciled(store) == {Drift.ENGINE_EXTRA: 2}
    assert not await sees(store, ben.id, document)


@pytest.mark.parametrize("kind", ["document", "container", "generation", "gate", "group", "tenant"])
async def test_a_row_that_the_mirror_lost_comes_back(store: Store, kind: str) -> None:
    document = await world(store)
    async with store.database.tenant(store.tenant) as connection:
        lost = await connection.execute(
            text("DELETE FROM relation_tuples WHERE resource_type = :kind AND resource_type <> ''"), {"kind": kind}
        )
    assert await reconciled(store, rows=1) == {Drift.MIRROR_MISSING: lost.rowcount}
    assert await sees(store, await ann(store), document)
    assert await reconciled(store) == {}


async def test_rows_that_the_mirror_should_not_have_go(store: Store) -> None:
    document = await world(store)
    gus = await store.directory.person(store.tenant, "gus@acme.example")
    member = membership_relation(store.tenant, gus.id)
    stray = Relation("document", object_id(store.tenant, document), "allow", "person", member.subject_id)
    owners = [(gus.id, member), (document, stray), (uuid.uuid4(), stray)]
    async with store.database.tenant(store.tenant) as connection:
        for owner, relation in owners:
            await connection.execute(
                text(
                    "INSERT INTO relation_tuples VALUES (:tenant, :owner, :resource_type, :resource_id, :relation,"
                    " :subject_type, :subject_id, :subject_relation)"
                ),
                {"tenant": store.tenant, "owner": owner}
                | {name: getattr(relation, name) for name in Relation.__slots__},
            )
    assert (await reconciled(store))[Drift.MIRROR_EXTRA] == 3
    assert not await sees(store, gus.id, document)
    assert await reconciled(store) == {}


async def test_a_write_that_waits_for_the_engine_is_no_drift(store: Store) -> None:
    document = await world(store)
    async with store.database.tenant(store.tenant) as connection:
        await connection.execute(
            text(
                "INSERT INTO permission_outbox SELECT :tenant, last + 1, 'delete', 'document', :here, 'unrestricted',"
                " 'person', '*' FROM permission_sequences"
            ),
            {"tenant": store.tenant, "here": object_id(store.tenant, document)},
        )
        await connection.execute(text("UPDATE permission_sequences SET last = last + 1"))
        await connection.execute(text("DELETE FROM relation_tuples WHERE relation = 'unrestricted'"))
    step = await EngineReconciler(store.database, store.engine).step(store.tenant, None)
    assert step.drift == {}


async def test_members_that_are_being_swept_are_no_drift(store: Store) -> None:
    await world(store)
    members = [UserRef(f"person{n}@acme.example") for n in range(1_200)]
    await store.writer.put_group(store.tenant, store.source, "core", members, version=None)
    assert await reconciled(store) == {}
    groups = PostgresGroups(store.database, store.permissions, SystemClock())
    while await groups.sweep(store.tenant):
        pass
    await store.permissions.apply_all(store.tenant)
    assert await reconciled(store) == {}


async def test_more_drift_than_one_look_takes_is_all_mended(store: Store) -> None:
    members = [UserRef(f"person{n}@acme.example") for n in range(2_300)]
    await store.writer.put_group(store.tenant, store.source, "crew", members, version=None)
    async with store.database.tenant(store.tenant) as connection:
        lost = await connection.execute(text("DELETE FROM relation_tuples WHERE resource_type = 'generation'"))
    found = await reconciled(store)
    assert found == {Drift.MIRROR_MISSING: lost.rowcount}
    assert lost.rowcount == 2_300
