"""A follow-up made whole from what was asked before, by rules: pure, and without a model.

Three things are mended. "And in Berlin?" takes the earlier question with the new part in its place; "Who approves it?"
gets what "it" stands for; "Since when?" gets what it is about. What stands for itself stays as it is. English, German
and Chinese.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.words import is_exact, words

TOPIC_CHARACTERS_MAX = 160
FRAGMENT_WORDS_MAX = 6
BARE_WORDS_MAX = 1
"""A question with no more words that matter cannot stand alone."""


@dataclass(frozen=True, slots=True)
class Turn:
    """`answer` holds only what the asker may still open."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Meant:
    """`text` is what is searched for and answered.

    `shown` is made from the asker's own questions alone, since it is kept and may be read when an answer of that time
    may not be: None where it is the question as it was typed.
    """

    text: str
    shown: str | None = None


_LEAD = re.compile(
    r"^\s*(?:(?:ok(?:ay)?|thanks?(?: you)?|great|got it|i see|danke|gut|好的|谢谢)\s*[,.!，。！]*\s*)*", re.IGNORECASE
)
_AND = re.compile(r"^(?:and|but|also|so|then|und|aber|auch|那么|那)\b[\s,，]*|^(?:那么|那)[\s,，]*", re.IGNORECASE)
_ABOUT = re.compile(
    r"^(?:and\s+)?(?:what|how)\s+about\s+(?P<en>.+)$|^(?:und\s+)?(?:was\s+ist|wie\s+(?:ist|sieht)\s+es)\s+(?:mit\s+)?"
    r"(?P<de>.+?)(?:\s+aus)?$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would"
    r"|has|have|had|wer|wem|wen|was|welche[rsmn]?|wann|wo|warum|wie|wieso|ist|sind|war|hat|haben|kann|darf|muss|gibt"
    r"|since when|seit wann|bis wann|for how|until when|by when|at what|in which|to whom|from whom|with whom|on which"
    r"|tell|show|list|give|explain|compare)\b|什么|多少|几|谁|哪|怎么|为什么|是否|吗",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"^(?P<word>in|at|for|from|on|with|by|to|of|during|before|after|since|bei|für|von|mit|aus|nach|seit|an|auf)\s+",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|my|der|die|das|den|dem|ein|eine|einen|einem|einer)\s+", re.IGNORECASE)
