"""A search as it is typed: words, phrases in quotes, words to leave out, and operators. Pure.

    "cold chain" from:priya in:wiki after:2026-01 -draft 1099-MISC

A hyphen inside a word or before a digit is a part of the word, so codes and temperatures stay what they are. Whatever
is no operator of ours stays a word.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cortex.domain.errors import Invalid
from cortex.domain.words import words

VALUES_MAX = 20
KINDS = {
    "code": ("text/x-",),
    "csv": ("text/csv",),
    "html": ("text/html",),
    "mail": ("message/rfc822",),
    "markdown": ("text/markdown",),
    "pdf": ("application/pdf",),
    "text": ("text/plain",),
    "word": ("application/vnd.openxmlformats-officedocument.wordprocessingml",),
}
"""What `type:` takes, and how the media types of each begin."""

_OPEN, _CLOSE = '"“„«', '"”“»'
_TOKEN = re.compile(
    rf"(?P<minus>-(?=[^\W\d]|[{_OPEN}]))?(?:(?P<name>from|in|before|after|type):)?"
    rf"(?:[{_OPEN}](?P<quoted>[^{_OPEN}{_CLOSE}]*)[{_CLOSE}]|(?P<plain>\S+))",
    re.IGNORECASE,
)
_DATE = re.compile(r"([12]\d{3})(?:-(\d{2})(?:-(\d{2}))?)?")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a passage must and must not hold; `kinds` are keys of KINDS."""

    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.phrases or self.excluded or self.kinds)


@dataclass(frozen=True, slots=True)
class QueryText:
    """`text` is what is searched for. `after` is inclusive; `before` is the last moment that counts."""

    text: str
    wanted: Wanted = field(default_factory=Wanted)
    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


def parse(query: str) -> QueryText:
    """Raises Invalid that names the operator and what it takes."""
    kept: list[str] = []
    found: dict[str, list[str]] = {name: [] for name in ("phrase", "not", "from", "in", "before", "after", "type")}
    for token in _TOKEN.finditer(query):
        value = token["quoted"] if token["quoted"] is not None else token["plain"]
        name = (token["name"] or "").lower()
        if token["minus"] and not name:
            found["not"].append(value)
        elif name and not token["minus"] and value.strip():
            found[name].append(_clean(value))
        elif token["quoted"] is not None and not name:
            found["phrase"].append(_clean(value))
            kept.append(value)
        else:
            kept.append(token.group())
    return _built(kept, found)


def _built(kept: list[str], found: dict[str, list[str]]) -> QueryText:
    for name, values in found.items():
        if len(values) > VALUES_MAX:
            raise Invalid(f"query: at most {VALUES_MAX} of {name}")
    text = " ".join(_clean(part) for part in kept if part.strip())
    # Who only narrows looks for what the narrowing names.
    text = text or " ".join([*found["from"], *found["in"]])
    if not text:
        raise Invalid("query: write at least one word to look for beside what narrows the search")
    starts = [_day(value, "after") for value in found["after"]]
    ends = [_day(value, "before") - timedelta(microseconds=1) for value in found["before"]]
    wanted = Wanted(
        phrases=tuple(phrase for phrase in dict.fromkeys(found["phrase"]) if phrase),
        excluded=tuple(word for word in dict.fromkeys(map(_clean, found["not"])) if word),
        kinds=tuple(dict.fromkeys(_kind(value) for value in found["type"])),
    )
    return QueryText(
        text=text,
        wanted=wanted,
        people=tuple(dict.fromkeys(found["from"])),
        places=tuple(dict.fromkeys(found["in"])),
        after=max(starts, default=None),
        before=min(ends, default=None),
    )


def _clean(value: str) -> str:
    return _SPACES.sub(" ", value).strip()


def _day(value: str, operator: str) -> datetime:
    """The first moment of a day, a month or a year."""
    match = _DATE.fullmatch(value)
    try:
        if match is None:
            raise ValueError
        year, month, day = (int(part) if part else 1 for part in match.groups())
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        raise Invalid(f"{operator}: write a date as 2026-03-31, a month as 2026-03 or a year as 2026") from None


def _kind(value: str) -> str:
    kind = value.lower()
    if kind not in KINDS:
        raise Invalid(f"type: use one of {', '.join(KINDS)}")
    return kind


def of_kind(mime: str, kinds: Iterable[str]) -> bool:
    return any(mime.lower().startswith(start) for kind in kinds for start in KINDS[kind])


def folded(text: str) -> str:
    """What is compared: without case, width and runs of space."""
    return _clean(unicodedata.normalize("NFKC", text).casefold())


def holds_phrases(wanted: Wanted, texts: Iterable[str]) -> bool:
    """Whether each phrase stands in one of the texts, as whole words where it begins and ends with one."""
    held = [folded(text) for text in texts]
    return all(any(stands(folded(phrase), text) for text in held) for phrase in wanted.phrases)


def stands(phrase: str, text: str) -> bool:
    at = text.find(phrase)
    while at >= 0:
        if not _inside_a_word(text, at) and not _inside_a_word(text, at + len(phrase)):
            return True
        at = text.find(phrase, at + 1)
    return False


def _inside_a_word(text: str, at: int) -> bool:
    """Whether the place divides a word. Writing without spaces has no such places."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and ord(before) < 0x2E80 and ord(after) < 0x2E80


def holds_excluded(wanted: Wanted, text: str, language: str) -> bool:
    """Whether a word that is to be left out is there, in whatever ending, or a phrase as it stands."""
    phrases = [phrase for phrase in wanted.excluded if " " in phrase]
    if any(stands(folded(phrase), folded(text)) for phrase in phrases):
        return True
    single = [word for word in wanted.excluded if " " not in word]
    unwanted = {word.key for excluded in single for word in words(excluded, language)[:1]}
    return bool(unwanted) and any(word.key in unwanted for word in words(text, language))
