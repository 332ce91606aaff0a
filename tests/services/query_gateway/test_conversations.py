"""Conversations, shares, exports: whose they are, and what is left of them for whom."""

import asyncio
import uuid
from typing import Any

import httpx
import pytest

from services.query_gateway.visibility import VIEW
from tests.services.query_gateway.fakes import down
from tests.services.query_gateway.streams import opened
from tests.services.query_gateway.world import World, client_of

WHOLE = {"Accept": "application/json"}


async def ask(client: httpx.AsyncClient, question: str, conversation: str | None = None) -> dict[str, Any]:
    body = {"question": question} | ({"conversation_id": conversation} if conversation else {})
    response = await client.post("/v1/chat", json=body, headers=WHOLE)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_questions_of_one_conversation_are_its_turns() -> None:
    world = World()
    world.many(2)
    async with world.client() as client:
        first = await ask(client, "What number?")
        conversation = first["conversation_id"]
        world.clock.advance(60)
        second = await ask(client, "And then?", conversation)
        detail = (await client.get(f"/v1/conversations/{conversation}")).json()
        listed = (await client.get("/v1/conversations")).json()
    assert detail["turns"] == [first, second]
    assert (detail["title"], detail["share"], detail["next_cursor"]) == ("What number?", None, None)
    assert [item["conversation_id"] for item in listed["items"]] == [conversation]
    assert listed["items"][0]["updated_at"] == second["asked_at"]


async def test_the_list_is_searched_and_comes_in_pages() -> None:
    world = World()
    async with world.client() as client:
        ids = []
        for n in range(5):
            world.clock.advance(60)
            ids.append((await ask(client, f"About crane {n}?"))["conversation_id"])
        seen: list[str] = []
        cursor = None
        while True:
            query = {"limit": "2", "q": "CRANE"} | ({"cursor": cursor} if cursor else {})
            page = (await client.get("/v1/conversations", params=query)).json()
            seen += [item["conversation_id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == ids[::-1]
        assert (await client.get("/v1/conversations", params={"q": "3"})).json()["items"][0][
            "title"
        ] == "About crane 3?"
        for nonsense in ("x", "bm8", "W10", "WyJub3ciLCJ4Il0"):
            refused = await client.get("/v1/conversations", params={"cursor": nonsense})
            assert (refused.status_code, "cursor" in refused.json()["detail"]) == (422, True)


async def test_it_is_renamed_and_deleted_for_good() -> None:
    world = World()
    world.many(1)
    async with world.client() as client:
        answer = await ask(client, "What number?")
        path = f"/v1/conversations/{answer['conversation_id']}"
        renamed = await client.patch(path, json={"title": " Numbers "})
        assert renamed.json()["title"] == "Numbers"
        for title in ("", "   ", "x" * 201):
            assert (await client.patch(path, json={"title": title})).status_code == 422
        assert (await client.delete(path)).status_code == 204
        gone = [
            await client.get(path),
            await client.delete(path),
            await client.get(f"{path}/export"),
            await client.get(f"/v1/answers/{answer['answer_id']}"),
            await client.post(
                "/v1/chat", json={"question": "More?", "conversation_id": answer["conversation_id"]}, headers=WHOLE
            ),
        ]
    assert [response.status_code for response in gone] == [404] * 5


async def test_somebody_elses_looks_like_none() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "bob") as bob:
        conversation = (await ask(ann, "What number?"))["conversation_id"]
        for identifier in (conversation, str(uuid.uuid4()), "nonsense"):
            path = f"/v1/conversations/{identifier}"
            for response in (
                await bob.get(path),
                await bob.patch(path, json={"title": "Mine"}),
                await bob.delete(path),
                await bob.get(f"{path}/export"),
                await bob.post(f"{path}/share"),
                await bob.delete(f"{path}/share"),
            ):
                assert response.status_code == 404
        for identifier in (conversation, str(uuid.uuid4())):
            asked = await bob.post("/v1/chat", json={"question": "More?", "conversation_id": identifier})
            assert asked.status_code == 404
        assert (await bob.get("/v1/conversations")).json()["items"] == []
        assert len((await ann.get(f"/v1/conversations/{conversation}")).json()["turns"]) == 1


async def test_an_answer_that_is_being_given_ends_with_its_conversation() -> None:
    world = World()
    world.many(3)
    world.generator.gate = asyncio.Semaphore(1)
    async with world.running() as app, client_of(app) as client:
        async with opened(app, "POST", "/v1/chat", body={"question": "What number?"}) as stream:
            meta = await stream.event()
            await client.delete(f"/v1/conversations/{meta.json['conversation_id']}")
            await stream.rest()
        assert world.generator.closed
        assert (await client.get(f"/v1/answers/{meta.json['answer_id']}")).status_code == 404


async def test_what_may_not_be_opened_any_more_leaves_every_turn() -> None:
    world = World()
    one, other = world.many(2)
    async with world.client() as client:
        conversation = (await ask(client, "What number?"))["conversation_id"]
        await ask(client, "And then?", conversation)
        world.permissions.denied.add((one, VIEW))
        detail = await client.get(f"/v1/conversations/{conversation}")
        exported = await client.get(f"/v1/conversations/{conversation}/export")
    assert [turn["answer"] for turn in detail.json()["turns"]] == ["Text number 1. [2]"] * 2
    assert str(one) not in detail.text
    assert "Text number 0" not in detail.text + exported.text
    assert str(other) in detail.text


async def test_without_the_permission_engine_nothing_of_it_is_shown() -> None:
    world = World()
    world.many(1)
    async with world.client() as client:
        answer = await ask(client, "What number?")
        path = f"/v1/conversations/{answer['conversation_id']}"
        token = (await client.post(f"{path}/share")).json()["url"].rsplit("/", 1)[1]
        world.permissions.failing = down()
        for shown in (path, f"{path}/export", f"/v1/shares/{token}", f"/v1/answers/{answer['answer_id']}/explain"):
            response = await client.get(shown)
            assert (response.status_code, "Text number" in response.text) == (503, False), shown


async def test_a_share_shows_each_reader_what_they_may_open() -> None:
    world = World()
    one, _ = world.many(2)
    world.clock.advance(1)
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "bob") as bob:
        conversation = (await ask(ann, "What number?"))["conversation_id"]
        shared = (await ann.post(f"/v1/conversations/{conversation}/share")).json()
        path = "/v1/shares/" + shared["url"].rsplit("/shares/", 1)[1]
        whole = (await bob.get(path)).json()
        world.permissions.denied.add((one, VIEW))
        narrowed = await bob.get(path)
        world.permissions.denied |= {(document, VIEW) for document in world.documents.rows}
        nothing = (await bob.get(path)).json()
    (turn,) = whole["turns"]
    assert (turn["question"], turn["answer"]) == ("What number?", "Text number 0. [1] Text number 1. [2]")
    (turn,) = narrowed.json()["turns"]
    assert (turn["answer"], [source["n"] for source in turn["sources"]]) == ("Text number 1. [1]", [1])
    assert [citation["n"] for citation in turn["citations"]] == [1]
    assert str(one) not in narrowed.text
    (turn,) = nothing["turns"]
    assert (turn["answer"], turn["abstained"], turn["sources"], turn["citations"]) == ("", True, [], [])


