"""A person decides on drafts, one by one, in a terminal."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from cortex.cli.exits import ExitCode
from cortex.domain.errors import Invalid, NotFound
from eval.golden_questions import read
from eval.proposing import drafts
from eval.proposing.confirming import Tally, plain, walk
from tests.eval.proposing.examples import KEYS, draft

TIMEOUT_S = 60
COMMAND = [sys.executable, "-m", "cortex.cli", "eval", "propose", "--confirm"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = [
        draft("How many days does a key take to Hamburg?", "two days"),
        draft("How many days does a key take to Rotterdam?"),
        draft("How many weeks does a key take?", "four to Shenzhen"),
    ]
    rows = [drafts.row(one, number=number, asker="ann@acme.example") for number, one in enumerate(found, start=1)]
    of_a_person = {name: value for name, value in rows[0].items() if name not in ("draft", "confirmed")}
    drafts.keep(tmp_path / "drafts.jsonl", [*rows, {**of_a_person, "id": "own"}])
    return tmp_path / "drafts.jsonl"


def typed(path: Path, lines: Iterable[str]) -> tuple[Tally, list[str], list[str]]:
    waiting = iter(lines)
    prompts: list[str] = []
    shown: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    return walk(path, ask=ask, show=shown.append), prompts, shown


def confirmed(path: Path) -> list[str]:
    return [one.id for one in read(path) if one.confirmed]


def test_yes_counts_no_does_not_and_what_is_skipped_comes_again(path: Path) -> None:
    tally, _, shown = typed(path, ["y", "n", "skip"])
    assert (tally.confirmed, tally.refused, tally.waiting) == (2, 1, 1)
    assert confirmed(path) == ["wiki-001", "own"]
    assert any(KEYS[0] in line for line in shown)
    tally, prompts, _ = typed(path, ["y"])
    assert (tally.confirmed, tally.refused, tally.waiting, len(prompts)) == (3, 1, 0, 1)
    assert typed(path, [])[1] == []


def test_each_decision_is_kept_at_once(path: Path) -> None:
    tally, _, _ = typed(path, ["y"])
    assert (tally.confirmed, tally.waiting) == (2, 2)
    assert typed(path, ["q"])[0] == tally
    assert confirmed(path) == ["wiki-001", "own"]


def test_an_edit_is_confirmed_once_it_holds(path: Path) -> None:
    wrong = ["e", "Does it take two days to Hamburg?", "", "e", "How many days to Hamburg?", "nine days"]
    tally, _, shown = typed(path, [*wrong, "e", "How many days to Hamburg?", "two days | 2 days", "x", "q"])
    assert "the question holds its answer" in shown
    assert "none of these answers stands in the sentence" in shown
    (first, *_) = read(path)
    assert (first.question, first.key_facts) == ("How many days to Hamburg?", (("two days", "2 days"),))
    assert tally.confirmed == 2


def test_what_is_no_file_of_questions_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        typed(tmp_path / "absent", [])
    (tmp_path / "bad.jsonl").write_text('{"question": "a"}\nnot json\n', encoding="utf-8")
    with pytest.raises(Invalid, match=r"bad\.jsonl:2"):
        typed(tmp_path / "bad.jsonl", [])


def test_a_document_cannot_speak_to_the_terminal() -> None:
    assert plain("a\x1b[2Jb\u202ec") == "a [2Jb c"


def test_in_a_terminal(path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, str(path), "--json"], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    ) as walked:
        os.close(theirs)
        os.write(ours, b"y\nn\nq\n")
        output, _ = walked.communicate(timeout=TIMEOUT_S)
    os.close(ours)
    assert walked.returncode == ExitCode.DONE
    found = json.loads(output)
    assert (found["confirmed"], found["refused"], found["waiting"]) == (2, 1, 1)
    assert confirmed(path) == ["wiki-001", "own"]


def test_without_a_terminal_nobody_is_asked(path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, str(path)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == ExitCode.INVALID_INPUT
    assert "run it in a terminal" in done.stderr
    assert confirmed(path) == ["own"]
