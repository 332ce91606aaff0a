"""The schema in the real engine, against the plain reading of the algebra."""

import itertools
import random
import uuid
from collections.abc import AsyncIterator

import pytest

from cortex.adapters.postgres.container_rows import DEPTH_MAX
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import AclOf, Asker, Inherit, Node, Person, openable, visible
from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import ContainerId, DocumentId, PersonId, TenantId
from cortex.domain.relation import (
    Operation,
    Relation,
    RelationUpdate,
    acl_relations,
    group_relations,
    membership_relation,
    sharing_relation,
)
from cortex.ports.permission_engine import UPDATES_MAX, Check
from tests.local_servers import KeyedUrl
from tests.worlds import World, make_world

pytestmark = pytest.mark.servers


@pytest.fixture
async def engine(spicedb: KeyedUrl) -> AsyncIterator[SpiceDbEngine]:
    engine = SpiceDbEngine(spicedb.url, key=spicedb.key)
    yield engine
    await engine.close()


def relations(world: World) -> list[RelationUpdate]:
    found: set[Relation] = {sharing_relation(world.tenant)}
    for group, members in world.members.items():
        found |= group_relations(world.tenant, group, members)
    for container, node in world.containers.items():
        found |= acl_relations(world.tenant, "container", container, node)
    for document, node in world.documents.items():
        found |= acl_relations(world.tenant, "document", document, node)
    found |= {membership_relation(world.tenant, asker.person) for asker in world.askers if not asker.guest}
    return [RelationUpdate(Operation.TOUCH, relation) for relation in sorted(found)]


@pytest.mark.parametrize("seed", range(25))
async def test_it_answers_as_the_algebra_says(engine: SpiceDbEngine, seed: int) -> None:
    print(f"seed {seed}")
    world = make_world(random.Random(seed))
    updates = relations(world)
    token = None
    for start in range(0, len(updates), UPDATES_MAX):
        token = await engine.write(updates[start : start + UPDATES_MAX])
    for asker in world.askers:
        await _compare(engine, world, asker, token)


async def _compare(engine: SpiceDbEngine, world: World, asker: Asker, token: str | None) -> None:
    for permission, expected in (("view", visible), ("openable", openable)):
        checks = [Check(document, permission) for document in world.documents]
        got = await engine.check(world.tenant, asker.person, checks, at_least_as_fresh=token)
        for (document, node), allowed in zip(world.documents.items(), got, strict=True):
            assert allowed == expected(node, world.containers, asker), (permission, document, node, asker)


async def test_an_unknown_document_is_hidden(engine: SpiceDbEngine) -> None:
    tenant, person = TenantId(uuid.uuid4()), PersonId(uuid.uuid4())
    assert await engine.check(tenant, person, [Check(DocumentId(uuid.uuid4()))], at_least_as_fresh=None) == [False]


async def test_a_relation_named_twice_in_a_write_keeps_its_last_word(engine: SpiceDbEngine) -> None:
    world = make_world(random.Random(1))
    [touch, *_] = relations(world)
    await engine.write([touch, RelationUpdate(Operation.DELETE, touch.relation), touch])


async def test_too_many_updates_are_our_own_mistake(engine: SpiceDbEngine) -> None:
    with pytest.raises(Bug):
        await engine.write([])


async def test_an_engine_out_of_reach_is_transient() -> None:
    engine = SpiceDbEngine("127.0.0.1:1", key="none", timeout_s=0.5)
    with pytest.raises(Transient):
        await engine.check(
            TenantId(uuid.uuid4()), PersonId(uuid.uuid4()), [Check(DocumentId(uuid.uuid4()))], at_least_as_fresh=None
        )
    await engine.close()


async def test_a_wrong_key_opens_nothing(spicedb: KeyedUrl) -> None:
    engine = SpiceDbEngine(spicedb.url, key="wrong")
    with pytest.raises(Bug, match="key"):
        await engine.check(
            TenantId(uuid.uuid4()), PersonId(uuid.uuid4()), [Check(DocumentId(uuid.uuid4()))], at_least_as_fresh=None
        )
    await engine.close()


@pytest.mark.parametrize("inherit", [Inherit.RESTRICT, Inherit.EXTEND])
async def test_the_deepest_chain_of_containers_that_a_write_may_make_is_still_checked(
    engine: SpiceDbEngine, inherit: Inherit
) -> None:
    tenant, ann = TenantId(uuid.uuid4()), PersonId(uuid.uuid4())
    chain = [ContainerId(uuid.uuid4()) for _ in range(DEPTH_MAX)]
    found = acl_relations(tenant, "container", chain[0], Node(AclOf(allow=frozenset([Person(ann)]))))
    for above, container in itertools.pairwise(chain):
        found |= acl_relations(tenant, "container", container, Node(AclOf(inherit=inherit), above))
    document = DocumentId(uuid.uuid4())
    found |= acl_relations(tenant, "document", document, Node(AclOf(inherit=inherit), chain[-1]))
    token = await engine.write([RelationUpdate(Operation.TOUCH, relation) for relation in sorted(found)])
    assert await engine.check(tenant, ann, [Check(document)], at_least_as_fresh=token) == [True]
