"""The schema's own assertions, and those of SpiceDB's published examples as a check of how we drive the engine."""

import itertools
import os
import random
import uuid
from pathlib import Path

import pytest

from cortex.adapters import spicedb as package
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import Asker, Node, Person, openable, visible
from cortex.domain.identity import ContainerId, DocumentId, GroupId, PersonId, TenantId
from cortex.domain.relation import (
    Operation,
    RelationUpdate,
    acl_relations,
    group_relations,
    membership_relation,
    muted_relation,
    sharing_relation,
)
from cortex.ports.permission_engine import UPDATES_MAX, Check
from tests.cortex.adapters.spicedb.validation import Validation, failures
from tests.cortex.domain.test_acl_small_worlds import ANN, BEN, GUS, INNER, OUTER, STAFF, acls
from tests.local_servers import KeyedUrl

OURS = Path(package.__file__).parent / "schema.validation.yaml"
# A checkout of the examples; they are not ours to keep.
EXAMPLES = os.environ.get("CORTEX_AUTHZ_EXAMPLES")
DOCUMENTS = 250


def test_the_schema_answers_as_it_says() -> None:
    validation = Validation.read(OURS)
    assert len(validation.assertions) > 20
    assert failures(validation) == []


def test_an_assertion_that_does_not_hold_is_noticed() -> None:
    validation = Validation.read(OURS)
    wrong = Validation(
        validation.schema, validation.relationships, (("assertTrue", "document:hidden#view@person:ben"),)
    )
    assert failures(wrong) == ["assertTrue: document:hidden#view@person:ben"]


def _examples() -> list[Path]:
    found = sorted(Path(EXAMPLES).rglob("*.yaml")) if EXAMPLES else []
    return [path for path in found if "relationships" in path.read_text(encoding="utf-8")]


@pytest.mark.skipif(not EXAMPLES, reason="CORTEX_AUTHZ_EXAMPLES names no checkout of SpiceDB's examples")
@pytest.mark.parametrize("path", _examples(), ids=lambda path: path.parent.name)
def test_published_examples_hold(path: Path) -> None:
    validation = Validation.read(path)
    assert validation.relationships
    assert failures(validation) == []


@pytest.mark.servers
@pytest.mark.parametrize("shown", [True, False])
async def test_small_worlds_are_answered_as_the_algebra_says(spicedb: KeyedUrl, shown: bool) -> None:
    """A sample of every combination two containers deep, under both kinds of policy, approved or not."""
    seed = 7
    print(f"seed {seed}")
    source = random.Random(seed)
    every = list(acls())
    muted = frozenset[GroupId]() if shown else frozenset([STAFF])
    askers = [
        Asker(ANN, shared=shown, muted=muted),
        Asker(BEN, frozenset([STAFF]), shared=shown, muted=muted),
        Asker(GUS, frozenset([STAFF]), guest=True, shared=shown, muted=muted),
    ]
    engine = SpiceDbEngine(spicedb.url, key=spicedb.key)
    for _ in range(4):
        containers = {
            INNER: Node(source.choice(every), OUTER, approved=source.random() < 0.3),
            OUTER: Node(source.choice([acl for acl in every if acl.complete]), approved=source.random() < 0.3),
        }
        tenant = TenantId(uuid.uuid4())
        documents = {
            DocumentId(uuid.uuid4()): Node(
                source.choice(every), source.choice([None, INNER, OUTER]), approved=source.random() < 0.3
            )
            for _ in range(DOCUMENTS)
        }
        token = await _write(engine, tenant, containers, documents, shown=shown)
        for asker, permission in itertools.product(askers, ("view", "openable")):
            expected = visible if permission == "view" else openable
            checks = [Check(document, permission) for document in documents]
            got = await engine.check(tenant, asker.person, checks, at_least_as_fresh=token)
            for node, allowed in zip(documents.values(), got, strict=True):
                assert allowed == expected(node, containers, asker), (permission, node, containers, asker)
    await engine.close()


async def _write(
    engine: SpiceDbEngine,
    tenant: TenantId,
    containers: dict[ContainerId, Node],
    documents: dict[DocumentId, Node],
    *,
    shown: bool,
) -> str:
    found = set(group_relations(tenant, STAFF, frozenset([Person(BEN), Person(GUS)]), generation=3))
    found |= {membership_relation(tenant, PersonId(person)) for person in (ANN, BEN)}
    found |= {sharing_relation(tenant)} if shown else {muted_relation(tenant, STAFF)}
    for container, node in containers.items():
        found |= acl_relations(tenant, "container", container, node)
    for document, node in documents.items():
        found |= acl_relations(tenant, "document", document, node)
    updates = [RelationUpdate(Operation.TOUCH, relation) for relation in sorted(found)]
    token = ""
    for start in range(0, len(updates), UPDATES_MAX):
        token = await engine.write(updates[start : start + UPDATES_MAX])
    return token
