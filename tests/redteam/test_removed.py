"""What was taken out of a document is taken out of every answer that was given from it, and what stands stays."""

import json
from collections.abc import Callable

import httpx
import pytest

from tests.e2e.company import PUSHED, Company, Someone, done, whole
from tests.e2e.test_privacy import caught_up, rules

SECRET = "keeper@lighthouse.example"
TITLE = "Harbour lamp"
TEXT = (
    f"# {TITLE}\n\nWhoever finds the harbour lamp dark writes to {SECRET} at once.\n\n"
    "The harbour lamp is cleaned every Thursday by the night shift.\n"
)
QUESTION = "To whom does one write who finds the harbour lamp dark?"
CLEANED = "The harbour lamp is cleaned every Thursday by the night shift."
PLACE = f"/v1/sources/{PUSHED}/documents/lamp"


def redacted(company: Company) -> None:
    rules(company, email="redact")
    caught_up(company)


def dropped(company: Company) -> None:
    rules(company, email="drop")
    caught_up(company)


def quarantined(company: Company) -> None:
    rules(company, email="quarantine")
    caught_up(company)


def edited(company: Company) -> None:
    company.pushed("lamp", f"# {TITLE}\n\n{CLEANED}\n", title=TITLE)


def deleted(company: Company) -> None:
    done(company.admin.delete(PLACE))


REMOVALS: dict[str, Callable[[Company], None]] = {
    "redacted": redacted,
    "dropped": dropped,
    "quarantined": quarantined,
    "edited": edited,
    "deleted": deleted,
}


class Kept:
    """An answer that was given, its conversation and its share."""

    def __init__(self, asker: Someone, other: Someone, answer: str, conversation: str) -> None:
        url = whole(asker.post(f"/v1/conversations/{conversation}/share"))["url"]
        share = "/v1/shares/" + url.rpartition("/")[2]
        self._reads = [
            ("record", asker, f"/v1/answers/{answer}"),
            ("stream", asker, f"/v1/answers/{answer}/stream"),
            ("explanation", asker, f"/v1/answers/{answer}/explain"),
            ("conversation", asker, f"/v1/conversations/{conversation}"),
            ("list", asker, "/v1/conversations"),
            ("export", asker, f"/v1/conversations/{conversation}/export"),
            ("share", asker, share),
            ("share for another", other, share),
        ]

    def shown(self) -> dict[str, httpx.Response]:
        return {name: done(reader.get(path)) for name, reader, path in self._reads}


@pytest.mark.parametrize("way", REMOVALS)
def test_removed_text_is_on_no_surface(make_company: Callable[[], Company], way: str) -> None:
    """Of an answer, and of one that was given through OpenAI's interface."""
    company = make_company()
    company.pushed("lamp", TEXT, title=TITLE)
    ann, bob = company.person("ann"), company.person("bob")
    answer = ann.ask(QUESTION)
    body = {"model": "cortex", "messages": [{"role": "user", "content": QUESTION}]}
    made = whole(ann.post("/v1/chat/completions", body))["cortex"]
    kept = [Kept(ann, bob, one["answer_id"], one["conversation_id"]) for one in (answer, made)]
    before = [SECRET in response.text for one in kept for response in one.shown().values()]
    assert sum(before) >= 2 * 5, "an answer that never said it proves nothing"
    REMOVALS[way](company)
    for one in kept:
        for name, response in one.shown().items():
            assert SECRET not in response.text, (way, name)
            if way in ("quarantined", "deleted"):
                assert company.document_id("lamp") not in response.text, (way, name)


def test_what_still_stands_stays_with_the_title_and_address_of_now(make_company: Callable[[], Company]) -> None:
    company = make_company()
    company.pushed("lamp", TEXT, title=TITLE, url="https://notes.example/secret-name")
    ann, bob = company.person("ann"), company.person("bob")
    answer = ann.ask("When is the harbour lamp cleaned?")
    assert CLEANED in answer["answer"]
    kept = Kept(ann, bob, answer["answer_id"], answer["conversation_id"])
    company.pushed("lamp", f"# Lamp\n\nNew here.\n\n{CLEANED}\n", title="Lamp book", url="https://notes.example/lamp")
    shown = kept.shown()
    for name in ("record", "stream", "conversation", "export", "share", "share for another"):
        assert CLEANED in shown[name].text, name
    for name, response in shown.items():
        assert SECRET not in response.text, name
        assert "secret-name" not in response.text, name
        assert TITLE not in response.text, name
        assert ("https://notes.example/lamp" in response.text) == (name != "list"), name
    (citation,) = [one for one in shown["record"].json()["citations"] if one["quote"] == CLEANED]
    blocks = whole(ann.get(f"/v1/documents/{company.document_id('lamp')}"))["blocks"]
    anchor = citation["anchor"]
    assert blocks[anchor["block_id"]]["text"][anchor["start"] : anchor["end"]] == CLEANED
    assert anchor["revision"] == blocks[0]["anchor"]["revision"]


def test_a_follow_up_rests_on_nothing_that_was_removed(make_company: Callable[[], Company]) -> None:
    """Whom "she" stands for is known of an answer alone, and of nothing once its text is gone."""
    company = make_company()
    company.pushed("lamp", f"# {TITLE}\n\nThe harbour lamp is kept by Grace Oyelaran.\n", title=TITLE)
    company.pushed("desk", "# Desks\n\nGrace Oyelaran sits by the window of the third floor.\n", title="Desks")
    ann = company.person("ann")
    first = ann.ask("Who keeps the harbour lamp?")
    assert "Grace Oyelaran" in first["answer"]
    follow_up = {"question": "Where does she sit?", "conversation_id": first["conversation_id"]}
    assert "third floor" in whole(ann.post("/v1/chat", follow_up, Accept="application/json"))["answer"]
    again = ann.ask("Who keeps the harbour lamp?")
    company.pushed("lamp", f"# {TITLE}\n\nNobody keeps the harbour lamp.\n", title=TITLE)
    follow_up["conversation_id"] = again["conversation_id"]
    answered = whole(ann.post("/v1/chat", follow_up, Accept="application/json"))
    explained = whole(ann.get(f"/v1/answers/{answered['answer_id']}/explain"))
    assert "Oyelaran" not in json.dumps({**explained, "passages": []})
    assert "third floor" not in answered["answer"]
