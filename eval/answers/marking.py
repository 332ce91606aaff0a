"""One answer scored against its golden question, by code alone."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.words import words
from eval.answers.given import Cited, Given, Said
from eval.golden_questions import GoldenQuestion, states

FOUND_AMONG = 5
SPANNED = 0.8
"""The share of a sentence's content words that a span of the cited passage must hold, where it is not a quote of it."""

_MARKUP = re.compile(r"[*_`#|]+")
_SPACE = re.compile(r"\s+")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_FOLDED = str.maketrans("‐‑‒–—‘’“”„«»\u00a0", '-----\'\'""""" ')


@dataclass(frozen=True, slots=True)
class Marks:
    """Shares from 0 to 1, or None where there is nothing to count.

    `recall` is of the sources that a complete answer needs, among the first five results; `citation_precision` counts a
    cited document that the question names or whose quote states a key fact, `citation_precision_named` the named ones
    alone; `citation_recall` is of the sources needed; `complete` of the key facts; `faithful` of the sentences.
    """

    id: str
    kind: str
    language: str
    answerable: bool
    answered: bool
    recall: float | None
    citation_precision: float | None
    citation_precision_named: float | None
    citation_recall: float | None
    faithful: float | None
    complete: float | None
    leaks: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Silence where nothing can be said, else every key fact from a right source."""
        if not self.answerable:
            return not self.answered
        return self.complete == 1.0 and bool(self.citation_recall)


def mark(question: GoldenQuestion, given: Given) -> Marks:
    answered = bool(given.said)
    missing = [fact for fact in question.key_facts if not states_fact(given.text, fact)]
    needed = question.sources_needed
    named = [document in question.sources for document in given.cited]
    proper = [one or _proves(question, given, document) for one, document in zip(named, given.cited, strict=True)]
    answerable = not question.must_abstain
    expected = answerable and needed > 0
    return Marks(
        id=question.id,
        kind=question.kind,
        language=question.language,
        answerable=answerable,
        answered=answered,
        recall=_held(given.found[:FOUND_AMONG], question.sources, needed) if expected else None,
        citation_precision=_share(proper) if answerable and answered else None,
        citation_precision_named=_share(named) if answerable and answered else None,
        citation_recall=_held(given.cited, question.sources, needed) if expected else None,
        faithful=_share([supported(sentence) for sentence in given.said]) if answered else None,
        complete=1 - len(missing) / len(question.key_facts) if answerable else None,
        leaks=leaks(question, given),
        missing=tuple(fact[0] for fact in missing),
    )


def leaks(question: GoldenQuestion, given: Given) -> tuple[str, ...]:
    """Every document that was named although the asker may not open it, by the platform's word or by the question's."""
    return tuple(sorted({*given.closed, *(document for document in given.shown if document in question.forbidden)}))


def supported(sentence: Said) -> bool:
    """Whether it cites, opens and quotes properly, and says no more than the cited blocks do."""
    if not sentence.citations or not all(one.opened and one.exact for one in sentence.citations):
        return False
    said = folded(sentence.text)
    if any(said in folded(one.text) for one in sentence.citations):
        return True
    return _spanned(sentence.text, sentence.citations)


def _spanned(text: str, citations: Sequence[Cited]) -> bool:
    source = "\n".join(one.text for one in citations)
    if not set(_DIGITS.findall(folded(text))) <= set(_DIGITS.findall(folded(source))):
        return False
    said = {word.key for word in words(text) if not word.stop}
    held = {word.key for word in words(source)}
    return bool(said) and len(said & held) >= SPANNED * len(said)


def folded(text: str) -> str:
    """As texts are compared: without mark-up and kinds of spaces, dashes and quotation marks."""
    plain = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return _SPACE.sub(" ", _MARKUP.sub("", plain)).strip().casefold()


def states_fact(text: str, fact: Sequence[str]) -> bool:
    """By any of its alternatives, however it is marked up."""
    return states(tuple(filter(None, map(folded, fact))), folded(text))


def _proves(question: GoldenQuestion, given: Given, document: str) -> bool:
    quotes = [one.quote for sentence in given.said for one in sentence.citations if one.document == document]
    return any(states_fact(quote, fact) for quote in quotes for fact in question.key_facts)


def _held(documents: Sequence[str], sources: Sequence[str], needed: int) -> float:
    return min(needed, len(set(documents) & set(sources))) / needed


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
