"""What code checks of a draft, how drafts are spread, and which of a file count."""

import json
import stat
from pathlib import Path

import pytest

from cortex.domain.errors import Conflict, NotFound
from eval.golden_questions import counted
from eval.proposing import drafts
from eval.proposing.command import spread
from tests.eval.proposing.examples import KEYS, draft

TEXT = " ".join(KEYS)


@pytest.mark.parametrize(
    ("question", "fact", "fault"),
    [
        ("How many days does a key take?", "two days", None),
        ("How many days does a key take?", "three days", "the fact does not stand in the document"),
        ("Does a key take two days to Hamburg?", "two days", "the question holds its answer"),
        ("A key takes how long", "two days", "the question does not ask, or is too short or too long"),
        ("Why?", "two days", "the question does not ask, or is too short or too long"),
        ("Do you see https://evil.example/?", "two days", "the question is no line of text"),
        ("How many\nINSTRUCTIONS days?", "two days", "the question is no line of text"),
    ],
)
def test_a_draft_is_dropped_for_what_code_can_see(question: str, fact: str, fault: str | None) -> None:
    assert drafts.fault(draft(question, fact), TEXT) == fault


def test_a_sentence_of_another_document_proves_nothing() -> None:
    assert drafts.fault(draft("How many days does a key take?", "two days"), "Another text.") is not None


def test_a_draft_is_kept_for_its_owner_and_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "eval" / "drafts.jsonl"
    written = [
        drafts.row(draft("How many days does a key take?", "two days", "2 days"), number=1, asker="ann@acme.example"),
        drafts.row(draft("How many days to Rotterdam?"), number=2, asker="ann@acme.example"),
    ]
    drafts.keep(path, written)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first, second = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert (first["key_facts"], first["sources"], first["confirmed"]) == (
        [["two days", "2 days"]],
        ["wiki/keys.md"],
        False,
    )
    assert (second["key_facts"], second["sources"]) == ([], [])
    assert first["draft"]["rests_on"] == KEYS[0]
    none = counted(path)
    assert (none.questions, none.left_out, none.said) == ((), 2, "left out 2 drafts that nobody has confirmed")
    drafts.keep(path, [{**first, "confirmed": True}, {**second, "confirmed": "yes"}])
    some = counted(path)
    assert ([one.id for one in some.questions], some.left_out) == (["wiki-001"], 1)
    with pytest.raises(Conflict, match="--out"):
        drafts.refuse_to_replace(path)
    with pytest.raises(NotFound, match="absent"):
        counted(tmp_path / "absent.jsonl")


def test_documents_take_turns() -> None:
    found = [draft(f"Question {number} of a?", source="a/1") for number in range(5)]
    found += [draft(f"Question {number} of b?", source="a/2") for number in range(2)]
    assert [one.source for one in spread(found, most=5)] == ["a/1", "a/2", "a/1", "a/2", "a/1"]
    assert len(spread(found, most=20)) == 7
