"""Answers: their events, resuming, stopping, and the re-check of whoever reads them."""

import asyncio
import json
import uuid

import pytest

from cortex.domain.identity import AnswerId
from cortex.ports.generator import Ending, Usage
from services.query_gateway.settings import AnswerSettings, RetrievalSettings, Settings
from tests.services.query_gateway.fakes import down, person
from tests.services.query_gateway.streams import Event, opened, parse
from tests.services.query_gateway.world import World, client_of

QUESTION = {"question": "What number?"}


def texts(events: list[Event]) -> list[str]:
    return [event.json["text"].strip() for event in events if event.type == "token"]


def gate(world: World) -> None:
    world.generator.gate = asyncio.Semaphore(0)


async def test_events_come_in_the_order_of_the_contract_and_are_stored_as_sent() -> None:
    world = World()
    world.many(2)
    async with world.client() as client:
        response = await client.post("/v1/chat", json=QUESTION)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["x-accel-buffering"] == "no"
    events = parse(response.text)
    assert [event.type for event in events] == ["meta", "sources", *["token", "citation"] * 2, "done"]
    assert [event.id for event in events] == list(range(1, 8))
    meta, sources, token, citation, *_, done = [event.json for event in events]
    assert response.headers["content-location"] == f"/v1/answers/{meta['answer_id']}/stream"
    assert meta.keys() == {"answer_id", "conversation_id", "trace_id", "rewritten_question"}
    assert [source["n"] for source in sources] == [1, 2]
    assert {"n", "title", "url", "source", "updated_at", "superseded_by"} <= sources[0].keys()
    assert token["text"] == "Text number 0. [1]"
    assert citation.keys() == {"n", "quote", "document_id", "chunk_id", "anchor"}
    assert (done["abstained"], done["citations"], done["unsupported_dropped"], done["degraded"]) == (False, 2, 0, [])
    (stored,) = world.answers.log.values()
    assert [(event.sequence, event.type, event.data) for event in stored.values()] == [
        (event.id, event.type, event.data) for event in events
    ]


async def test_the_json_form_gives_the_whole_answer() -> None:
    world = World()
    world.many(2)
    async with world.client() as client:
        response = await client.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})
        answer = response.json()
        again = (await client.get(f"/v1/answers/{answer['answer_id']}")).json()
    assert answer["answer"] == "Text number 0. [1] Text number 1. [2]"
    assert [citation["n"] for citation in answer["citations"]] == [1, 2]
    assert (answer["state"], answer["abstained"]) == ("done", False)
    assert {"reason", "sources", "unsupported_dropped", "degraded", "usage", "stages_ms", "trace_id"} <= answer.keys()
    assert "generate" in answer["stages_ms"]
    assert again == answer


async def test_without_a_passage_there_is_an_abstention() -> None:
    async with World().client() as client:
        answer = (await client.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})).json()
    assert (answer["answer"], answer["abstained"], answer["reason"]) == ("", True, "not_found")


async def test_a_sentence_that_its_source_does_not_hold_is_dropped_and_counted() -> None:
    world = World()
    world.many(2)
    world.generator.falsify = True
    async with world.client() as client:
        response = await client.post("/v1/chat", json=QUESTION)
    done = parse(response.text)[-1].json
    assert (done["abstained"], done["reason"], done["unsupported_dropped"]) == (True, "unsupported", 2)
    assert "Nobody wrote this" not in response.text


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_without_the_permission_engine_there_is_no_answer(accept: str) -> None:
    world = World()
    world.add("secret", "Text number secret.")
    world.permissions.failing = down()
    async with world.client() as client:
        response = await client.post("/v1/chat", json=QUESTION, headers={"Accept": accept})
    assert response.status_code == 503
    assert "secret" not in response.text
    assert world.answers.records == {}


async def test_what_is_degraded_is_named() -> None:
    world = World()
    world.many(1)
    world.models.failing = down()
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})).json()
    assert answer["degraded"] == ["dense"]


