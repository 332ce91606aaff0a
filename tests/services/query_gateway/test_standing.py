"""What stored answers show of documents that have changed since, on every surface that shows stored answers."""

import asyncio
import json
import uuid
from dataclasses import replace
from typing import Any

import httpx
import pytest

from cortex.domain.answer import Citation, Sentence
from cortex.domain.document import Block, BlockKind
from cortex.domain.identity import AnswerId, DocumentId
from cortex.ports.answer_store import AnswerEvent
from tests.services.query_gateway.fakes import NOON, down
from tests.services.query_gateway.streams import opened, parse
from tests.services.query_gateway.world import World, client_of

WHOLE = {"Accept": "application/json"}
SECRET = "The lamp is lit by keeper@acme.example."
KEPT = "The lamp is lit at dusk."
QUESTION = {"question": "Who lights it?"}


def edited(world: World, document: DocumentId, *texts: str, title: str = "Tower", revision: int = 2) -> None:
    """The live document from now on: a heading and these paragraphs."""
    blocks = [Block(0, BlockKind.HEADING, title, level=1)]
    blocks += [Block(n, BlockKind.PARAGRAPH, text, page=4) for n, text in enumerate(texts, start=1)]
    row = world.documents.rows[document]
    url = "https://wiki.acme.example/tower"
    world.documents.rows[document] = replace(row, indexed_revision=revision, title=title, url=url)
    world.documents.pages[document] = blocks


async def ask(client: httpx.AsyncClient) -> dict[str, Any]:
    response = await client.post("/v1/chat", json=QUESTION, headers=WHOLE)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def surfaces(client: httpx.AsyncClient, answer: dict[str, Any]) -> dict[str, httpx.Response]:
    """Everything that shows of an answer what was stored."""
    identifier, conversation = answer["answer_id"], answer["conversation_id"]
    shared = (await client.post(f"/v1/conversations/{conversation}/share")).json()["url"]
    paths = {
        "record": f"/v1/answers/{identifier}",
        "stream": f"/v1/answers/{identifier}/stream",
        "explanation": f"/v1/answers/{identifier}/explain",
        "conversation": f"/v1/conversations/{conversation}",
        "list": "/v1/conversations",
        "export": f"/v1/conversations/{conversation}/export",
        "share": "/v1/shares/" + shared.rsplit("/", 1)[1],
    }
    return {name: await client.get(path) for name, path in paths.items()}


def sentences_of(world: World, *said: tuple[str, str, str]) -> None:
    """The generator says each text with a quote of a document, by name."""

    class Saying:
        async def generate(self, request: Any) -> Any:
            by_title = {passage.title: passage for passage in request.passages}
            numbers = {d: n for n, d in enumerate(dict.fromkeys(p.document_id for p in request.passages), start=1)}
            for text, quote, title in said:
                passage = by_title[title]
                start = passage.anchors[0].start + passage.text.index(quote)
                anchor = replace(passage.anchors[0], start=start, end=start + len(quote))
                number = numbers[passage.document_id]
                yield Sentence(text, (Citation(number, quote, passage.document_id, passage.chunk_id, anchor),))

    world.generator = Saying()  # type: ignore[assignment]


@pytest.mark.parametrize("how", ["redacted", "emptied", "never indexed anew", "deleted", "no permission"])
async def test_text_that_is_gone_from_a_document_is_gone_from_every_surface(how: str) -> None:
    world = World()
    document = world.add("lamp", SECRET)
    async with world.client() as client:
        answer = await ask(client)
        assert SECRET in answer["answer"]
        match how:
            case "redacted":
                edited(world, document, "The lamp is lit by [redacted: email].", title="lamp")
            case "emptied":
                edited(world, document, title="lamp")
            case "never indexed anew":
                edited(world, document, title="lamp", revision=0)
            case "deleted":
                del world.documents.rows[document]
            case "no permission":
                world.permissions.denied.add((document, "view"))
        for name, response in (await surfaces(client, answer)).items():
            assert response.status_code == 200, name
            assert "keeper@acme" not in response.text, name
            assert str(document) not in response.text, name


