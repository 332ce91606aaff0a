"""What is asked for: the words that matter, and the kind of answer that would do."""

import enum
import re
from dataclasses import dataclass
from functools import cached_property

from cortex.domain.words import Word, words
from services.llm_gateway.extractive.dates import CALENDAR, days


class Kind(enum.StrEnum):
    WHO = "who"
    WHEN = "when"
    HOW_MANY = "how_many"
    HOW_LONG = "how_long"
    WHERE = "where"
    WHY = "why"
    LIST = "list"
    COMPARE = "compare"
    OTHER = "other"


_PATTERNS = {
    Kind.HOW_MANY: (
        r"\bhow (?:many|much|often|old|far|big|large|high)\b|\bwhat (?:price|percentage|share|amount|number)\b"
        r"|\b(?:price|cost|costs|deductible|discount|salary|maximum|minimum|pass mark|thickness)\b"
        r"|\bwie ?(?:viele?|oft|hoch|teuer)\b|多少|几|いくつ|いくら|どのくらい"
    ),
    Kind.HOW_LONG: r"\bhow (?:long|far ahead|soon)\b|\blonger\b|\bwie lange?\b|多久|多长时间|どのくらいの期間",
    Kind.WHEN: (
        r"\bwhen\b|\bwhat (?:date|day|time)\b|\b(?:which|what|on which) (?:week)?day\b|\bwann\b"
        r"|什么时候|何时|几号|哪天|いつ"
    ),
    Kind.WHO: r"\bwho(?:se|m)?\b|\bwer\b|\bwem\b|\bwen\b|谁|誰|だれ",
    Kind.WHERE: r"\bwhere\b|\bwo\b|\bwohin\b|哪里|どこ",
    Kind.WHY: r"\bwhy\b|\bwarum\b|\bwieso\b|\bcause\b|\breason\b|\bwrong\b|为什么|原因|なぜ",
    Kind.LIST: (
        r"\blist\b|\bcompare[ds]?\b|\bdifferences?\b|\bversus\b|\beach\b(?! (?:day|week|month|year|time)\b)|\ball\b"
        r"|\bwelche\b|哪些|どの"
        r"|\b(?:which|what) (?:are|(?!is\b|was\b|does\b|has\b)\w+s)\b"
    ),
}
_PATTERNS[Kind.COMPARE] = (
    r"\bcompare[ds]?\b|\bversus\b|\bvs\b|\bagainst\b|\bdifferences?\b|\bthan\b|\bor (?:the|a)\b"
    r"|\bvergl\w+|\bunterschied\w*|\boder\b|比较|相比|区别|还是"
)
_KINDS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS.items())
AROUND, TOPIC = 0.5, 0.6
"""What words count for that stand in a sentence beside the question, or name what a follow-up is about."""

