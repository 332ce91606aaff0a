"""How well a unit answers: the question's words in it and around it, its kind, its passage, its age."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.answer import Passage
from cortex.domain.words import words
from services.llm_gateway.extractive.dates import days
from services.llm_gateway.extractive.held import Held
from services.llm_gateway.extractive.question import Kind, Question
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.extractive.units import Unit, units

IN_CONTEXT = 0.6
"""What a word counts for that stands in the heading or a sentence beside, not in the unit."""

EXACT, SOUGHT = 2.0, 0.5
"""What codes weigh, and words that only name the kind of answer, against other words of the same rarity."""

_DATE = re.compile(
    r"\b\d{1,4}[-./]\d{1,2}\b|\b\d{1,2}:\d\d\b|\b(?:19|20)\d\d\b|\b(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt"
    r"|nov|dec|dez)[a-zä]*\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonntag)s?\b|\b(?:today|tomorrow|noon|midnight|weekly|daily|monthly|quarter)\b|\d+\s*[年月日号]",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|周", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|half|none"
    r"|no|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)\b|[一二三四五六七八九十百千万两]",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+\s+[A-ZÄÖÜ][a-zäöüß]+|@\w|^\[[^\]]*\]\s+\S+[^:]*:|[a-z] [A-ZÄÖÜ][a-zäöüß]{2,}")
_CAUSE = re.compile(
    r"\b(?:because|since|due|cause[ds]?|reason|so that|weil|wegen|grund|ursache)\b|, (?:as|for|da|denn)\b"
    r"|因为|由于|原因|ため",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?"
    r"|Jahren?)\b|[秒分时天周月年]|時間|日間",
    re.IGNORECASE,
)
_EVIDENCE = {Kind.HOW_LONG: _SPAN, Kind.WHEN: _DATE, Kind.HOW_MANY: _NUMBER, Kind.WHO: _NAME, Kind.WHY: _CAUSE}
_LETTER_HEAD = re.compile(r"(?:From|To|Cc|Bcc|Date|Subject|Reply-To|Von|An|Datum|Betreff):\s")
_MESSAGE_HEAD = re.compile(r"^\[[^\]]*\]\s+[^:\n]{1,80}:\s")


@dataclass(frozen=True, slots=True)
class Scored:
    """`own` and `around` hold what each term of the question counts for here, from 0 to 1.

    `titled`: the same for title and headings. `fitting` is 1 where the unit holds what is asked for, such as a number;
    -1 where it does not; 0 where it cannot be told. A `label` only names or announces what follows. `dated`: an older
    document says otherwise. `astray`: it speaks of another code than the question.
    """

    unit: Unit
    score: float
    own: tuple[float, ...]
    around: tuple[float, ...]
    keys: frozenset[str]
    fitting: float = 0.0
    titled: tuple[float, ...] = ()
    label: bool = False
    dated: bool = False
    astray: bool = False


class Scorer:
    """Knows the question and how rare its words are among these passages."""

    def __init__(self, question: Question, passages: Sequence[Passage], settings: ComposerSettings) -> None:
        self._question = question
        self._settings = settings
        self._keys: dict[str, tuple[str, ...]] = {}
        self._read = {passage.chunk_id: _read(passage) for passage in passages}
        self._rarity = self._rarities(passages)
        self._merit = _merits(passages)
        self._newness = _newness(passages)

    def coverage(self, counts: Sequence[float]) -> float:
        """The share of the question that these counts hold."""
        total = sum(self._rarity)
        return sum(rarity * count for rarity, count in zip(self._rarity, counts, strict=True)) / total if total else 0.0

    def heaviest_missing(self, counts: Sequence[float]) -> float:
        """What the most telling word that these counts lack weighs, as a share of the question."""
        total = sum(self._rarity)
        lacking = (rarity * (1.0 - count) for rarity, count in zip(self._rarity, counts, strict=True))
        return max(lacking, default=0.0) / total if total else 0.0

    def score(self, passage: Passage) -> list[Scored]:
        """All units of one passage, in order."""
        read, wanted = self._read[passage.chunk_id], self._wanted(passage.language)
        siblings, said, heading = read.units, read.said, read.heading
        owns = [tuple(one.count(key) for key in wanted) for one in said]
        titled = tuple(heading.count(key) for key in wanted)
        nothing = (0.0,) * len(wanted)
        scored = []
        for n, (unit, own) in enumerate(zip(siblings, owns, strict=True)):
            before, after = owns[n - 1] if n else nothing, owns[n + 1] if n + 1 < len(owns) else nothing
            beside = map(max, titled, before, after) if wanted else ()
            around = tuple(max(mine, IN_CONTEXT * near) for mine, near in zip(own, beside, strict=True))
            fitting = self._fitting(unit.text)
            score = self._weigh(unit, own, around, fitting)
            label, astray = _is_label(_said(unit.text)), self._names_another(_said(unit.text))
            scored.append(Scored(unit, score, own, around, said[n].content, fitting, titled, label, astray=astray))
        return scored

    def _wanted(self, language: str) -> tuple[str, ...]:
        if language not in self._keys:
            self._keys[language] = self._question.keys(language)
        return self._keys[language]

    def words_of(self, passage: Passage) -> Held:
        return self._read[passage.chunk_id].whole

    def merit(self, passage: Passage) -> float:
        """How well it was found, from 1 for the best passage to 0."""
        return self._merit[passage.chunk_id]

    def passage_coverage(self, passage: Passage) -> float:
        """The share of the question that the passage holds anywhere, with its title and headings."""
        held = self._read[passage.chunk_id].whole
        return self.coverage([held.count(key) for key in self._wanted(passage.language)])

    def _weigh(self, unit: Unit, own: Sequence[float], around: Sequence[float], fitting: float) -> float:
        settings = self._settings
        said = _said(unit.text)
        return (
            (1 - settings.own_share) * self.coverage(around)
            + settings.own_share * self.coverage(own)
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
        if Kind.WHEN in here and self._question.of_a_day and not (days(text) or _WEEKDAY.search(text)):
            here.remove(Kind.WHEN)
        return 1.0 if len(here) == len(asked) else (0.0 if here else -1.0)

    def _rarities(self, passages: Sequence[Passage]) -> list[float]:
        question = self._question
        total = len(passages)
        rarities = []
        for n, term in enumerate(question.terms):
            holding = sum(self._read[p.chunk_id].whole.count(self._wanted(p.language)[n]) > 0 for p in passages)
            rarity = math.log(1 + (total + 1) / (holding + 0.5)) * question.weights[n]
            rarities.append(rarity * (EXACT if term.exact else SOUGHT if term.start in question.sought else 1.0))
        return rarities


@dataclass(frozen=True, slots=True)
class _Read:
    """A passage cut into units, each with the words that it says; `whole` holds all of them, and the heading's."""

    units: Sequence[Unit]
    said: Sequence[Held]
    heading: Held
    whole: Held


def _read(passage: Passage) -> _Read:
    cut = units(passage)
    said = [Held.of(_said(unit.text), passage.language) for unit in cut]
    heading = Held.of(" ".join([passage.title, *passage.heading_path]), passage.language)
    return _Read(cut, said, heading, Held.together([heading, *said]))


def _lettered(code: str) -> bool:
    return any(map(str.isalpha, code))


def _said(text: str) -> str:
    """A message without its time and author."""
    return _MESSAGE_HEAD.sub("", text)


def _is_label(said: str) -> bool:
    """A heading, or a line that only announces what follows."""
    bare = said.strip()
    wide = not bare.isascii() and any(ord(character) > 0x2E80 for character in bare)
    few = len(bare) < 6 if wide else len(bare.split()) < 4
    if _LETTER_HEAD.match(bare):
        return True
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
