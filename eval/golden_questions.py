"""The golden questions about the demo company, and what counts as stating a fact (eval/golden/README.md)."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from cortex.domain.errors import NotFound

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuestion:
    id: str
    kind: str
    asker: str
    question: str
    history: tuple[Turn, ...]
    language: str
    key_facts: tuple[tuple[str, ...], ...]
    """Each one is stated by any of its alternatives."""
    sources: tuple[str, ...]
    """Paths below demo/sources that the asker may open."""
    sources_needed: int
    forbidden: tuple[str, ...]
    """Paths below demo/sources that also speak of it, and that no answer to this asker may use."""
    confirmed: bool = True
    """A draft is not, before a person has confirmed it; what a person wrote is."""

    @property
    def must_abstain(self) -> bool:
        return not self.key_facts


def read(path: Path) -> tuple[GoldenQuestion, ...]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(
        GoldenQuestion(
            id=row["id"],
            kind=row["kind"],
            asker=row["asker"],
            question=row["question"],
            history=tuple(Turn(**turn) for turn in row["history"]),
            language=row["language"],
            key_facts=tuple(tuple(alternatives) for alternatives in row["key_facts"]),
            sources=tuple(row["sources"]),
            sources_needed=row["sources_needed"],
            forbidden=tuple(row["forbidden"]),
            confirmed=row.get("confirmed", True) is True,
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class Counted:
    """The questions that count, and how many drafts were left out."""

    questions: tuple[GoldenQuestion, ...]
    left_out: int

    @property
    def said(self) -> str:
        return f"left out {self.left_out} drafts that nobody has confirmed" if self.left_out else ""


def counted(path: Path) -> Counted:
    """Raises NotFound for a file that cannot be read."""
    try:
        found = read(path)
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}") from error
    questions = tuple(question for question in found if question.confirmed)
    return Counted(questions, len(found) - len(questions))


def states(alternatives: tuple[str, ...], text: str) -> bool:
    """Whole words and whole numbers, whatever the case and the line breaks: 5 is not in 2025, nor 3 in 3,918."""
    plain = " ".join(text.split())
    return any(_whole(alternative).search(plain) for alternative in alternatives)


def _whole(phrase: str) -> re.Pattern[str]:
    """Chinese writes no spaces, so only Latin letters and digits end a word here."""
    before = r"(?<![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", phrase) else ""
    before += r"(?<!\d[.,])" if phrase[0].isdigit() else ""
    after = r"(?![A-Za-z0-9])" if re.search(r"[A-Za-z0-9]\Z", phrase) else ""
    after += r"(?![.,]\d)" if phrase[-1].isdigit() else ""
    return re.compile(before + re.escape(phrase) + after, re.IGNORECASE)
