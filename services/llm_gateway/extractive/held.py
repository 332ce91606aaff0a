"""The words that a text holds, and what one of the question's counts for among them."""

from collections.abc import Iterable

from cortex.domain.words import words
from services.llm_gateway.extractive.dates import days
from services.llm_gateway.extractive.synonyms import SYNONYM, SYNONYMS

PREFIX = 0.8
"""What a word counts for that only begins, or continues, one of the question's."""

AKIN = 0.7
"""The share of the longer of two words that they must begin with alike, to be forms of one."""

_PREFIX_CHARACTERS_MIN = 5


class Held:
    """Words by how they begin as well. `content` are those that are not of grammar alone."""

    def __init__(self, keys: frozenset[str], content: frozenset[str]) -> None:
        self.keys = keys
        self.content = content
        self._starts: dict[str, list[str]] = {}
        for key in keys:
            if len(key) >= _PREFIX_CHARACTERS_MIN:
                self._starts.setdefault(key[:_PREFIX_CHARACTERS_MIN], []).append(key)

    @classmethod
    def of(cls, text: str, language: str) -> "Held":
        found = words(text, language)
        keys = {word.key for word in found}
        keys.update(key for _, _, key in days(text))
        return cls(frozenset(keys), frozenset(word.key for word in found if not word.stop))

    @classmethod
    def together(cls, parts: Iterable["Held"]) -> "Held":
        held = list(parts)
        return cls(frozenset().union(*(one.keys for one in held)), frozenset().union(*(one.content for one in held)))

    def count(self, key: str) -> float:
        """What a word counts for among these: 1 as it stands, less for one that means or begins about the same."""
        if key in self.keys:
            return 1.0
        if not self.keys.isdisjoint(SYNONYMS.get(key, ())):
            return SYNONYM
        if len(key) < _PREFIX_CHARACTERS_MIN or not key.isalpha():
            return 0.0
        alike = self._starts.get(key[:_PREFIX_CHARACTERS_MIN], ())
        return PREFIX if any(_akin(key, other) for other in alike) else 0.0


def _akin(one: str, other: str) -> bool:
    """One begins the other, or both begin alike for most of their length, as `accurat` and `accuracy` do."""
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared == min(len(one), len(other)) or (shared >= 6 and shared >= AKIN * max(len(one), len(other)))
