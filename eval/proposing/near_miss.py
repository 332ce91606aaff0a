"""Questions that nothing answers: a name, number or code of one that something does, replaced by another document's.

Whether nothing answers is looked up in what the person may open, and stays for a person to confirm.
"""

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from cortex.domain.words import is_exact, words
from eval.golden_questions import states
from eval.proposing.drafts import Draft
from eval.proposing.pages import Page, flat

SPOKEN_OF = 0.5
"""A passage that holds the new thing and this share of the question's other words may answer it."""

TRIED_MAX = 10

_CODE = re.compile(r"(?<![\w-])[A-Z0-9][\w./-]*\w(?![\w-])")
_NAME = re.compile(r"(?<=[\w,“] )[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)*")
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,4}(?![\w%-]|[.,:]\d)")
_LETTERS = string.ascii_letters
_CALENDAR = """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday
"""
_NO_NAMES = frozenset(_CALENDAR.split()) | {"about", "the"}


@dataclass(frozen=True, slots=True)
class Thing:
    kind: str
    text: str
    shape: str
    """Two things of a kind can take each other's place where this is the same."""


def things(text: str) -> Iterator[Thing]:
    """Codes, then names, then numbers; each once."""
    seen: set[str] = set()
    for match in _CODE.finditer(text):
        code = match.group()
        if is_exact(code) and any(map(str.isalpha, code)) and code not in seen:
            seen.add(code)
            yield Thing("code", code, code[: len(code) - len(code.lstrip(_LETTERS))])
    for match in _NAME.finditer(text):
        name = match.group()
        if not {part.casefold() for part in name.split()} & _NO_NAMES and name not in seen:
            seen.add(name)
            yield Thing("name", name, str(len(name.split())))
    for match in _NUMBER.finditer(text):
        if match.group() not in seen:
            seen.add(match.group())
            yield Thing("number", match.group(), str(len(match.group())))


def near_misses(draft: Draft, pages: Sequence[Page]) -> Iterator[tuple[Draft, str]]:
    """Each with the thing that is new in it, of whichever nothing in `pages` speaks; few are tried for each thing."""
    own = next((page for page in pages if page.path == draft.source), None)
    for thing in things(draft.question):
        for new, other in islice(_alike(thing, own, pages), TRIED_MAX):
            made = _replaced(draft, thing, new, other)
            if not states((new.text,), draft.question) and not any(
                speaks_of(page, made.question, new.text) for page in pages
            ):
                yield made, new.text


def _alike(thing: Thing, own: Page | None, pages: Sequence[Page]) -> Iterator[tuple[Thing, Page]]:
    """The first of each other document that may take its place, and that its own does not hold."""
    for other in pages:
        if other is own:
            continue
        for new in _things_of(other):
            if (new.kind, new.shape) == (thing.kind, thing.shape) and not (own and states((new.text,), own.text)):
                yield new, other
                break


@lru_cache(maxsize=1_024)
def _things_of(page: Page) -> tuple[Thing, ...]:
    return tuple(dict.fromkeys(thing for part in page.parts for thing in things(part)))


def _replaced(draft: Draft, thing: Thing, new: Thing, other: Page) -> Draft:
    whole = re.compile(rf"(?<!\w){re.escape(thing.text)}(?!\w)")
    return replace(
        draft,
        kind="near_miss",
        question=whole.sub(lambda _: new.text, draft.question),
        facts=(),
        made=f"{thing.kind} {thing.text!r} of {draft.question!r} replaced by {new.text!r} of {other.path}",
    )


def speaks_of(page: Page, question: str, thing: str) -> bool:
    """Whether one paragraph under its headings holds the thing and much of what else is asked."""
    asked = question.rpartition("”: ")[2]
    keys = {word.key for word in words(asked) if not word.stop} - {word.key for word in words(thing)}
    for section in page.sections:
        above = " ".join([page.title, *section.headings])
        for paragraph in section.text.split("\n\n"):
            text = flat(f"{above} {paragraph}")
            if not states((thing,), text):
                continue
            held = {word.key for word in words(text)}
            if len(keys & held) >= SPOKEN_OF * len(keys):
                return True
    return False
