"""How much work an answer takes says nothing of what may not be seen: the same is asked of the same servers."""

import asyncio
import random
import uuid
from pathlib import Path

import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.objects import Objects
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.domain.credential import Credential, Reader, Role
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId
from services.query_gateway.documents import Documents
from services.query_gateway.suggest import CANDIDATES, Suggesting
from tests.redteam.arena import Arena, Arenas
from tests.redteam.counting import PATIENT_S, Call, counted
from tests.redteam.ids import Resolved

PEOPLE = 2


def test_a_hidden_document_takes_the_work_of_one_that_never_was(
    arenas: Arenas, chance: random.Random, tmp_path: Path
) -> None:
    """Hidden, of the other tenant, unknown: opened by id and as a file."""
    asyncio.run(_opened(arenas, chance, Objects(tmp_path.as_uri())))


def test_every_prefix_takes_the_same_work(arenas: Arenas, chance: random.Random) -> None:
    """Of titles that may be seen, of those that may not, and of nothing."""
    asyncio.run(_suggested(arenas, chance))


async def _opened(arenas: Arenas, chance: random.Random, objects: Objects) -> None:
    ours, theirs = arenas.both()
    async with counted(ours.company.platform.urls) as counters:
        documents = Documents(
            documents=counters.documents,
            objects=objects,
            audit=PostgresAuditLog(counters.database, SystemClock()),
            visibility=counters.visibility,
            timeout_s=PATIENT_S,
        )
        for person in ours.some_people(chance, PEOPLE):
            reader, openable = _reader(ours, person), ours.openable(person)
            hidden = [ours.id(name) for name in ours.source.papers if name not in openable]
            works: set[tuple[Call, ...]] = set()
            for identifier in [*hidden, chance.choice(sorted(theirs.names)), str(uuid.uuid4())]:
                for give in (documents.read, documents.original):
                    with pytest.raises(NotFound):
                        await give(reader, DocumentId(uuid.UUID(identifier)))
                    works.add(counters.taken())
            assert hidden
            assert works == {(("rows", 1), ("token", 1), ("checks", 1))}, person


async def _suggested(arenas: Arenas, chance: random.Random) -> None:
    arena = arenas.ours
    async with counted(arena.company.platform.urls) as counters:
        suggesting = Suggesting(store=counters.suggestions, visibility=counters.visibility)
        for person in arena.some_people(chance, PEOPLE):
            reader, visible = _reader(arena, person), arena.visible(person)
            prefixes = [paper.canary for paper in arena.source.papers.values()]
            works: set[tuple[Call, ...]] = set()
            for prefix in [*prefixes, "h", "memo", "p0", "canary", "zz", "!"]:
                found = await suggesting.suggest(reader, prefix, limit=1)
                works.add(counters.taken())
                if prefix in prefixes:
                    shown = {str(item.document_id) for item in found.items if item.kind == "document"}
                    assert shown == {arena.id(n) for n in visible if arena.source.papers[n].canary == prefix}
            [work] = works
            assert sum(count for server, count in work if server == "checks") == 2 * CANDIDATES, person


def _reader(arena: Arena, person: str) -> Reader:
    resolved = Resolved(arena)
    email = f"{person}@acme.example"
    credential = Credential(arena.company.tenant, resolved.person(person), email, Role.MEMBER)
    return Reader(credential, resolved.asker(person))
