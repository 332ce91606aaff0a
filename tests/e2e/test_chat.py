"""Answers: their events and their order, the same whole, resumed, stopped, and silence where nothing supports them."""

import itertools
import json
from typing import Any

import pytest

from tests.e2e.company import Company, Event, Someone
from tests.e2e.waiting import eventually

CANTEEN = "# Canteen\n\nThe canteen opens at half past seven. Soup is served until three in the afternoon.\n"
ROOF = "# Roof terrace\n\nThe roof terrace is closed during thunderstorms.\n"
QUESTION = "When does the canteen open?"


@pytest.fixture
def ann(company: Company) -> Someone:
    company.push("canteen", CANTEEN, url="https://wiki.example/canteen", updated_at="2026-03-01T08:00:00Z")
    company.pushed("roof", ROOF)
    return company.person("ann")


def kinds(events: list[Event]) -> list[str]:
    return [kind for kind, _ in itertools.groupby(event.type for event in events)]


def test_the_events_of_an_answer_come_in_their_order(company: Company, ann: Someone) -> None:
    events = ann.events(QUESTION)
    assert kinds(events) == ["meta", "sources", "token", "citation", "done"]
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    by_kind = {event.type: event.data for event in events}
    assert by_kind["meta"].keys() >= {"answer_id", "conversation_id", "trace_id"}
    source = next(source for source in by_kind["sources"] if source["document_id"] == company.document_id("canteen"))
    assert (source["title"], source["url"]) == ("Canteen", "https://wiki.example/canteen")
    assert source["updated_at"] == "2026-03-01T08:00:00Z"
    assert source["source"]["name"] == "notes"
    assert source["superseded_by"] is None
    assert by_kind["token"]["text"] == f"The canteen opens at half past seven. [{source['n']}]"
    citation = by_kind["citation"]
    assert (citation["n"], citation["quote"]) == (source["n"], "The canteen opens at half past seven.")
    done = by_kind["done"]
    assert (done["abstained"], done["reason"], done["citations"], done["degraded"]) == (False, None, 1, [])
    assert done.keys() >= {"unsupported_dropped", "usage", "stages_ms"}


def test_a_citation_leads_to_the_words_that_it_quotes(ann: Someone) -> None:
    (citation,) = ann.ask(QUESTION)["citations"]
    document = ann.get(f"/v1/documents/{citation['document_id']}").json()
    anchor = citation["anchor"]
    assert anchor["revision"] == document["revision"]
    block = next(block for block in document["blocks"] if block["block_id"] == anchor["block_id"])
    assert block["text"][anchor["start"] : anchor["end"]] == citation["quote"]


def test_the_whole_answer_is_what_its_events_say_and_what_is_kept(ann: Someone) -> None:
    whole = ann.ask(QUESTION)
    events = ann.replayed(whole["answer_id"])
    assert "".join(event.data["text"] for event in events if event.type == "token") == whole["answer"]
    assert [event.data for event in events if event.type == "citation"] == whole["citations"]
    assert next(event.data for event in events if event.type == "sources") == whole["sources"]
    assert whole["state"] == "done"
    assert ann.get(f"/v1/answers/{whole['answer_id']}").json() == whole


def test_a_conversation_keeps_its_id(ann: Someone) -> None:
    first = ann.ask(QUESTION)
    body = {"question": "And the roof terrace?", "conversation_id": first["conversation_id"]}
    second = ann.post("/v1/chat", body, Accept="application/json").json()
    assert second["conversation_id"] == first["conversation_id"]
    assert second["answer_id"] != first["answer_id"]


@pytest.mark.parametrize("read", [1, 2, 3])
def test_a_stream_that_was_cut_goes_on_where_it_stopped(ann: Someone, read: int) -> None:
    with ann.stream("POST", "/v1/chat", json={"question": QUESTION}) as stream:
        seen = list(itertools.islice(stream, read))
    answer = seen[0].data["answer_id"]
    rest = ann.replayed(answer, after=seen[-1].id)
    assert seen + rest == ann.replayed(answer)
    assert rest[-1].type == "done"