async def test_what_it_cost_and_what_was_missing_is_kept_with_the_answer() -> None:
    world = World()
    world.many(1)
    world.generator.ending = Ending(abstained=False, usage=Usage(40, 12), degraded=("llm",), engine="small")
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})).json()
    assert answer["usage"] == {"prompt_tokens": 40, "completion_tokens": 12}
    assert answer["degraded"] == ["llm"]
    assert world.registry.get_sample_value("cortex_gateway_degraded_total", {"part": "llm"}) == 1.0


async def test_an_event_is_durable_before_it_is_sent() -> None:
    world = World()
    world.many(2)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        assert (await stream.event()).type == "meta"
        assert (await stream.event()).type == "sources"
        world.answers.failing = down()
        world.generator.gate.release()
        error = await stream.event()
        assert error.type == "error"
        assert error.json["problem"]["status"] == 503
        assert await stream.rest() == []


async def test_a_cut_stream_is_resumed_without_loss_or_repetition() -> None:
    world = World()
    world.many(4)
    gate(world)
    async with world.running() as app:
        async with opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
            answer = (await stream.event()).json["answer_id"]
            await stream.event()
            world.generator.gate.release()
            first = [await stream.event(), await stream.event()]
        world.generator.gate.release()
        path = f"/v1/answers/{answer}/stream"
        async with opened(app, "GET", path, headers={"Last-Event-ID": str(first[-1].id)}) as stream:
            second = [await stream.event(), await stream.event()]
            world.generator.gate.release()
            world.generator.gate.release()
            second += await stream.rest()
        async with opened(app, "GET", path, headers={"Last-Event-ID": "6"}) as stream:
            third = await stream.rest()
    assert [event.id for event in first + second] == list(range(3, 12))
    assert texts(first + second) == [f"Text number {n}. [{n + 1}]" for n in range(4)]
    assert [event.id for event in third] == list(range(7, 12))


async def test_another_process_resumes_from_the_store() -> None:
    world = World()
    world.many(2)
    async with world.client() as client:
        events = parse((await client.post("/v1/chat", json=QUESTION)).text)
    answer = events[0].json["answer_id"]
    async with world.client() as client:
        rest = await client.get(f"/v1/answers/{answer}/stream", headers={"Last-Event-ID": "3"})
    assert [event.data for event in parse(rest.text)] == [event.data for event in events[3:]]


async def test_an_answer_that_a_crash_cut_off_ends_with_an_error() -> None:
    world = World(Settings(answer=AnswerSettings(follow_poll_s=0.001)))
    world.many(1)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        answer = (await stream.event()).json["answer_id"]
        crashed = {key: dict(log) for key, log in world.answers.log.items()}
        records = dict(world.answers.records)
    world.answers.log, world.answers.records = crashed, records
    world.clock.advance(1_000)
    async with world.client() as client:
        events = parse((await client.get(f"/v1/answers/{answer}/stream")).text)
    assert [event.type for event in events] == ["meta", "sources", "error"]


async def test_generation_goes_on_after_the_reader_left() -> None:
    world = World()
    world.many(2)
    gate(world)
    async with world.running() as app:
        async with opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
            answer = (await stream.event()).json["answer_id"]
        world.generator.gate.release()
        world.generator.gate.release()
        async with opened(app, "GET", f"/v1/answers/{answer}/stream") as stream:
            events = await stream.rest()
    assert [event.type for event in events] == ["meta", "sources", *["token", "citation"] * 2, "done"]


async def test_generation_ends_when_nobody_came_back_in_time() -> None:
    world = World(Settings(answer=AnswerSettings(grace_s=0.01)))
    world.many(2)
    gate(world)
    async with world.running() as app:
        async with opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
            answer = (await stream.event()).json["answer_id"]
        await world.answers.ended.wait()
        async with client_of(app) as client:
            record = (await client.get(f"/v1/answers/{answer}")).json()
    assert (record["state"], record["reason"]) == ("stopped", "interrupted")
    assert world.generator.closed


