"""Whether a newer document says the same as an older one with another value: then the newer one counts."""

import re

from cortex.domain.words import words
from services.llm_gateway.extractive.dates import CALENDAR
from services.llm_gateway.extractive.question import Kind, Question
from services.llm_gateway.extractive.scoring import Scored
from services.llm_gateway.extractive.settings import ComposerSettings

ALIKE_WORDS_MIN = 3
"""A sentence of fewer words is compared as if it had so many: two names in common prove nothing."""

ASKED_WORDS_MIN = 4
"""Two sentences that hold so many words of the question speak of the same, where `ASKED_SHARE` of all is alike."""

ASKED_SHARE = 0.5

_CLAUSE = re.compile(r"[,;，；]|\b(?:but|and|instead|sondern|und|statt)\b")
_DENIED = re.compile(
    r"\b(?:not|never|no longer|rejected|formerly|previously|used to|nicht|nie|keine?[nmrs]?|abgelehnt|früher|ehemals)\b"
    r"|n['’]t\b|[不没未]",
    re.IGNORECASE,
)


def supersedes(question: Question, one: Scored, first: Scored, settings: ComposerSettings) -> bool:
    if one.label or one.fitting < first.fitting or not _newer(one, first) or _lacks(question, one, first):
        return False
    new, old = _values(question, one), _values(question, first)
    enough = ASKED_SHARE if _answers_as_well(one, first) else settings.alike_share
    alike = _alike(one.keys - new, first.keys - old) >= enough
    return alike and bool(old and new - old) and _states(one, new - old)


def _lacks(question: Question, one: Scored, first: Scored) -> bool:
    """Whether it is about something else: what is asked for stands in `first`, and nowhere about `one`.

    A number, such as a year, must stand in the sentence itself.
    """
    held = [one.own[n] if n in question.numbers else one.around[n] for n in range(len(question.terms))]
    return any(mine == 1.0 and not theirs for mine, theirs in zip(first.own, held, strict=True))


def _newer(one: Scored, other: Scored) -> bool:
    mine, theirs = one.unit.passage.updated_at, other.unit.passage.updated_at
    return mine is not None and (theirs is None or mine > theirs)


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """The share of the words of the shorter sentence that the other one holds."""
    return len(mine & theirs) / max(ALIKE_WORDS_MIN, min(len(mine), len(theirs)))


def _answers_as_well(one: Scored, first: Scored) -> bool:
    """Both give what is asked for, and `one` holds word for word as much of the question, which is not little."""
    held = [n for n, count in enumerate(first.own) if count == 1.0]
    return first.fitting > 0 and len(held) >= ASKED_WORDS_MIN and all(one.own[n] == 1.0 for n in held)


def _values(question: Question, one: Scored) -> frozenset[str]:
    """What two sentences that say the same may differ in: numbers and days, and names where it is asked who."""
    language, text = one.unit.passage.language, one.unit.text
    numbers = {key for key in one.keys if key[:1].isdigit()}
    named = set(CALENDAR)
    if Kind.WHO in question.kinds:
        named |= {word.key for word in words(text, language) if text[word.start].isupper()}
    return frozenset(numbers | (named & one.keys).difference(question.keys(language)))


def _states(one: Scored, values: frozenset[str]) -> bool:
    """Neither asks for the first of the values nor denies it."""
    text = one.unit.text
    start = min((word.start for word in words(text, one.unit.passage.language) if word.key in values), default=0)
    clause = _CLAUSE.split(text[:start])[-1]
    return not text.rstrip().endswith(("?", "？")) and not _DENIED.search(clause)