def test_stopping_ends_an_answer_once_and_for_all(ann: Someone) -> None:
    with ann.stream("POST", "/v1/chat", json={"question": QUESTION}) as stream:
        answer = next(stream).data["answer_id"]
    stopped = ann.post(f"/v1/answers/{answer}/stop")
    assert stopped.status_code == 200
    assert stopped.json()["state"] in ("stopped", "done"), "it may have been complete before"
    assert ann.post(f"/v1/answers/{answer}/stop").json() == stopped.json()
    assert ann.get(f"/v1/answers/{answer}").json()["state"] == stopped.json()["state"]
    assert ann.replayed(answer)[-1].type == "done"


@pytest.mark.parametrize("question", ["What does the helicopter cost?", "Wer hat den Hubschrauber bestellt?"])
def test_what_nothing_supports_is_not_answered(ann: Someone, question: str) -> None:
    whole = ann.ask(question)
    assert (whole["answer"], whole["abstained"], whole["citations"]) == ("", True, [])
    assert whole["reason"] in ("no_support", "nothing_found")
    events = ann.events(question)
    assert kinds(events) == ["meta", "sources", "done"]
    assert events[-1].data["abstained"] is True


def test_two_people_get_two_answers(company: Company) -> None:
    """The same question, from what each of them may read."""
    for name, hour in (("ann", "eight"), ("bob", "ten")):
        acl = {"allow": [f"user:{name}@acme.example"]}
        company.push(f"shift-{name}", f"# Shifts\n\nThe late shift begins at {hour} in the evening.\n", acl=acl)
    company.indexed()
    question = "When does the late shift begin?"
    assert "at eight" in company.person("ann").ask(question)["answer"]
    assert "at ten" in company.person("bob").ask(question)["answer"]
    assert company.person("cid").ask(question)["abstained"] is True


def test_filters_and_as_of_narrow_what_is_answered_from(company: Company, ann: Someone) -> None:
    def asked(**more: Any) -> bool:
        response = ann.post("/v1/chat", {"question": QUESTION, **more}, Accept="application/json")
        return bool(response.json()["abstained"])

    assert not asked(filters={"source_ids": [str(company.source_id())]})
    assert asked(filters={"source_ids": ["00000000-0000-0000-0000-000000000000"]})
    assert asked(as_of="2020-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "question"),
        ({"question": ""}, "question"),
        ({"question": "  "}, "question"),
        ({"question": "x" * 2_001}, "question"),
        ({"question": "a\0b"}, "question"),
        ({"question": 7}, "question"),
        ({"question": "when", "tenant": "other"}, "tenant"),
        ({"question": "when", "filters": {"colour": ["red"]}}, "filters.colour"),
        ({"question": "when", "conversation_id": "mine"}, "conversation_id"),
        ({"question": "when", "as_of": "yesterday"}, "as_of"),
    ],
)
def test_a_wrong_question_is_refused_with_its_place(company: Company, body: object, place: str) -> None:
    response = company.person("ann").post("/v1/chat", body)
    assert response.status_code == 422, response.text
    assert place in response.json()["detail"]


def test_a_question_is_never_in_logs_or_metrics(company: Company, ann: Someone) -> None:
    word = "xylophonist"
    ann.ask(f"Does the canteen employ a {word}?")
    logs = company.platform.data / "logs"
    assert all(word not in path.read_text(encoding="utf-8", errors="replace") for path in logs.iterdir())
    assert word not in company.admin.get("/metrics").text


def test_pages_of_a_search_do_not_overlap_and_end(company: Company) -> None:
    expected = {company.push(f"shelf-{n}", f"# Shelf {n}\n\nThe pantry shelf {n} holds jam.\n") for n in range(7)}
    company.indexed()
    ann = company.person("ann")

    def pages() -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            body = {"limit": 3, **({"cursor": cursor} if cursor else {})}
            page = ann.search("pantry shelf jam", **body)
            found += [result["document_id"] for result in page["results"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    found = pages()
    assert (len(found), set(found)) == (7, expected)
    assert json.dumps(ann.search("pantry shelf jam", cursor=None, limit=50)["next_cursor"]) == "null"


def test_health_says_how_each_dependency_is(company: Company) -> None:
    def ready() -> None:
        response = company.person("ann").get("/readyz")
        assert response.status_code == 200, response.text
        states = response.json()["dependencies"]
        assert states.keys() >= {"postgres", "nats", "redis", "spicedb", "qdrant", "models"}
        assert all(state["ok"] for state in states.values())

    eventually(ready)
    assert company.person("ann").get("/healthz").json() == {"status": "ok"}