_HEAD = re.compile(
    r"^(?:(?:and|und)\s+)?(?:(?:how|wie)\s*(?:many|much|long|often|far|old|viele?|lange?|oft|hoch)?|what|which|who(?:m|se)?"
    r"|when|where|why|wer|was|wann|wo|warum|welche[rsmn]?)\b\s*"
    r"(?:(?:is|are|was|were|do|does|did|can|may|must|should|will|would|has|have|had|ist|sind|war|hat|haben|kann|darf|muss"
    r"|wird|werden)\b\s*)?|^(?:is|are|was|were|do|does|did|can|may|must|should|will|has|have|ist|sind|hat|kann)\b\s*",
    re.IGNORECASE,
)
_PERSON_PRONOUN = re.compile(r"\b(?P<word>he|she|him|his|her|hers|ihm|ihn|er)\b|(?P<zh>他|她)(?!们)")
_THING_PRONOUN = re.compile(
    r"\b(?P<word>it|its|they|them|their|theirs|these|those|this|mine|yours|the (?:same|latter|former)|ones?|es|ihr"
    r"|ihre[nmrs]?|deren|dessen|dies(?:e[rsmn]?)?|davon|dafür|damit|darauf|dazu|darin|dort|there)\b"
    r"|(?P<zh>它们|他们|她们|它|这个|那个|这些|那些|这里|那里|其)",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"(?:^|\b(?:of|for|in|on|to|with|about|does|do|did|is|was|are|has|can|could|would|than|from|at|after|before|by|and"
    r"|know|like|use|need))\s+(?P<word>that)\b(?!\s+(?:there|the|it|we|they)\b)|\b(?P<de>das)\b(?!\s+[A-ZÄÖÜ])"
)
_NOT_MEANT = re.compile(
    r"\b(?:this|these|those|that)\s+(?:year|month|week|quarter|morning|time|days?)\b|\bis\s+(?:it|there)\b"
    r"|\b(?:are|was|were)\s+there\b|\bthere\s+(?:is|are|was|were)\b|\bgibt\s+es\b|\bthis\s+company\b|\bone\s+(?:day|of)\b"
    r"|\b(?:on|at least|at most|only|more than|no)\s+one\b",
    re.IGNORECASE,
)
_COMPANY = re.compile(r"\b(?:company|firm|organi[sz]ation|firma|unternehmen)\b|公司", re.IGNORECASE)
_NAME = re.compile(r"(?:[A-ZÄÖÜ][\w'’-]*[a-zäöüß\d][\w'’-]*|[A-Z]{2,}[\w-]*)(?:\s+[A-ZÄÖÜ][\w'’-]+)*")
_PERSON = re.compile(r"(?:^|[\s\]\"“(])([A-ZÄÖÜ][a-zäöüß'’-]+(?:\s+[A-ZÄÖÜ][a-zäöüß'’-]+){1,2})(?=[\s:,.;)’']|$)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CODE = re.compile(r"\b(?=\w*\d)(?=[\w-]*[A-Za-z])[\w-]+\b")
_LATIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_TOPIC = re.compile(r"\s*\((?P<topic>[^()]+)\)[?？]?$")
_END = "?？.!。！ \t"
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


def rewrite(question: str, history: Sequence[Turn]) -> str:
    """The question as it is meant; the same text where nothing is missing. `history` is oldest first."""
    understood: list[Turn] = []
    for turn in history:
        understood.append(Turn(_whole(turn.question, understood), turn.answer))
    return _whole(question, understood)


def _whole(question: str, history: Sequence[Turn]) -> str:
    if not history:
        return question
    before = history[-1]
    bare = _LEAD.sub("", question).strip()
    if (fragment := _fragment(bare)) is not None:
        return _replaced(before.question, fragment)
    if mended := _named(bare, history):
        return mended
    if _refers(bare) or _too_bare(bare) or (_AND.match(bare) and not _names_something(bare)):
        return _with_topic(bare, before.question)
    return question


def _fragment(bare: str) -> str | None:
    """What a question names that is not whole, such as `in Berlin`; None where it asks by itself."""
    text = " ".join(bare.split()).rstrip(_END)
    if _WIDE.search(text):
        inner = _AND.sub("", text)
        return inner[:-1].strip("，, ") if inner.endswith("呢") and not _ASKS.search(inner[:-1]) else None
    if about := _ABOUT.match(text):
        rest = about["en"] or about["de"]
        return rest if len(rest.split()) <= FRAGMENT_WORDS_MAX and not _refers(rest) else None
    joined = _AND.match(text)
    rest = text[joined.end() :] if joined else text
    if not rest or _ASKS.match(rest) or _refers(rest) or len(rest.split()) > FRAGMENT_WORDS_MAX:
        return None
    return rest if joined or (_PREPOSITION.match(rest) and bare.endswith("?")) else None


def _replaced(before: str, fragment: str) -> str:
    """The earlier question with the fragment where something of its kind stood, or after it."""
    topic = _TOPIC.search(before)
    stem = before[: topic.start()].rstrip(_END) if topic else before.rstrip(_END)
    mark = "？" if _WIDE.search(before) else "?"
    preposition = _PREPOSITION.match(fragment)
    bare = _ARTICLE.sub("", fragment[preposition.end() :] if preposition else fragment)
    if (span := _place(stem, bare, preposition["word"] if preposition else "")) is not None:
        return f"{stem[: span[0]]}{bare}{stem[span[1] :]}{mark}"
    if preposition:
        return f"{stem} {fragment}{mark}"
    return f"{stem}{mark} ({fragment})"


def _place(stem: str, new: str, preposition: str) -> tuple[int, int] | None:
    """Where in the earlier question something stands that is like the new part: a year, a code, a name."""
    after = len(stem.split(maxsplit=1)[0]) if stem and not _WIDE.search(stem) else 0
    if preposition:
        spots = re.finditer(rf"\b{preposition}\s+(?:the\s+|our\s+|der\s+|den\s+|dem\s+)?", stem, re.IGNORECASE)
        for spot in reversed(list(spots)):
            if name := _NAME.match(stem, spot.end()) or _YEAR.match(stem, spot.end()):
                return name.span()
    for kind in (_YEAR, _CODE):
        if kind.fullmatch(new) and (found := list(kind.finditer(stem, after))):
            return found[-1].span()
    if _WIDE.search(stem):
        latin = list(_LATIN.finditer(stem)) if _LATIN.fullmatch(new) else []
        return latin[-1].span() if latin else None
    if (_NAME.match(new) or is_exact(new)) and (found := [m for m in _NAME.finditer(stem, after) if m.start() > 0]):
        return found[-1].span()
    return None


def _named(bare: str, history: Sequence[Turn]) -> str | None:
    """A person's pronoun replaced by the last person who was named, in a question or in its answer."""
    pronoun = _PERSON_PRONOUN.search(bare)
    if pronoun is None or _PERSON.search(bare):
        return None
    for turn in reversed(history):
        people = [match[1] for text in (turn.question, turn.answer) for match in _PERSON.finditer(text)]
        if people:
            word = pronoun["word"] or ""
            owning = word in ("his", "hers") or (word == "her" and re.match(r"\s+\w", bare[pronoun.end() :]))
            name = people[-1] + ("'s" if owning else "")
            return bare[: pronoun.start()] + name + bare[pronoun.end() :]
    return None


def _refers(text: str) -> bool:
    plain = _NOT_MEANT.sub("", text)
    return any(pattern.search(plain) for pattern in (_THING_PRONOUN, _THAT, _PERSON_PRONOUN))


def _too_bare(bare: str) -> bool:
    """Too few words that matter to be about anything; a name or a code is enough."""
    rest = _AND.sub("", bare)
    most = BARE_WORDS_MAX + 1 if rest != bare else BARE_WORDS_MAX
    telling = [word for word in words(rest) if not word.stop]
    return not _names_something(rest) and len(telling) <= most and (_ASKS.search(rest) is not None or len(telling) == 0)


def _names_something(text: str) -> bool:
    """A name within the question, a code, or the company itself."""
    rest = _AND.sub("", text)
    return (
        _COMPANY.search(rest) is not None
        or any(match.start() > 0 for match in _NAME.finditer(rest))
        or any(word.exact for word in words(rest))
    )


def _with_topic(bare: str, before: str) -> str:
    earlier = _TOPIC.search(before)
    subject = earlier["topic"] if earlier else _HEAD.sub("", before.strip()).strip(_END)
    subject = re.sub(r"[()（）]", "", subject)[:TOPIC_CHARACTERS_MAX].strip()
    return f"{bare} ({subject})" if subject else bare
