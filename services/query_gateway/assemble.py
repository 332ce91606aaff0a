"""What an answer may rest on: passages in order of relevance, without repeats, within a budget."""

from collections.abc import Sequence

from cortex.domain.answer import Passage
from cortex.domain.query import Found
from cortex.domain.words import words

SAME = 0.85
"""Share of a passage's words that another one holds already, from which on it says nothing new."""


def assemble(found: Sequence[Found], *, characters_max: int) -> list[Passage]:
    """Every document's best passage first, then second ones: a wide context serves better than a deep one.

    The result is ordered by document, since answers number documents by their first passage.
    """
    chosen: list[Passage] = []
    seen: list[frozenset[str]] = []
    spent = 0
    for depth in range(max((len(document.passages) for document in found), default=0)):
        for document in found:
            if depth >= len(document.passages):
                continue
            passage = document.passages[depth]
            held = frozenset(word.key for word in words(passage.text, passage.language))
            if spent + len(passage.text) > characters_max or _repeats(held, seen):
                continue
            chosen.append(passage)
            seen.append(held)
            spent += len(passage.text)
    order = {document.document_id: n for n, document in enumerate(found)}
    return sorted(chosen, key=lambda passage: order[passage.document_id])


def _repeats(held: frozenset[str], seen: Sequence[frozenset[str]]) -> bool:
    return any(len(held & other) >= SAME * max(len(held), len(other)) for other in seen)
