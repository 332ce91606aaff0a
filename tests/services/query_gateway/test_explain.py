"""Why an answer is as it is, told to whoever may know."""

from services.query_gateway.visibility import VIEW
from tests.services.query_gateway.world import World, client_of

WHOLE = {"Accept": "application/json"}


async def test_passages_come_in_final_order_with_their_scores_and_ranks() -> None:
    world = World()
    documents = world.many(3)
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json={"question": "What number?"}, headers=WHOLE)).json()
        explained = (await client.get(f"/v1/answers/{answer['answer_id']}/explain")).json()
    assert [passage["document_id"] for passage in explained["passages"]] == [str(document) for document in documents]
    assert [passage["ranks"]["dense"] for passage in explained["passages"]] == [1, 2, 3]
    assert [passage["ranks"]["maxsim"] for passage in explained["passages"]] == [1, 1, 1]
    assert explained["passages"][0]["scores"].keys() == {"fused", "dense", "bm25", "maxsim"}
    assert all(passage["used"] and passage["cited"] for passage in explained["passages"])
    assert explained["stages_ms"] == answer["stages_ms"]
    assert (explained["state"], explained["abstained"]) == ("done", False)
    assert (explained["engine"], explained["usage"]) == ("", {"prompt_tokens": 0, "completion_tokens": 0})


async def test_ranks_have_no_gaps_where_something_may_not_be_seen() -> None:
    world = World()
    one, two, _ = world.many(3)
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json={"question": "What number?"}, headers=WHOLE)).json()
        world.permissions.denied |= {(one, VIEW)}
        response = await client.get(f"/v1/answers/{answer['answer_id']}/explain")
    explained = response.json()
    assert [passage["ranks"]["fused"] for passage in explained["passages"]] == [1, 2]
    assert explained["passages"][0]["document_id"] == str(two)
    assert str(one) not in response.text
    assert "doc-000" not in response.text


async def test_somebody_elses_answer_is_not_explained() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "bob") as bob:
        answer = (await ann.post("/v1/chat", json={"question": "What number?"}, headers=WHOLE)).json()["answer_id"]
        assert (await bob.get(f"/v1/answers/{answer}/explain")).status_code == 404
        assert (await ann.get("/v1/answers/nonsense/explain")).status_code == 404


async def test_feedback_is_ones_own_and_replaced() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "bob") as bob:
        answer = (await ann.post("/v1/chat", json={"question": "What number?"}, headers=WHOLE)).json()["answer_id"]
        path = f"/v1/answers/{answer}/feedback"
        for rating in ("up", "down"):
            given = await ann.post(path, json={"rating": rating, "comment": "Because."})
            assert given.json() == {"answer_id": answer, "rating": rating, "comment": "Because."}
            assert (await ann.get(f"/v1/answers/{answer}")).json()["rating"] == rating
        for body in ({"rating": "sideways"}, {}, {"rating": "up", "comment": ""}, {"rating": "up", "more": 1}):
            assert (await ann.post(path, json=body)).status_code == 422
        assert (await bob.post(path, json={"rating": "up"})).status_code == 404
        assert (await bob.delete(path)).status_code == 404
        assert (await ann.delete(path)).status_code == 204
        assert (await ann.get(f"/v1/answers/{answer}")).json()["rating"] is None
    assert world.registry.get_sample_value("cortex_gateway_feedback_total", {"rating": "down"}) == 1.0
