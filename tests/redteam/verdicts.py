"""Verdicts on (person, document), three ways: the engine, the index filter, and the plain reading of the algebra."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import Asker, openable, visible
from cortex.domain.acl_index import asker_tokens, index_acl, matches
from cortex.domain.identity import DocumentId
from cortex.domain.relation import Operation, RelationUpdate
from cortex.domain.vector import EVERYONE, IndexAcl
from cortex.ports.permission_engine import UPDATES_MAX, Check
from tests.worlds import World, make_world, relations_of

BATCH = 250
VIEW, OPEN = "view", "openable"


@dataclass(frozen=True, slots=True)
class Tally:
    """`leaks` are shown by the engine alone, `hidden` by the reading alone; `tighter` are hidden by the filter.

    `looser` are no mistakes: what the filter shows and the re-check takes away.
    """

    verdicts: int = 0
    allowed: int = 0
    leaks: int = 0
    hidden: int = 0
    tighter: int = 0
    looser: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            verdicts=self.verdicts + other.verdicts,
            allowed=self.allowed + other.allowed,
            leaks=self.leaks + other.leaks,
            hidden=self.hidden + other.hidden,
            tighter=self.tighter + other.tighter,
            looser=self.looser + other.looser,
        )


def large_world(chance: random.Random) -> World:
    """10,000 pairs of a person and a document.

    How many relations an engine holds matters more than how they hang together: the memory store of the local one goes
    through all relations of a kind, whoever's they are. So worlds are forgotten once they are judged.
    """
    groups, containers = chance.choice((4, 6, 8)), chance.choice((6, 8, 10))
    return make_world(chance, people=40, groups=groups, containers=containers, documents=250)


async def load(engine: SpiceDbEngine, world: World) -> str:
    """Writes all relations of the world, and returns the last token."""
    return await _write(engine, world, Operation.TOUCH)


async def forget(engine: SpiceDbEngine, world: World) -> None:
    """Takes away what `load` wrote."""
    await _write(engine, world, Operation.DELETE)


def filters(world: World) -> dict[DocumentId, IndexAcl]:
    return {document: index_acl(node, world.containers) for document, node in world.documents.items()}


async def judge(
    engine: SpiceDbEngine,
    world: World,
    asker: Asker,
    *,
    token: str,
    index: Mapping[DocumentId, IndexAcl],
    opening: bool = True,
) -> Tally:
    """Every document of the world, for one person; `index` is what `filters` gave. `opening`: by its id, too."""
    documents = list(world.documents)
    tokens = asker_tokens(asker) | {EVERYONE}
    tally = Tally()
    for start in range(0, len(documents), BATCH):
        some = documents[start : start + BATCH]
        nodes = [world.documents[document] for document in some]
        may_view = [visible(node, world.containers, asker) for node in nodes]
        expected = {VIEW: may_view}
        if opening:
            expected[OPEN] = [openable(node, world.containers, asker) for node in nodes]
        for permission, may in expected.items():
            checks = [Check(document, permission) for document in some]
            answers = await engine.check(world.tenant, asker.person, checks, at_least_as_fresh=token)
            tally += _answered(answers, may)
        tally += _filtered([matches(index[document], tokens) for document in some], may_view)
    return tally


def _answered(answers: Sequence[bool], expected: Sequence[bool]) -> Tally:
    pairs = list(zip(answers, expected, strict=True))
    return Tally(
        verdicts=len(pairs),
        allowed=sum(expected),
        leaks=sum(answer and not may for answer, may in pairs),
        hidden=sum(may and not answer for answer, may in pairs),
    )


def _filtered(shown: Sequence[bool], expected: Sequence[bool]) -> Tally:
    pairs = list(zip(shown, expected, strict=True))
    return Tally(
        tighter=sum(may and not found for found, may in pairs), looser=sum(found and not may for found, may in pairs)
    )


async def _write(engine: SpiceDbEngine, world: World, operation: Operation) -> str:
    updates, token = [RelationUpdate(operation, relation) for relation in relations_of(world)], ""
    for start in range(0, len(updates), UPDATES_MAX):
        token = await engine.write(updates[start : start + UPDATES_MAX])
    return token
