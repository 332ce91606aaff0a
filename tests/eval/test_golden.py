"""The golden questions hold together: known people, documents they may open, facts that stand in them."""

import csv
import email
import re
from collections import Counter
from email.message import EmailMessage
from email.policy import default
from functools import cache
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from eval.golden_questions import GOLDEN, GoldenQuestion, read, states
from tests.house.source_tree import ROOT

COMPANY = yaml.safe_load((ROOT / "demo" / "company.yaml").read_text(encoding="utf-8"))
GROUPS = {group["id"]: group["members"] for group in COMPANY["groups"]}
PEOPLE = {person["email"] for person in COMPANY["people"]}
GUESTS = {person["email"] for person in COMPANY["people"] if person.get("guest")}
SOURCES = ROOT / "demo" / "sources"
MANUSCRIPTS = {
    match[1]: text
    for text in (path.read_text(encoding="utf-8") for path in (ROOT / "demo" / "manuscripts").glob("*.md"))
    if (match := re.search(r"^output: (.+)$", text, re.MULTILINE))
}
KINDS = {
    "fact": 18,
    "list": 8,
    "comparison": 6,
    "time": 7,
    "contradiction": 6,
    "keyword": 6,
    "follow_up": 6,
    "language": 6,
    "permission": 6,
    "unanswerable": 8,
    "near_miss": 4,
}
HALVES = {name: read(GOLDEN / f"{name}.jsonl") for name in ("open", "second", "third", "sealed")}
QUESTIONS = [question for half in HALVES.values() for question in half]
Acl = dict[str, Any]


def _id(question: GoldenQuestion) -> str:
    return question.id


@cache
def _text(document: str) -> str:
    """DOCX and PDF are rendered from manuscripts, which hold their text."""
    if document in MANUSCRIPTS:
        return MANUSCRIPTS[document]
    if document.endswith(".eml"):
        message = email.message_from_bytes((SOURCES / document).read_bytes(), _class=EmailMessage, policy=default)
        body = message.get_body(("plain",))
        return f"{message['subject']}\n{body.get_content() if body else ''}"
    if document.endswith(".csv"):
        with (SOURCES / document).open(encoding="utf-8", newline="") as table:
            return "\n".join(" | ".join(row) for row in csv.reader(table))
    return (SOURCES / document).read_text(encoding="utf-8")


def _holds(principal: str, person: str) -> bool:
    kind, _, name = principal.partition(":")
    if kind == "group":
        return any(_holds(member, person) for member in GROUPS[name])
    return _container_visible(PurePosixPath(name), person) if kind == "viewers" else name == person


def _acl(folder: PurePosixPath) -> Acl:
    path = SOURCES / folder / "acl.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def _visible(acl: Acl, person: str, container: PurePosixPath | None) -> bool:
    """The table of the permission rules, worked out here once more so that it does not lean on what it judges."""
    everyone = acl.get("public") == "tenant"
    allowed = acl.get("allow", [])
    own = (everyone and person not in GUESTS) or any(_holds(principal, person) for principal in allowed)
    sets = acl.get("all_of", [])
    ok = acl.get("complete", True) and not any(_holds(principal, person) for principal in acl.get("deny", []))
    ok = ok and all(any(_holds(principal, person) for principal in principals) for principals in sets)
    inherit = acl.get("inherit", "restrict")
    if inherit == "none" or container is None:
        return ok and own
    if not _complete(container):
        return False
    above = _container_visible(container, person)
    if inherit == "extend":
        return ok and (own or above)
    return ok and above and (own or not (allowed or everyone))


def _complete(folder: PurePosixPath) -> bool:
    return bool(_acl(folder).get("complete", True))


def _container_visible(folder: PurePosixPath, person: str) -> bool:
    return _visible(_acl(folder), person, folder.parent if len(folder.parts) > 1 else None)


def _may_open(document: str, person: str) -> bool:
    folder = PurePosixPath(document).parent
    own: Acl = _acl(folder).get("files", {}).get(Path(document).name, {})
    return _visible(own, person, folder)


def _words(question: GoldenQuestion) -> str:
    return " ".join(re.findall(r"\w+", question.question.casefold()))


@pytest.mark.parametrize("half", HALVES)
def test_a_part_has_its_mix(half: str) -> None:
    questions = HALVES[half]
    assert Counter(question.kind for question in questions) == KINDS
    languages = Counter(question.language for question in questions if question.kind == "language")
    assert languages == {"de": 3, "zh": 3}


def test_ids_are_unique_and_say_part_and_kind() -> None:
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    for half, questions in HALVES.items():
        assert all(question.id.startswith(f"{half}-{question.kind.replace('_', '-')}-") for question in questions)


def test_the_parts_share_no_question() -> None:
    for one, other in combinations(HALVES.values(), 2):
        assert {_words(question) for question in one} & {_words(question) for question in other} == set()


def test_the_parts_rest_on_different_documents_for_the_most_part() -> None:
    for one, other in combinations(HALVES.values(), 2):
        mine = {document for question in one for document in question.sources}
        theirs = {document for question in other for document in question.sources}
        assert len(mine & theirs) * 4 < min(len(mine), len(theirs))


@pytest.mark.parametrize("question", QUESTIONS, ids=_id)
def test_the_asker_is_known_and_may_open_what_supports_the_answer(question: GoldenQuestion) -> None:
    assert question.asker in PEOPLE
    named = (*question.sources, *question.forbidden)
    assert [document for document in named if not (SOURCES / document).is_file()] == []
    assert [document for document in question.sources if not _may_open(document, question.asker)] == []
    assert [document for document in question.forbidden if _may_open(document, question.asker)] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=_id)
def test_each_key_fact_stands_in_its_sources(question: GoldenQuestion) -> None:
    """Where one source is enough, each of those named is; where several are needed, they have it together."""
    texts = [_text(document) for document in question.sources]
    enough = texts if question.sources_needed == 1 else ["\n".join(texts)]
    missing = [fact for fact in question.key_facts if not all(states(fact, text) for text in enough)]
    assert missing == []
    assert question.sources_needed <= len(question.sources)


@pytest.mark.parametrize("question", QUESTIONS, ids=_id)
def test_silence_is_expected_where_nothing_supports_an_answer(question: GoldenQuestion) -> None:
    if question.must_abstain:
        assert question.kind in ("permission", "unanswerable", "near_miss")
        assert (question.sources, question.sources_needed) == ((), 0)
        assert bool(question.forbidden) == (question.kind == "permission")
    else:
        assert question.sources_needed >= 1
    assert bool(question.history) == (question.kind == "follow_up")


@pytest.mark.parametrize("half", HALVES)
def test_permission_questions_are_asked_by_one_who_may_know_and_one_who_may_not(half: str) -> None:
    pairs: dict[str, list[GoldenQuestion]] = {}
    for question in HALVES[half]:
        if question.kind == "permission":
            pairs.setdefault(question.question, []).append(question)
    assert all([question.must_abstain for question in pair] == [False, True] for pair in pairs.values())
    assert all(set(knows.sources) <= set(silent.forbidden) for knows, silent in pairs.values())


def test_a_fact_is_stated_by_whole_words_and_numbers() -> None:
    assert states(("5",), "at most 5, or so")
    assert not states(("5",), "2025, 1.5, 5,400 and 5.2")
    assert states(("ten minutes", "10 minutes"), "within Ten\nminutes.")
    assert not states(("ten",), "often")
    assert states(("15欧姆",), "内阻大于15欧姆的电池拒收")
    assert not states(("5欧姆",), "内阻大于15欧姆的电池拒收")