_TOPIC = re.compile(r"\([^()]+\)\s*$")
_SENTENCE = re.compile(r"[^.!?。！？]+(?:[.!?。！？]+(?=\s|$)|[。！？]|$)|[^\s]+")
_LEAD = re.compile(
    r"^[^:?？]{0,60}\b(?:asks?|asking|wants? to know|question|fragt|frage)\s*:\s*|^.{0,20}(?:问|想知道)\s*[:：]", re.I
)
_CLAUSE = re.compile(
    r"^\s*(?:when|where|if|wenn|wo|falls)\b[^,?]*,\s*(?=(?:\w+\s+)?(?:who|what|which|how|where|when|why|wer|was|welche|wie|wo|wann)\b)",
    re.IGNORECASE,
)
KEYWORD_TERMS_MAX = 2
_OF_A_DAY = re.compile(
    r"\b(?:what|which|exact) (?:day|date)\b|\ban welchem (?:tag|datum)\b|几号|哪天|哪一天", re.IGNORECASE
)
_OF_TIME = re.compile(r"\d\d-\d\d|q[1-4]")
_GERMAN = re.compile(
    r"\b(?:der|die|das|wie|wann|wer|welche[rsmn]?|für|ist|und|wird|bis|warum|wo)\b|[äöüß]", re.IGNORECASE
)
_ASKING = re.compile(r"\b(?:which|what|how (?:many|much)|welche[rsmn]?|wie ?viele?)\s+", re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<=[\w,;:'’)\]] )(?:[A-Z][\w'’]*[a-zß][\w'’]*|[A-ZÄÖÜ]{2,}[\w-]*)")
_EITHER = re.compile(
    r"(\w+),? (?:or|versus|vs\.?|oder) (?:(?:an?|the|eine?[nr]?|de[rmn]|die|das) )?(\w+)", re.IGNORECASE
)
_NO_NAMES = CALENDAR | {"christmas", "english", "german", "chinese"}


@dataclass(frozen=True)
class Question:
    """`terms` are the words that matter, each once, in order; a code stands for itself and not for its parts.

    `sought` are those that only name the kind of answer, as `city` in "in which city": a sentence that answers names
    the city and need not call it one. `weights`, one a term: what stands around the question itself counts less.
    """

    text: str
    kinds: frozenset[Kind]
    terms: tuple[Word, ...]
    sought: frozenset[int]
    weights: tuple[float, ...] = ()

    @cached_property
    def german(self) -> bool:
        return bool(_GERMAN.search(self.text))

    def keys(self, language: str) -> tuple[str, ...]:
        """The terms as words of `language` are compared, in the order of `terms`."""
        return tuple(_key(self.text[term.start : term.end], term, language) for term in self.terms)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Days and quarters of the year are matched like codes, but need not be there."""
        return frozenset(term.key for term in self.terms if term.exact and not _OF_TIME.fullmatch(term.key))

    @property
    def keyword(self) -> bool:
        """A code or a name with little around it: whoever types that wants to read what there is."""
        return len(self.terms) <= KEYWORD_TERMS_MAX and self.kinds == {Kind.OTHER}

    @cached_property
    def of_a_day(self) -> bool:
        return bool(_OF_A_DAY.search(self.text))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Which terms are numbers, years and days."""
        return tuple(n for n, term in enumerate(self.terms) if term.key.replace("-", "").isdigit())

    def sides(self) -> list[int]:
        """Which terms name the things that are compared, two at least: names and codes, or the words around `or`."""
        names = self.names()
        spans = [n for n, term in enumerate(self.terms) if term.exact or self._text(term).casefold() in names]
        if len(spans) > 1:
            return spans
        ends = {at for match in _EITHER.finditer(self.text) for at in (match.end(1), match.end(2))}
        either = [n for n, term in enumerate(self.terms) if term.end in ends]
        return either if len(either) > 1 else []

    def _text(self, term: Word) -> str:
        return self.text[term.start : term.end].removesuffix("'s").removesuffix("’s")

    def names(self) -> frozenset[str]:
        """Capitalised words within an English question: what is asked about must be spoken of.

        Not those that stand around the question itself. German writes every noun like that, so there it tells nothing.
        """
        if self.german:
            return frozenset()
        around = {term.start for term, weight in zip(self.terms, self.weights, strict=True) if weight < 1.0}
        found = {match.group() for match in _CAPITALISED.finditer(self.text) if match.start() not in around}
        return frozenset({name.casefold().removesuffix("'s").removesuffix("’s") for name in found} - _NO_NAMES)


def read(text: str) -> Question:
    asking = _CLAUSE.sub("", text)
    kinds = frozenset(kind for kind, pattern in _KINDS if pattern.search(asking))
    asked_for = {match.end() for match in _ASKING.finditer(text)}
    dated = [Word(start, end, key, True, False) for start, end, key in days(text)]
    inside = {at for word in dated for at in range(word.start, word.end)}
    plain = [word for word in words(text, "en") if word.start not in inside]
    terms = (*_terms(plain), *dated)
    sought = frozenset(term.start for term in terms if term.start in asked_for and text[term.start].islower())
    return Question(text, kinds or frozenset([Kind.OTHER]), terms, sought, tuple(_weights(text, terms)))


def _weights(text: str, terms: tuple[Word, ...]) -> list[float]:
    """What a follow-up is about, in brackets behind it, is context; so is what was said before the question."""
    topic = _TOPIC.search(text)
    until = topic.start() if topic else len(text)
    sentences = list(_SENTENCE.finditer(text, 0, until))
    asking = [match.group().rstrip().endswith(("?", "？")) for match in sentences]
    background = [match for match, asks in zip(sentences, asking, strict=True) if not asks] if any(asking) else []
    aside = {at for match in background for at in range(match.start(), match.end())}
    lead = _LEAD.match(text)
    aside |= set(range(lead.end())) if lead else set()
    return [AROUND if term.start in aside else TOPIC if term.start >= until else 1.0 for term in terms]


def _terms(found: list[Word]) -> list[Word]:
    chosen: dict[str, Word] = {}
    whole_end = 0
    for word in found:
        if word.end <= whole_end:
            continue
        if word.exact:
            whole_end = word.end
        if not word.stop:
            chosen.setdefault(word.key, word)
    # A compound such as "on-call" is found by its parts as well: the whole would count twice.
    return [word for word in chosen.values() if word.exact or not _compound(word, found)]


def _compound(word: Word, found: list[Word]) -> bool:
    inside = [other for other in found if word.start <= other.start and other.end <= word.end]
    return len(inside) > 1 and any(other is not word and not other.stop for other in inside) and not _paired(word)


def _paired(word: Word) -> bool:
    """Pairs of Chinese characters overlap by design."""
    return len(word.key) == 2 and ord(word.key[0]) > 0x2E80


def _key(text: str, term: Word, language: str) -> str:
    if term.exact or _paired(term):
        return term.key
    alone = words(text, language)
    return alone[0].key if alone else term.key
