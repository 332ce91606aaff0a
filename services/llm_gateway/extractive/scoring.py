"""How well a unit answers: the question's words in it and around it, its kind, its passage, its age."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.answer import Passage
from cortex.domain.words import words
from services.llm_gateway.extractive.question import Kind, Question
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.extractive.synonyms import SYNONYM, SYNONYMS
from services.llm_gateway.extractive.units import Unit

IN_CONTEXT = 0.6
"""What a word counts for that stands in the heading or a sentence beside, not in the unit."""

PREFIX = 0.8
"""What a word counts for that only begins, or continues, one of the question's."""

EXACT, SOUGHT = 2.0, 0.5
"""What codes weigh, and words that only name the kind of answer, against other words of the same rarity."""

_PREFIX_CHARACTERS_MIN = 5
_DATE = re.compile(
    r"\b\d{1,4}[-./]\d{1,2}\b|\b\d{1,2}:\d\d\b|\b(?:19|20)\d\d\b|\b(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt"
    r"|nov|dec|dez)[a-zä]*\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonntag)s?\b|\b(?:today|tomorrow|noon|midnight|weekly|daily|monthly|quarter)\b|\d+\s*[年月日号]",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|half|none"
    r"|no|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)\b|[一二三四五六七八九十百千万两]",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+\s+[A-ZÄÖÜ][a-zäöüß]+|@\w|^\[[^\]]*\]\s+\S+[^:]*:|[a-z] [A-ZÄÖÜ][a-zäöüß]{2,}")
_CAUSE = re.compile(
    r"\b(?:because|since|due|cause[ds]?|reason|so that|weil|wegen|grund|ursache)\b|因为|由于|原因|ため", re.IGNORECASE
)
_SPAN = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?"
    r"|Jahren?)\b|[秒分时天周月年]|時間|日間",
    re.IGNORECASE,
)
_EVIDENCE = {Kind.HOW_LONG: _SPAN, Kind.WHEN: _DATE, Kind.HOW_MANY: _NUMBER, Kind.WHO: _NAME, Kind.WHY: _CAUSE}
_MESSAGE_HEAD = re.compile(r"^\[[^\]]*\]\s+[^:\n]{1,80}:\s")


@dataclass(frozen=True, slots=True)
class Scored:
    """`own` and `around` hold what each term of the question counts for here, from 0 to 1.

    `fitting` is 1 where the unit holds what is asked for, such as a number; -1 where it does not; 0 where it cannot
    be told.
    """

    unit: Unit
    score: float
    own: tuple[float, ...]
    around: tuple[float, ...]
    keys: frozenset[str]
    fitting: float = 0.0


