"""A search as it is typed: what its operators leave, and that they tell nothing."""

import uuid
from typing import Any

import httpx
import pytest

from cortex.domain.answer import SourceLabel
from cortex.domain.identity import ContainerId, SourceId
from services.query_gateway.narrowing import NAMED_MAX, PLACES_MAX
from services.query_gateway.visibility import VIEW
from tests.services.query_gateway.fakes import SOURCE, down
from tests.services.query_gateway.world import World


async def search(client: httpx.AsyncClient, query: str, **more: object) -> dict[str, Any]:
    response = await client.post("/v1/search", json={"query": query, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def titles(found: dict[str, Any]) -> list[str]:
    return [result["title"] for result in found["results"]]


async def test_a_phrase_stands_in_what_is_found() -> None:
    world = World()
    world.add("right", "Keep the cold chain.", score=0.4)
    world.add("wrong", "A chain in the cold.", score=0.9)
    async with world.client() as client:
        assert titles(await search(client, '"cold chain"')) == ["right"]
        assert titles(await search(client, "cold chain")) == ["wrong", "right"]
        assert titles(await search(client, '"cold chain"', operators=False)) == ["wrong", "right"]
        nothing = await search(client, '"warm chain"')
    assert nothing["results"] == []
    assert nothing["hints"] == ["Words in quotes must stand as they are; leave the quotes out to look for the words."]


async def test_a_document_with_an_excluded_word_goes_whole() -> None:
    world = World()
    world.add("both", "The plan.", score=0.9)
    world.add("both", "It is a draft.", score=0.1, ordinal=1)
    world.add("titled", "The plan again.", score=0.8, title="Drafts")
    world.add("clean", "The plan at last.", score=0.2)
    async with world.client() as client:
        found = await search(client, "plan -draft")
    assert titles(found) == ["clean"]
    assert (found["read"]["text"], found["read"]["excluded"]) == ("plan", ["draft"])


async def test_kinds_people_and_places_narrow() -> None:
    world = World()
    chat = SourceLabel(SourceId(uuid.UUID(int=5)), "chat", "chat")
    world.add("page", "The plan.", mime="text/markdown")
    world.add("file", "The plan.", mime="application/pdf", author="Bob")
    world.add("talk", "The plan.", mime="text/plain", source=chat)
    async with world.client() as client:
        assert titles(await search(client, "plan type:pdf", fold=False)) == ["file"]
        assert titles(await search(client, "plan from:bob")) == ["file"]
        world.narrowing.known_sources = {"chat": chat.id}
        assert titles(await search(client, "plan in:chat")) == ["talk"]
        inside = await search(client, "plan in:chat", filters={"source_ids": [str(SOURCE.id)]})
        assert inside["results"] == []
        assert titles(await search(client, "plan in:nowhere")) == []


async def test_a_folder_that_one_may_see_comes_before_a_source_of_its_name() -> None:
    """And one that is hidden takes nothing's place, whether there is a source of its name or not."""
    world = World()
    folder, hidden = (ContainerId(uuid.UUID(int=n)) for n in (7, 8))
    chat = SourceLabel(SourceId(uuid.UUID(int=5)), "chat", "chat")
    world.add("inside", "The plan.", containers=(folder,))
    world.add("alone", "The plan.", containers=(hidden,))
    world.add("talk", "The plan.", source=chat)
    world.permissions.denied.add((hidden, VIEW))
    places = world.narrowing
    async with world.client() as client:
        places.known_sources, places.known_containers = {"chat": chat.id}, {"chat": [folder, hidden]}
        assert titles(await search(client, "plan in:chat", fold=False)) == ["inside"]
        places.known_containers = {"chat": [hidden]}
        assert titles(await search(client, "plan in:chat", fold=False)) == ["talk"]
        places.known_sources = {}
        assert titles(await search(client, "plan in:chat", fold=False)) == []


async def test_many_hidden_folders_of_a_name_do_not_hide_the_one_that_is_open() -> None:
    world = World()
    hidden = [ContainerId(uuid.UUID(int=n)) for n in range(1, PLACES_MAX + 1)]
    folder = ContainerId(uuid.UUID(int=10**9))
    world.add("inside", "The plan.", containers=(folder,))
    world.permissions.denied |= {(one, VIEW) for one in hidden}
    world.narrowing.known_containers = {"wiki": [*hidden, folder]}
    async with world.client() as client:
        assert titles(await search(client, "plan in:wiki")) == ["inside"]


async def test_as_much_is_asked_of_the_engine_where_there_is_no_folder_and_where_it_is_hidden() -> None:
    world = World()
    hidden = ContainerId(uuid.UUID(int=8))
    world.permissions.denied.add((hidden, VIEW))
    told, asked = [], []
    async with world.client() as client:
        for known in ({}, {"wiki": [hidden]}):
            world.narrowing.known_containers = known
            world.permissions.calls.clear()
            found = await search(client, "plan in:wiki", facets=["container_id"])
            del found["trace_id"], found["stages_ms"]
            told.append(found)
            asked.append([len(checks) for _, checks, _ in world.permissions.calls])
    assert told[0] == told[1]
    assert asked[0] == asked[1]


async def test_many_hidden_documents_of_an_author_do_not_hide_the_one_that_is_open() -> None:
    world = World()
    for n in range(NAMED_MAX):
        hidden = world.add(f"hidden-{n}", "The plan.", author="Eve", score=0.1, principals=frozenset(["p:nobody"]))
        world.permissions.denied.add((hidden, VIEW))
    world.add("open", "The plan.", author="Eve")
    async with world.client() as client:
        assert titles(await search(client, "plan from:eve")) == ["open"]


async def test_a_filter_names_people_as_the_operator_does_and_both_hold() -> None:
    world = World()
    world.add("his", "The plan.", author="Bob")
    world.add("hers", "The plan.", author="Eve")
    async with world.client() as client:
        assert titles(await search(client, "plan", fold=False, filters={"authors": ["bob"]})) == ["his"]
        assert titles(await search(client, "plan", fold=False, filters={"authors": ["nobody"]})) == []
        assert titles(await search(client, "plan from:eve", fold=False, filters={"authors": ["bob"]})) == []
        assert set(titles(await search(client, "plan", fold=False, filters={"authors": ["bob", "eve"]}))) == {
            "his",
            "hers",
        }


async def test_an_answer_rests_on_what_the_named_people_wrote() -> None:
    world = World()
    world.add("his", "Text of Bob.", author="Bob")
    world.add("hers", "Text of Eve.", author="Eve")
    asked = {"question": "What text?", "filters": {"authors": ["Eve"]}}
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json=asked, headers={"Accept": "application/json"})).json()
    assert [source["title"] for source in answer["sources"]] == ["hers"]


