"""The demo questions, typed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

KINDS = {
    "fact",
    "keyword",
    "list",
    "contradiction",
    "permission",
    "language",
    "unanswerable",
    "who",
    "when",
    "how-many",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    question: str
    asker: str
    kind: str
    expect: tuple[str, ...] = ()
    abstain: bool = False
    must_not: tuple[str, ...] = ()
    answer_contains: tuple[str, ...] = ()
    note: str = ""


def load_questions(demo: Path) -> list[Question]:
    entries = yaml.safe_load((demo / "questions.yaml").read_text(encoding="utf-8"))
    return [_question(entry) for entry in entries]


def _question(entry: dict[str, Any]) -> Question:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Question(**values)