async def test_stop_ends_at_once_and_keeps_what_was_said() -> None:
    world = World()
    world.many(3)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        answer = (await stream.event()).json["answer_id"]
        await stream.event()
        world.generator.gate.release()
        assert (await stream.event()).type == "token"
        assert (await stream.event()).type == "citation"
        async with client_of(app) as client:
            stopped = (await client.post(f"/v1/answers/{answer}/stop")).json()
            again = (await client.post(f"/v1/answers/{answer}/stop")).json()
            record = (await client.get(f"/v1/answers/{answer}")).json()
        (done,) = await stream.rest()
    assert stopped == again == {"answer_id": answer, "state": "stopped"}
    assert (done.type, done.json["reason"], done.json["citations"]) == ("done", "stopped", 1)
    assert (record["answer"], record["reason"]) == ("Text number 0. [1]", "stopped")
    assert world.generator.closed


async def test_closing_the_application_ends_what_is_running() -> None:
    world = World()
    world.many(1)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        answer = (await stream.event()).json["answer_id"]
    assert world.answers.records[AnswerId(uuid.UUID(answer))].state == "stopped"


async def test_a_generators_failure_ends_one_answer_and_no_other() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app) as client:
        for failure in (down(), ZeroDivisionError("secret detail")):
            world.generator.failing = failure
            response = await client.post("/v1/chat", json=QUESTION)
            assert parse(response.text)[-1].type == "error"
            assert "secret detail" not in response.text
        world.generator.failing = None
        assert parse((await client.post("/v1/chat", json=QUESTION)).text)[-1].type == "done"


async def test_a_stream_says_that_it_lives() -> None:
    world = World(Settings(answer=AnswerSettings(heartbeat_s=0.01)))
    world.many(1)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        await stream.event()
        await stream.event()
        assert (await stream._block()).startswith(":")
        world.generator.gate.release()
        assert [event.type for event in await stream.rest()] == ["token", "citation", "done"]


async def test_a_reader_who_does_not_read_is_cut_off_and_delays_nobody() -> None:
    world = World(Settings(answer=AnswerSettings(slow_reader_s=0.02)))
    world.many(5)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION, room=1) as slow:
        await slow.status
        async with client_of(app) as client:
            whole = await client.post("/v1/chat", json=QUESTION)
        assert parse(whole.text)[-1].type == "done"
        await slow.served.wait()
        assert slow.pieces.qsize() == 1


async def test_as_many_answers_as_allowed_are_written_at_once() -> None:
    world = World(Settings(answer=AnswerSettings(running_max=1)))
    world.many(1)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        await stream.event()
        async with client_of(app) as client:
            response = await client.post("/v1/chat", json=QUESTION)
    assert (response.status_code, response.headers["retry-after"]) == (503, "2")


async def test_a_long_stream_rechecks_before_it_shows_anything_more() -> None:
    world = World()
    documents = world.many(3)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        await stream.event()
        await stream.event()
        world.generator.gate.release()
        first = [await stream.event(), await stream.event()]
        checks = len(world.permissions.calls)
        world.permissions.denied.add((documents[1], "view"))
        world.clock.advance(6)
        world.generator.gate.release()
        world.generator.gate.release()
        rest = await stream.rest()
    assert texts(first + rest) == ["Text number 0. [1]", "Text number 2. [3]"]
    assert str(documents[1]) not in "".join(event.data for event in rest)
    assert rest[-1].json["citations"] == 2
    assert len(world.permissions.calls) == checks + 1