async def test_dates_reach_the_index_and_never_widen_a_filter() -> None:
    world = World()
    async with world.client() as client:
        await search(client, "x after:2026-01 before:2026-03", filters={"updated_after": "2026-02-01T00:00:00Z"})
    filters = world.index.requests[0].filters
    assert filters.updated_after is not None
    assert filters.updated_before is not None
    assert (filters.updated_after.month, filters.updated_before.month) == (2, 2)


async def test_hidden_and_unknown_people_look_alike() -> None:
    world = World()
    hidden = world.add("secret", "The plan.", author="Eve")
    world.permissions.denied.add((hidden, VIEW))
    told = []
    async with world.client() as client:
        for name in ("Eve", "Nob"):
            found = await search(client, f"plan from:{name}", facets=["author"])
            del found["trace_id"], found["stages_ms"]
            told.append(str(found).replace(name, "X"))
    assert told[0] == told[1]


@pytest.mark.parametrize(("query", "says"), [("x type:sheet", "type: use one of"), ("x before:noon", "before: write")])
async def test_what_cannot_be_meant_is_told(query: str, says: str) -> None:
    async with World().client() as client:
        refused = await client.post("/v1/search", json={"query": query})
    assert refused.status_code == 422
    assert says in refused.json()["detail"]


async def test_copies_are_under_one_result_and_pages_stay_whole() -> None:
    world = World()
    text = "Dry ice is delivered to the loading dock on Mondays, and whoever takes it in signs the book at the gate."
    for n in range(30):
        world.add(f"copy-{n:02}", text if n % 2 else f"{text} Number {n}.", score=1.0 - n / 100)
    async with world.client() as client:
        seen: list[str] = []
        copies: list[str] = []
        cursor = None
        while True:
            page = await search(client, "ice", limit=4, cursor=cursor)
            seen += titles(page)
            copies += [copy["title"] for result in page["results"] for copy in result["copies"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        shown = await search(client, "ice", limit=50, fold=False)
    assert seen == ["copy-00", "copy-01", *(f"copy-{n:02}" for n in range(2, 30, 2))]
    assert set(copies) <= {f"copy-{n:02}" for n in range(3, 30, 2)}
    assert len(shown["results"]) == 30


async def test_a_copy_that_may_not_be_seen_is_not_named() -> None:
    world = World()
    text = "Dry ice is delivered to the loading dock on Mondays, and whoever takes it in signs the book at the gate."
    world.add("open", text, score=0.9)
    hidden = world.add("closed", text, score=0.8)
    world.permissions.denied.add((hidden, VIEW))
    async with world.client() as client:
        found = await search(client, "ice")
    assert found["results"][0]["copies"] == []


async def test_synonyms_are_read_now_and_then_and_missed_in_silence() -> None:
    world = World()
    world.many(1)
    world.synonyms.groups = (("number", "figure"),)
    async with world.client() as client:
        for _ in range(3):
            await search(client, "number")
        assert world.synonyms.reads == 1
        world.clock.advance(60)
        world.synonyms.failing = down()
        assert titles(await search(client, "number")) == ["doc-000"]