async def test_what_was_hidden_looks_like_what_was_never_found() -> None:
    """Of the question alone nobody learns whether there is a document about it."""
    world = World()
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "bob") as bob:
        never = await ask(ann, "What number?")
        document = world.add("found", "Text number 7.")
        hidden = await ask(ann, "What number?")
        world.permissions.denied.add((document, VIEW))
        turns = []
        for answer in (never, hidden):
            url = (await ann.post(f"/v1/conversations/{answer['conversation_id']}/share")).json()["url"]
            turns += (await bob.get("/v1/shares/" + url.rsplit("/", 1)[1])).json()["turns"]
    assert turns[0] == turns[1]


async def test_a_share_ends_where_it_was_shared_and_when_it_is_withdrawn() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "bob") as bob:
        conversation = (await ask(ann, "First?"))["conversation_id"]
        path = f"/v1/conversations/{conversation}"
        url = (await ann.post(f"{path}/share")).json()["url"]
        share = "/v1/shares/" + url.rsplit("/", 1)[1]
        world.clock.advance(60)
        await ask(ann, "Second?", conversation)
        assert [turn["question"] for turn in (await bob.get(share)).json()["turns"]] == ["First?"]
        again = (await ann.post(f"{path}/share")).json()
        assert again["url"] == url
        assert [turn["question"] for turn in (await bob.get(share)).json()["turns"]] == ["First?", "Second?"]
        assert (await ann.get(path)).json()["share"] == again
        assert (await ann.delete(f"{path}/share")).status_code == 204
        assert (await bob.get(share)).status_code == 404
        assert (await ann.get(path)).json()["share"] is None


@pytest.mark.parametrize("token", ["nonsense", "%2500", "x" * 500])
async def test_a_token_that_nobody_gave_out_opens_nothing(token: str) -> None:
    async with World().client() as client:
        assert (await client.get(f"/v1/shares/{token}")).status_code == 404


async def test_an_export_is_text_with_its_sources() -> None:
    world = World()
    world.add("roof", "The *roof* <script>alert(1)</script> opens.", title="Roof [x](javascript:1)")
    async with world.client() as client:
        conversation = (await ask(client, "When # does it open?"))["conversation_id"]
        exported = await client.get(f"/v1/conversations/{conversation}/export")
    assert exported.headers["content-type"].startswith("text/markdown")
    assert exported.headers["content-disposition"] == 'attachment; filename="conversation.md"'
    assert exported.text == (
        "# When \\# does it open?\n\n"
        "## When \\# does it open?\n\n"
        "*2026-11-01 12:00 UTC*\n\n"
        "The \\*roof\\* \\<script\\>alert(1)\\</script\\> opens. [1]\n\n"
        "- \\[1\\] [Roof \\[x\\](javascript:1)](https://wiki.acme.example/roof) (wiki, 2026-11-01)\n"
    )


async def test_a_key_for_reading_asks_and_looks_and_changes_nothing() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app, "ann:read") as key, client_of(app, "ann:write") as writing:
        answer = await ask(key, "What number?")
        conversation, rating = f"/v1/conversations/{answer['conversation_id']}", {"rating": "up"}
        feedback = f"/v1/answers/{answer['answer_id']}/feedback"
        assert (await key.get(conversation)).json()["title"] == "What number?"
        refused = [
            await key.patch(conversation, json={"title": "Another"}),
            await key.delete(conversation),
            await key.post(f"{conversation}/share"),
            await key.delete(f"{conversation}/share"),
            await key.post(feedback, json=rating),
            await key.delete(feedback),
            await writing.get(conversation),
            await writing.post("/v1/chat", json={"question": "What number?"}),
        ]
        assert [one.status_code for one in refused] == [403] * 8
        assert "the scope write" in refused[0].json()["detail"]
        kept = (await key.get(conversation)).json()
        assert (kept["title"], kept["share"], kept["turns"][0]["rating"]) == ("What number?", None, None)
        assert (await writing.post(feedback, json=rating)).status_code == 200
        assert (await writing.patch(conversation, json={"title": "Another"})).status_code == 200
        assert (await writing.delete(conversation)).status_code == 204