async def test_a_recheck_that_fails_ends_the_stream() -> None:
    world = World()
    world.many(2)
    gate(world)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        await stream.event()
        await stream.event()
        world.permissions.failing = down()
        world.clock.advance(6)
        world.generator.gate.release()
        world.generator.gate.release()
        (error,) = await stream.rest()
    assert (error.type, error.json["problem"]["status"]) == ("error", 503)


async def test_a_resumed_stream_holds_nothing_of_what_was_revoked_meanwhile() -> None:
    world = World()
    documents = world.many(2)
    async with world.client() as client:
        answer = parse((await client.post("/v1/chat", json=QUESTION)).text)[0].json["answer_id"]
        world.permissions.denied.add((documents[0], "view"))
        resumed = await client.get(f"/v1/answers/{answer}/stream")
    events = parse(resumed.text)
    assert [event.type for event in events] == ["meta", "sources", "token", "citation", "done"]
    assert [source["n"] for source in events[1].json] == [2]
    assert str(documents[0]) not in resumed.text
    assert "Text number 0" not in resumed.text
    assert events[-1].json["citations"] == 1


@pytest.mark.parametrize("how", ["revoked", "deleted"])
async def test_a_record_loses_sentences_whose_sources_may_no_longer_be_opened(how: str) -> None:
    world = World()
    documents = world.many(2)
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})).json()
        if how == "revoked":
            world.permissions.denied.add((documents[0], "view"))
        else:
            del world.documents.rows[documents[0]]
        record = (await client.get(f"/v1/answers/{answer['answer_id']}")).json()
    assert record["answer"] == "Text number 1. [2]"
    assert [source["n"] for source in record["sources"]] == [2]
    assert [citation["n"] for citation in record["citations"]] == [2]
    assert str(documents[0]) not in json.dumps(record)


async def test_a_record_is_not_shown_while_the_permission_engine_is_down() -> None:
    world = World()
    world.many(1)
    async with world.client() as client:
        answer = (await client.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})).json()
        world.permissions.failing = down()
        response = await client.get(f"/v1/answers/{answer['answer_id']}")
    assert response.status_code == 503
    assert "Text number" not in response.text


async def test_another_persons_answer_an_unknown_one_and_no_id_look_the_same() -> None:
    world = World()
    world.many(1)
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "ben") as ben:
        answer = (await ann.post("/v1/chat", json=QUESTION, headers={"Accept": "application/json"})).json()["answer_id"]
        seen = []
        for identifier in (answer, uuid.uuid4(), "nonsense"):
            for method, suffix in (("GET", ""), ("GET", "/stream"), ("POST", "/stop")):
                response = await ben.request(method, f"/v1/answers/{identifier}{suffix}")
                assert response.status_code == 404
                seen.append({k: v for k, v in response.json().items() if k != "trace_id"})
    assert all(body == seen[0] for body in seen)


async def test_two_conversations_of_two_people_stay_apart() -> None:
    world = World(Settings(retrieval=RetrievalSettings()))
    world.add("for-ben", "Text number for Ben.", principals=frozenset([f"p:{person('ben')}"]))
    async with world.running() as app, client_of(app, "ann") as ann, client_of(app, "ben") as ben:
        json_form = {"Accept": "application/json"}
        mine = (await ann.post("/v1/chat", json=QUESTION, headers=json_form)).json()
        theirs = (await ben.post("/v1/chat", json=QUESTION, headers=json_form)).json()
    assert (mine["abstained"], mine["sources"]) == (True, [])
    assert theirs["answer"] == "Text number for Ben. [1]"


@pytest.mark.parametrize("identifier", ["-1; DROP", "9" * 5_000])
async def test_a_bad_last_event_id_starts_at_the_beginning(identifier: str) -> None:
    world = World()
    world.many(1)
    async with world.client() as client:
        events = parse((await client.post("/v1/chat", json=QUESTION)).text)
        again = await client.get(
            f"/v1/answers/{events[0].json['answer_id']}/stream", headers={"Last-Event-ID": identifier}
        )
    assert parse(again.text) == events