async def test_a_reader_cannot_tell_why_something_is_gone() -> None:
    """Whether the text went or the permission to see it."""
    seen = []
    for how in ("edited", "denied"):
        world = World()
        document, _ = world.add("lamp", SECRET), world.add("tower", KEPT, score=0.4)
        async with world.client() as client:
            answer = await ask(client)
            if how == "edited":
                edited(world, document, "Nothing of the kind.")
            else:
                world.permissions.denied.add((document, "view"))
            told = {}
            for name, response in (await surfaces(client, answer)).items():
                text = response.text
                for unique in (answer["answer_id"], answer["conversation_id"], answer["trace_id"]):
                    text = text.replace(unique, "-")
                told[name] = text
            record = json.loads(told["record"])
            for name in ("record", "stream", "explanation", "conversation", "share", "list"):
                told[name] = "" if name == "list" else _without_times(told[name])
            assert record["answer"] == f"{KEPT} [2]"
        seen.append(told)
    assert seen[0] == seen[1]


def _without_times(text: str) -> str:
    """Nor shares: both differ from run to run."""
    found = json.loads(text) if text.startswith("{") else [event.json for event in parse(text)]

    def bare(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: bare(value) for key, value in one.items() if key not in ("stages_ms", "share")}
        return [bare(value) for value in one] if isinstance(one, list) else one

    return json.dumps(bare(found))


async def test_a_quote_that_still_stands_is_kept_where_it_stands_now_under_the_new_title() -> None:
    world = World()
    document = world.add("lamp", SECRET)
    async with world.client() as client:
        answer = await ask(client)
        edited(world, document, "It is new.", f"As before: {SECRET}")
        shown = await surfaces(client, answer)
    record, shared = shown["record"].json(), shown["share"].json()["turns"][0]
    for body in (record, shared, shown["conversation"].json()["turns"][0]):
        assert body["answer"] == f"{SECRET} [1]"
        (source,), (citation,) = body["sources"], body["citations"]
        assert (source["title"], source["url"]) == ("Tower", "https://wiki.acme.example/tower")
        assert source["revision"] == 2
        start = len("As before: ")
        assert citation["anchor"] == {
            "revision": 2,
            "block_id": 2,
            "start": start,
            "end": start + len(SECRET),
            "page": 4,
            "line": None,
            "message_id": None,
            "second": None,
        }
    (passage,) = shown["explanation"].json()["passages"]
    assert (passage["title"], passage["cited"]) == ("Tower", True)
    assert "[Tower](https://wiki.acme.example/tower)" in shown["export"].text
    events = parse(shown["stream"].text)
    assert [event.type for event in events] == ["meta", "sources", "token", "citation", "done"]
    assert (events[1].json[0]["title"], events[3].json["anchor"]["block_id"]) == ("Tower", 2)
    assert all("lamp" not in json.dumps(source | {"place": ""}) for source in events[1].json)


async def test_a_change_of_the_row_alone_is_shown_at_once() -> None:
    """Address and title are those of the row, whatever revision was cited."""
    world = World()
    document = world.add("lamp", SECRET)
    async with world.client() as client:
        answer = await ask(client)
        row = world.documents.rows[document]
        world.documents.rows[document] = replace(row, url="https://wiki.acme.example/moved", title="Moved")
        shown = await surfaces(client, answer)
    for name in ("record", "stream", "explanation", "conversation", "export", "share"):
        assert "https://wiki.acme.example/moved" in shown[name].text, name
        assert "https://wiki.acme.example/lamp" not in shown[name].text, name
    assert world.documents.quoted_calls == []


async def test_a_quote_stays_at_its_place_where_it_stands_twice() -> None:
    world = World()
    document = world.add("lamp", f"First. {KEPT}")
    sentences_of(world, (KEPT, KEPT, "lamp"))
    async with world.client() as client:
        answer = await ask(client)
        edited(world, document)
        again = Block(0, BlockKind.PARAGRAPH, f"{KEPT[:-1]} {KEPT}")
        world.documents.pages[document] = [again, Block(1, BlockKind.PARAGRAPH, KEPT)]
        record = (await client.get(f"/v1/answers/{answer['answer_id']}")).json()
    anchor = record["citations"][0]["anchor"]
    assert (anchor["block_id"], anchor["start"]) == (0, len(KEPT))