class Scorer:
    """Knows the question and how rare its words are among these passages."""

    def __init__(self, question: Question, passages: Sequence[Passage], settings: ComposerSettings) -> None:
        self._question = question
        self._settings = settings
        self._held = {passage.chunk_id: passage_keys(passage) for passage in passages}
        self._rarity = self._rarities(passages)
        self._merit = _merits(passages)
        self._newness = _newness(passages)

    def coverage(self, counts: Sequence[float]) -> float:
        """The share of the question that these counts hold."""
        total = sum(self._rarity)
        return sum(rarity * count for rarity, count in zip(self._rarity, counts, strict=True)) / total if total else 0.0

    def score(self, siblings: Sequence[Unit]) -> list[Scored]:
        """All units of one passage, in order."""
        passage = siblings[0].passage
        wanted = self._question.keys(passage.language)
        held = [_keys(_said(unit.text), passage.language) for unit in siblings]
        heading = _keys(" ".join([passage.title, *passage.heading_path]), passage.language)
        scored = []
        for n, unit in enumerate(siblings):
            beside = frozenset().union(heading, *held[max(0, n - 1) : n + 2])
            own = tuple(found(key, held[n]) for key in wanted)
            around = tuple(max(mine, IN_CONTEXT * found(key, beside)) for mine, key in zip(own, wanted, strict=True))
            fitting = self._fitting(unit.text)
            scored.append(Scored(unit, self._weigh(unit, around, fitting), own, around, held[n], fitting))
        return scored

    def _weigh(self, unit: Unit, around: Sequence[float], fitting: float) -> float:
        settings = self._settings
        said = _said(unit.text)
        return (
            self.coverage(around)
            + settings.passage_weight * self._merit[unit.passage.chunk_id]
            + settings.type_weight * fitting
            + settings.recency_weight * self._newness[unit.passage.chunk_id]
            - (0.3 if said.rstrip().endswith(("?", "？")) else 0.0)
            - (0.3 if _is_label(said) else 0.0)
            - (settings.other_code_penalty if self._names_another(said) else 0.0)
        )

    def _names_another(self, said: str) -> bool:
        """Whether it speaks of another code, and of none that was asked for. A number alone may be the answer."""
        codes = frozenset(filter(_lettered, self._question.codes))
        here = {word.key for word in words(said) if word.exact and _lettered(word.key)} if codes else set()
        return bool(here) and here.isdisjoint(codes)

    def _fitting(self, text: str) -> float:
        asked = [kind for kind in self._question.kinds if kind in _EVIDENCE]
        if not asked:
            return 0.0
        # The author of a message answers "who"; its time is not what "when" asks for.
        here = [kind for kind in asked if _EVIDENCE[kind].search(text if kind is Kind.WHO else _said(text))]
        return 1.0 if len(here) == len(asked) else (0.0 if here else -1.0)

    def _rarities(self, passages: Sequence[Passage]) -> list[float]:
        question = self._question
        keys = {language: question.keys(language) for language in {passage.language for passage in passages}}
        total = len(passages)
        rarities = []
        for n, term in enumerate(question.terms):
            holding = sum(found(keys[p.language][n], self._held[p.chunk_id]) > 0 for p in passages)
            rarity = math.log(1 + (total + 1) / (holding + 0.5))
            rarities.append(rarity * (EXACT if term.exact else SOUGHT if term.start in question.sought else 1.0))
        return rarities


def found(key: str, held: frozenset[str]) -> float:
    """What a word counts for among those held: 1 as it stands, less where one is the beginning of the other."""
    if key in held:
        return 1.0
    if not held.isdisjoint(SYNONYMS.get(key, ())):
        return SYNONYM
    if len(key) < _PREFIX_CHARACTERS_MIN or not key.isalpha():
        return 0.0
    stems = (other for other in held if len(other) >= _PREFIX_CHARACTERS_MIN)
    return PREFIX if any(other.startswith(key) or key.startswith(other) for other in stems) else 0.0


def _keys(text: str, language: str) -> frozenset[str]:
    return frozenset(word.key for word in words(text, language))


def passage_keys(passage: Passage) -> frozenset[str]:
    """Every word of the passage, its title and its headings."""
    return _keys("\n".join([passage.title, *passage.heading_path, passage.text]), passage.language)


def _lettered(code: str) -> bool:
    return any(map(str.isalpha, code))


def _said(text: str) -> str:
    """A message without its time and author."""
    return _MESSAGE_HEAD.sub("", text)


def _is_label(said: str) -> bool:
    """A heading, or a line that only announces what follows."""
    bare = said.strip()
    wide = any(ord(character) > 0x2E80 for character in bare)
    few = len(bare) < 6 if wide else len(bare.split()) < 4
    return (few and ":" not in bare.rstrip(":")) or bare.startswith("#") or bare.endswith((":", "："))


def _merits(passages: Sequence[Passage]) -> dict[object, float]:
    """1 for the best passage, falling to 0 for the worst; differences below one deviation are not blown up."""
    scores = [passage.score for passage in passages]
    high, low = max(scores, default=0.0), min(scores, default=0.0)
    return {p.chunk_id: 1.0 - (high - p.score) / max(high - low, 1.0) for p in passages}


def _newness(passages: Sequence[Passage]) -> dict[object, float]:
    """1 for the newest, falling with the order of age; the unknown counts as oldest."""
    dated = sorted({passage.updated_at for passage in passages if passage.updated_at is not None})
    places: dict[datetime, float] = {at: (n + 1) / len(dated) for n, at in enumerate(dated)}
    return {p.chunk_id: places[p.updated_at] if p.updated_at is not None else 0.0 for p in passages}
