"""A cross-encoder on the hot path: what it sees, what it changes, and what happens without it."""

from typing import Any

import pytest

from cortex.domain.errors import Exhausted
from services.query_gateway.settings import RetrievalSettings, Settings
from tests.services.query_gateway.fakes import down
from tests.services.query_gateway.world import World

CONFIGURED = Settings(retrieval=RetrievalSettings(cross_documents=3))


async def search(world: World, **body: object) -> dict[str, Any]:
    async with world.client("ann") as client:
        response = await client.post("/v1/search", json={"query": "text", "explain": True, **body})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def titles(answer: dict[str, Any]) -> list[str]:
    return [result["title"] for result in answer["results"]]


def filled(settings: Settings = CONFIGURED) -> World:
    """Five documents in falling order of score, the later the longer."""
    world = World(settings)
    for n in range(5):
        world.add(f"doc-{n}", "text" + " more" * n, score=1.0 - n / 10)
    return world


async def test_the_best_are_read_again_and_the_rest_stay_behind_them() -> None:
    world = filled()
    answer = await search(world)
    assert titles(answer) == ["doc-2", "doc-1", "doc-0", "doc-3", "doc-4"]
    assert world.models.read == [["doc-0\ntext", "doc-1\ntext more", "doc-2\ntext more more"]]
    assert answer["results"][0]["scores"]["cross"] == 20.0
    assert "cross" not in answer["results"][3]["scores"]
    assert (answer["degraded"], "cross" in answer["stages_ms"]) == ([], True)


async def test_it_never_sees_what_the_asker_may_not_open() -> None:
    world = filled()
    hidden = next(document for document, row in world.documents.rows.items() if row.title == "doc-1")
    world.permissions.denied.add((hidden, "view"))
    await search(world)
    assert world.models.read == [["doc-0\ntext", "doc-2\ntext more more", "doc-3\ntext more more more"]]


async def test_under_load_fewer_are_read_and_the_answer_says_so() -> None:
    world = filled()
    world.models.cross_room = 2
    answer = await search(world)
    assert titles(answer) == ["doc-1", "doc-0", "doc-2", "doc-3", "doc-4"]
    assert answer["degraded"] == ["rerank"]


@pytest.mark.parametrize("failure", [down(), Exhausted("too large")])
async def test_without_it_the_order_stands_and_the_answer_says_so(failure: Exception) -> None:
    world = filled()
    world.models.cross_failing = failure
    answer = await search(world)
    assert titles(answer) == [f"doc-{n}" for n in range(5)]
    assert answer["degraded"] == ["rerank"]


async def test_pages_hold_every_document_once() -> None:
    world = filled()
    first = await search(world, limit=2)
    second = await search(world, limit=2, cursor=first["next_cursor"])
    third = await search(world, limit=2, cursor=second["next_cursor"])
    assert titles(first) + titles(second) + titles(third) == ["doc-2", "doc-1", "doc-0", "doc-3", "doc-4"]


@pytest.mark.parametrize("mode", ["lexical", "dense", "rrf", "dbsf"])
async def test_other_modes_and_platforms_without_one_do_not_ask_it(mode: str) -> None:
    world = filled()
    await search(world, mode=mode)
    without = filled(Settings())
    await search(without)
    assert world.models.read == without.models.read == []