async def test_a_source_that_nothing_cites_goes_with_the_text_it_was_found_for() -> None:
    world = World()
    lamp, tower = world.add("lamp", KEPT), world.add("tower", "About the tower.", score=0.4)
    sentences_of(world, (KEPT, KEPT, "lamp"))
    async with world.client() as client:
        answer = await ask(client)
        assert [source["document_id"] for source in answer["sources"]] == [str(lamp), str(tower)]
        edited(world, tower, "About something else.")
        for name, response in (await surfaces(client, answer)).items():
            assert "tower" not in response.text, name
            assert (KEPT in response.text) == (name not in ("explanation", "list")), name


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (KEPT, True),
        (f"As of 6 May 2026: {KEPT}", True),
        ("At dusk the lamp is lit.", True),
        ("At dusk the lamp of the lighthouse is lit.", False),
        ("Priya says that the lamp is lit at dusk.", False),
    ],
)
async def test_a_sentence_says_no_more_than_what_is_left_of_what_it_cites(text: str, kept: bool) -> None:
    """The quote stands, and the title does no more, from which a model may have taken the rest."""
    world = World()
    document = world.add("lamp", KEPT, title="Lighthouse, says Priya")
    sentences_of(world, (text, KEPT, "Lighthouse, says Priya"))
    async with world.client() as client:
        answer = await ask(client)
        assert text in answer["answer"] or text.startswith("As of")
        edited(world, document, KEPT, title="Tower")
        record = (await client.get(f"/v1/answers/{answer['answer_id']}")).json()
        stream = parse((await client.get(f"/v1/answers/{answer['answer_id']}/stream")).text)
    if answer["answer"]:
        assert (record["answer"] != "") == kept
        assert ("token" in [event.type for event in stream]) == kept
    assert record["answer"] == ("" if not kept else answer["answer"])


async def test_a_conversation_of_many_answers_asks_once_for_all_quotes() -> None:
    world = World()
    documents = [world.add(f"paper-{n}", f"Paper number {n} is here.", score=1 - n / 10) for n in range(4)]
    async with world.client() as client:
        conversation = None
        for n in range(3):
            body = {"question": f"What {n}?"} | ({"conversation_id": conversation} if conversation else {})
            answer = (await client.post("/v1/chat", json=body, headers=WHOLE)).json()
            conversation = answer["conversation_id"]
        for n, document in enumerate(documents):
            edited(world, document, f"Paper number {n} is here.")
        world.documents.quoted_calls.clear()
        detail = (await client.get(f"/v1/conversations/{conversation}")).json()
    assert [len(turn["citations"]) for turn in detail["turns"]] == [4, 4, 4]
    assert len(world.documents.quoted_calls) == 1


async def test_what_is_gone_from_an_answer_does_not_make_a_follow_up_whole() -> None:
    world = World()
    document = world.add("support", "Grace Oyelaran leads support.")
    async with world.client() as client:
        body = {"question": "Who leads support?"}
        conversation = (await client.post("/v1/chat", json=body, headers=WHOLE)).json()["conversation_id"]
        edited(world, document, "[redacted: person] leads support.")
        body = {"question": "Where does she sit?", "conversation_id": conversation}
        await client.post("/v1/chat", json=body, headers=WHOLE)
    assert world.generator.asked[0] == "Who leads support?"
    assert "Oyelaran" not in world.generator.asked[-1]


async def test_a_record_of_chat_completions_loses_it_as_well() -> None:
    world = World()
    document = world.add("lamp", SECRET)
    body = {"model": "cortex", "messages": [{"role": "user", "content": "Who lights it?"}]}
    async with world.client() as client:
        made = (await client.post("/v1/chat/completions", json=body)).json()
        assert SECRET in made["choices"][0]["message"]["content"]
        edited(world, document, "Nothing of the kind.")
        for name, response in (await surfaces(client, made["cortex"])).items():
            assert "keeper@acme" not in response.text, name


