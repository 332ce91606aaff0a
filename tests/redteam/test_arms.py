"""Each retrieval arm by itself, before anything is re-checked: the filter is inside all of them."""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.qdrant import connect
from cortex.adapters.qdrant.reader import QdrantReader
from cortex.domain.acl import visible
from cortex.domain.acl_index import asker_tokens, index_acl, matches
from cortex.domain.identity import ChunkId
from cortex.domain.vector import COLLECTION_ALIAS, HybridRequest, SearchScope, SparseVector
from tests.e2e.waiting import eventually
from tests.redteam.arena import Arena, Arenas
from tests.redteam.ids import Resolved
from tests.redteam.looking import QUERY

DIMENSIONS = 384
POINTS_MAX = 1_000
LAG_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Arms:
    """Ids of documents that each arm gives one asker, and that scores can be had of when all chunks are named."""

    dense: set[str]
    sparse: set[str]
    scored: set[str]


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> SparseVector:
    folder: Path = tmp_path_factory.mktemp("words")
    return Bm25Encoder(ChineseSegmenter(folder)).encode_query(QUERY, ["en"])


def test_every_arm_is_filtered_for_the_asker(arenas: Arenas, sparse: SparseVector) -> None:
    """To the token: what the filter can express it shows exactly, in every arm, once the index has caught up."""
    for arena in arenas.both():
        resolved = Resolved(arena)
        for person in arena.source.people:
            eventually(partial(_compare, arenas, arena, resolved, person, sparse), within_s=LAG_WITHIN_S)


def test_the_filter_is_never_tighter_than_the_source(arenas: Arenas) -> None:
    """Nor does the product read its own algebra otherwise than the source does."""
    for arena in arenas.both():
        resolved = Resolved(arena)
        containers = resolved.containers()
        for person in arena.source.people:
            asker = resolved.asker(person)
            for name, paper in arena.source.papers.items():
                if paper.gone:
                    continue
                node = resolved.node(name)
                assert visible(node, containers, asker) == arena.source.visible(person, name), (person, name)
                if arena.source.visible(person, name):
                    assert matches(index_acl(node, containers), asker_tokens(asker) | {"*"}), (person, name)


def _compare(arenas: Arenas, arena: Arena, resolved: Resolved, person: str, sparse: SparseVector) -> None:
    tokens = asker_tokens(resolved.asker(person))
    containers = resolved.containers()
    expected = {
        arena.id(name)
        for name, paper in arena.source.papers.items()
        if not paper.gone and matches(index_acl(resolved.node(name), containers), tokens)
    }
    arms = asyncio.run(_arms(arenas, SearchScope(arena.company.tenant, tokens), sparse))
    assert (arms.dense, arms.sparse, arms.scored) == (expected, expected, expected), person


async def _arms(arenas: Arenas, scope: SearchScope, sparse: SparseVector) -> Arms:
    urls = arenas.ours.company.platform.urls
    dense = [1.0] + [0.0] * (DIMENSIONS - 1)
    async with connect(url=urls["CORTEX_QDRANT_URL"], key=urls["CORTEX_QDRANT_KEY"]) as qdrant:
        reader = qdrant.reader(COLLECTION_ALIAS)
        found = await reader.search(scope, HybridRequest(dense=dense, sparse=sparse, limit=POINTS_MAX))
        of = {chunk: document for arena in arenas.both() for chunk, document in (await _chunks(reader, arena)).items()}
        scores = await reader.exact_scores(scope, list(of), dense=dense, sparse=sparse)
    return Arms(
        dense={str(point.document_id) for point in found.dense},
        sparse={str(point.document_id) for point in found.sparse},
        scored={of[chunk] for chunk in scores},
    )


async def _chunks(reader: QdrantReader, arena: Arena) -> dict[ChunkId, str]:
    """Every chunk that the index holds of a tenant, with its document."""
    page = await reader.revisions(arena.company.tenant, after=None, limit=POINTS_MAX)
    return {row.chunk_id: str(row.document_id) for row in page.rows}
