"""Whether what is said is what was quoted: a measure over words, for sentences that somebody put into other words.

It cannot tell what words mean. It is strict where that matters most: numbers, codes and names must stand in the quotes,
and what is denied there must be denied here.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cortex.domain.words import Word, words

SUPPORTED = 0.6
"""From this share of a sentence's words on, its quotes are taken to say it."""

WORDS_MIN = 2
"""A single word proves nothing."""

QUOTED_SHARE_MIN = 0.5
"""Of the words that are found, what the quotes themselves must hold; the rest may stand in the title above them."""

_NUMBER_WORDS = {
    word: str(number)
    for number, names in enumerate(
        (
            "zero null",
            "",  # "one", "ein" are mostly articles
            "two zwei",
            "three drei",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
            "eleven elf",
            "twelve zwölf",
        )
    )
    for word in names.split()
}
_DENYING = """
no not never none neither nor without cannot nobody nothing
kein keine keinen keinem keiner nicht nie niemals ohne weder niemand nichts
"""
_DENIALS = frozenset(_DENYING.split())
_DENIAL = re.compile(r"[a-z]+n['’]t\b|[不没無无未]|ない|ません", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[^\s.!?:;。])\s+([A-ZÄÖÜ][\w-]+)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """What a text holds, to be compared. `required` must be found as it stands."""

    content: frozenset[str]
    required: frozenset[str]
    everything: frozenset[str]
    denies: bool


def said(text: str, language: str = "en") -> Said:
    found = words(text, language)
    numbers = numbers_of(text)
    content = frozenset(_key(word, text) for word in found if not word.stop)
    exact = frozenset(word.key for word in found if word.exact and not _is_part(word, found))
    names = frozenset() if language == "de" else _names(text, language)
    everything = frozenset(word.key for word in found) | numbers
    return Said(content, exact | numbers | names, everything, denies(text))


def support(claim: Said, quotes: Sequence[Said], context: Iterable[Said] = ()) -> float:
    """The share of the claim's words that its quotes hold, 0 to 1; 0 where it says something that they do not.

    `context` is what stands above the quotes, as a title: it may name what they are about, and proves nothing alone.
    """
    quoted: frozenset[str] = frozenset().union(*(one.everything for one in quotes))
    around: frozenset[str] = quoted.union(*(one.everything for one in context))
    if len(claim.content | claim.required) < WORDS_MIN or not claim.required <= around:
        return 0.0
    if claim.denies != any(one.denies for one in quotes):
        return 0.0
    in_quotes, found = len(claim.content & quoted), len(claim.content & around)
    if in_quotes < QUOTED_SHARE_MIN * found:
        return 0.0
    return found / max(1, len(claim.content))


def numbers_of(text: str) -> frozenset[str]:
    """Digits alike however they are grouped, and small numbers in words."""
    digits = {match.group().replace(",", "").rstrip(".") for match in _NUMBER.finditer(text)}
    spelled = {_NUMBER_WORDS[word] for word in map(str.lower, _WORD.findall(text)) if word in _NUMBER_WORDS}
    return frozenset(digits | spelled)


def denies(text: str) -> bool:
    return any(word.lower() in _DENIALS for word in _WORD.findall(text)) or _DENIAL.search(text) is not None


def _names(text: str, language: str) -> frozenset[str]:
    """Words with a capital that begin no sentence; in German they are any noun, so there it asks for none."""
    found = (words(match.group(1), language) for match in _NAME.finditer(text))
    return frozenset(one[0].key for one in found if one and not one[0].stop)


def _key(word: Word, text: str) -> str:
    """A number in words is that number."""
    return _NUMBER_WORDS.get(text[word.start : word.end].lower(), word.key)


def _is_part(word: Word, found: Sequence[Word]) -> bool:
    return any(other.start <= word.start and word.end <= other.end and other is not word for other in found)
