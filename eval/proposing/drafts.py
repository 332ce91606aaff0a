"""A drafted question: what code checks of it before a person sees it, and how it is kept (one JSON object a line)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cortex.domain.errors import Conflict
from cortex.runtime.local.folder import write_private
from eval.golden_questions import states

QUESTION_CHARACTERS = range(8, 401)
_ENDS = ("?", "？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`facts` are alternatives of the one fact that answers it; none: nothing does. `rests_on` is the sentence.

    `made` says how the question came about.
    """

    kind: str
    question: str
    language: str
    facts: tuple[str, ...]
    source: str
    document: str
    rests_on: str
    made: str


def fault(draft: Draft, text: str) -> str | None:
    """Why it is dropped; `text` is all of its document."""
    if reason := malformed(draft.question):
        return reason
    if draft.facts and not (states(draft.facts, draft.rests_on) and draft.rests_on in text):
        return "the fact does not stand in the document"
    if draft.facts and states(draft.facts, draft.question):
        return "the question holds its answer"
    return None


def malformed(question: str) -> str | None:
    if not question.isprintable() or "://" in question:
        return "the question is no line of text"
    if not question.endswith(_ENDS) or len(question) not in QUESTION_CHARACTERS:
        return "the question does not ask, or is too short or too long"
    return None


def row(draft: Draft, *, number: int, asker: str) -> dict[str, object]:
    """The form of golden questions, with what the draft rests on."""
    return {
        "id": f"{draft.source.partition('/')[0]}-{number:03}",
        "kind": draft.kind,
        "asker": asker,
        "question": draft.question,
        "history": [],
        "language": draft.language,
        "key_facts": [list(draft.facts)] if draft.facts else [],
        "sources": [draft.source] if draft.facts else [],
        "sources_needed": int(bool(draft.facts)),
        "forbidden": [],
        "confirmed": False,
        "draft": {
            "source": draft.source,
            "document": draft.document,
            "rests_on": draft.rests_on,
            "made": draft.made,
            "decided": "",
        },
    }


def keep(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """For its owner alone: it holds sentences of documents."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows))


def refuse_to_replace(path: Path) -> None:
    if path.exists():
        raise Conflict(f"{path}: is there already, perhaps with what somebody confirmed; name another file with --out")
