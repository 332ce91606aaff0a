"""Near-duplicates under one result, and no source that takes a whole page where others are as good. Pure.

Two documents are near-duplicates where their best passages share nearly all runs of four words, and every figure and
code: another year's price list is not a copy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.answer import Passage
from cortex.domain.query import Found
from cortex.domain.words import words

SAME = 0.9
RUN = 4
WORDS_LEAST = 12
"""Below this a passage says too little to be called a copy."""
WINDOW = 20
"""The first results, among which no source takes more than its share."""
SHARE = 8
AS_GOOD = 0.1
"""How far below, of the window's spread of scores, a result may be to be as good."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A result, and the documents that say the same."""

    found: Found
    copies: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class _Print:
    runs: frozenset[tuple[str, ...]]
    exact: frozenset[str]


def fold(found: Sequence[Found]) -> list[Folded]:
    """In order: what comes later joins the first that says the same, so a longer list begins like a shorter one."""
    kept: list[tuple[Found, _Print | None, list[Found]]] = []
    for document in found:
        made = _print(document.best)
        first = next((entry for entry in kept if _same(entry[1], made)), None)
        if first is None:
            kept.append((document, made, []))
        else:
            first[2].append(document)
    return [Folded(document, tuple(copies)) for document, _, copies in kept]


def _print(passage: Passage) -> _Print | None:
    held = [word for word in words(passage.text, passage.language) if word.key]
    if len(held) < WORDS_LEAST:
        return None
    keys = [word.key for word in held]
    runs = frozenset(tuple(keys[at : at + RUN]) for at in range(len(keys) - RUN + 1))
    return _Print(runs, frozenset(w.key for w in held if w.exact or any(map(str.isdigit, w.key))))


def _same(one: _Print | None, other: _Print | None) -> bool:
    if one is None or other is None or one.exact != other.exact:
        return False
    return len(one.runs & other.runs) >= SAME * len(one.runs | other.runs)


def shared_out(folded: Sequence[Folded]) -> list[Folded]:
    """Of the first WINDOW, what is beyond a source's share goes behind others that are as good; the rest stays."""
    window, rest = list(folded[:WINDOW]), list(folded[WINDOW:])
    if len({entry.found.best.source.id for entry in window}) < 2:
        return [*window, *rest]
    scores = [entry.found.best.score for entry in window]
    close = AS_GOOD * (max(scores) - min(scores))
    taken: dict[object, int] = {}
    placed: list[Folded] = []
    while window:
        top = window[0]
        source = top.found.best.source.id
        chosen = 0
        if taken.get(source, 0) >= SHARE:
            chosen = next(
                (
                    at
                    for at, entry in enumerate(window)
                    if taken.get(entry.found.best.source.id, 0) < SHARE
                    and top.found.best.score - entry.found.best.score <= close
                ),
                0,
            )
        entry = window.pop(chosen)
        taken[entry.found.best.source.id] = taken.get(entry.found.best.source.id, 0) + 1
        placed.append(entry)
    return [*placed, *rest]