async def test_without_the_document_store_nothing_is_shown() -> None:
    world = World()
    document = world.add("lamp", SECRET)
    async with world.client() as client:
        answer = await ask(client)
        edited(world, document, SECRET)
        world.documents.quoting_failing = down()
        response = await client.get(f"/v1/answers/{answer['answer_id']}")
        stream = await client.get(f"/v1/answers/{answer['answer_id']}/stream")
    assert (response.status_code, SECRET in response.text) == (503, False)
    assert [event.type for event in parse(stream.text)] == ["meta", "error"]


async def test_what_goes_while_a_stream_runs_is_not_shown_any_more() -> None:
    """At once, and not when the last check is a few seconds old."""
    world = World()
    documents = world.many(4)
    world.generator.gate = asyncio.Semaphore(0)
    async with world.running() as app, opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
        answer = (await stream.event()).json["answer_id"]
        await stream.event()
        world.generator.gate.release()
        first = [await stream.event(), await stream.event()]
        edited(world, documents[1], "Nothing of the kind.")
        world.permissions.denied.add((documents[2], "view"))
        world.documents.token = "token-2"
        for _ in range(3):
            world.generator.gate.release()
        rest = await stream.rest()
        async with client_of(app) as client:
            record = (await client.get(f"/v1/answers/{answer}")).json()
    said = [event.json["text"].strip() for event in [*first, *rest] if event.type == "token"]
    assert said == ["Text number 0. [1]", "Text number 3. [4]"]
    assert rest[-1].json["citations"] == 2
    assert (rest[-1].json["confidence"], rest[-1].json["evidence"]) == (None, {})
    assert record["answer"] == "Text number 0. [1] Text number 3. [4]"


async def test_sources_that_went_between_search_and_answer_are_not_shown() -> None:
    world = World()
    one, two = world.many(2)
    world.generator.gate = asyncio.Semaphore(0)
    async with world.running() as app, client_of(app) as client:
        async with opened(app, "POST", "/v1/chat", body=QUESTION) as stream:
            answer = (await stream.event()).json["answer_id"]
            world.permissions.denied.add((one, "view"))
            world.documents.token = "token-2"
            async with opened(app, "GET", f"/v1/answers/{answer}/stream") as second:
                await second.event()
                sources = await second.event()
                world.generator.gate.release()
                world.generator.gate.release()
                events = await second.rest()
        assert (await client.get(f"/v1/answers/{answer}")).json()["answer"] == "Text number 1. [2]"
    assert [source["document_id"] for source in sources.json] == [str(two)]
    assert str(one) not in "".join(event.data for event in events)


async def test_a_sentence_whose_citations_are_not_known_is_not_shown() -> None:
    """As one of a log that was cut off between the two."""
    world = World()
    world.many(1)
    async with world.client() as client:
        answer = AnswerId(uuid.UUID((await ask(client))["answer_id"]))
        log = world.answers.log[answer]
        del log[4]
        stream = parse((await client.get(f"/v1/answers/{answer}/stream")).text)
    assert [event.type for event in stream] == ["meta", "sources", "done"]


async def test_an_answer_from_before_revisions_were_kept_shows_what_it_cites() -> None:
    world = World()
    one, two = world.add("lamp", KEPT), world.add("tower", "About the tower.", score=0.4)
    sentences_of(world, (KEPT, KEPT, "lamp"))
    async with world.client() as client:
        answer = AnswerId(uuid.UUID((await ask(client))["answer_id"]))
        record = world.answers.records[answer]
        stored = json.loads(record.record or "")
        for named in [*stored["sources"], *stored["considered"]]:
            del named["revision"]
        world.answers.records[answer] = replace(record, record=json.dumps(stored))
        log = world.answers.log[answer]
        sources = [{k: v for k, v in source.items() if k != "revision"} for source in json.loads(log[2].data)]
        log[2] = AnswerEvent(2, "sources", json.dumps(sources))
        shown = (await client.get(f"/v1/answers/{answer}")).json()
        stream = parse((await client.get(f"/v1/answers/{answer}/stream")).text)
    assert (shown["answer"], [source["document_id"] for source in shown["sources"]]) == (f"{KEPT} [1]", [str(one)])
    assert [source["document_id"] for source in stream[1].json] == [str(one)]
    assert str(two) not in json.dumps(shown)
    assert NOON.isoformat()[:10] in json.dumps(shown)
