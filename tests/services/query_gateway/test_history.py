"""Follow-ups: what is searched for, what is shown, and what of the history may still count."""

import httpx

from services.query_gateway.visibility import VIEW
from tests.services.query_gateway.streams import Event, parse
from tests.services.query_gateway.world import World

STREAM = {"Accept": "text/event-stream"}
LEADS = "Grace Oyelaran leads support."


async def ask(client: httpx.AsyncClient, question: str, conversation: str | None = None) -> list[Event]:
    body = {"question": question} | ({"conversation_id": conversation} if conversation else {})
    response = await client.post("/v1/chat", json=body, headers=STREAM)
    assert response.status_code == 200, response.text
    return parse(response.text)


async def test_a_follow_up_is_asked_as_it_is_meant_and_kept_as_it_was_typed() -> None:
    world = World()
    world.add("prices", "A Petrel costs 329 euros.")
    async with world.client() as client:
        first = (await ask(client, "What does a Wren cost?"))[0].json
        second = (await ask(client, "What about the Petrel?", first["conversation_id"]))[0].json
        kept = (await client.get(f"/v1/answers/{second['answer_id']}")).json()
    assert world.generator.asked == ["What does a Wren cost?", "What does a Petrel cost?"]
    assert first["rewritten_question"] is None
    assert second["rewritten_question"] == "What does a Petrel cost?"
    assert kept["question"] == "What about the Petrel?"


async def test_a_person_from_an_answer_counts_and_is_not_shown() -> None:
    world = World()
    world.add("support", LEADS)
    async with world.client() as client:
        conversation = (await ask(client, "Who leads support?"))[0].json["conversation_id"]
        meta = (await ask(client, "Where does she sit?", conversation))[0].json
    assert world.generator.asked[-1] == "Where does Grace Oyelaran sit?"
    assert "Oyelaran" not in (meta["rewritten_question"] or "")


async def test_an_answer_that_may_not_be_read_any_more_does_not_count() -> None:
    world = World()
    document = world.add("support", LEADS)
    world.add("offices", "The office is in Toronto.")
    async with world.client() as client:
        conversation = (await ask(client, "Who leads support?"))[0].json["conversation_id"]
        world.permissions.denied.add((document, VIEW))
        await ask(client, "Where does she sit?", conversation)
    assert "Oyelaran" not in world.generator.asked[-1]


async def test_another_persons_conversation_is_not_there() -> None:
    world = World()
    world.add("prices", "A Petrel costs 329 euros.")
    async with world.running() as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            ann, ben = ({**STREAM, "Authorization": f"Bearer {name}"} for name in ("ann", "ben"))
            first = await client.post("/v1/chat", json={"question": "What does a Wren cost?"}, headers=ann)
            conversation = parse(first.text)[0].json["conversation_id"]
            body = {"question": "What about the Petrel?", "conversation_id": conversation}
            assert (await client.post("/v1/chat", json=body, headers=ben)).status_code == 404
    assert world.generator.asked == ["What does a Wren cost?"]
