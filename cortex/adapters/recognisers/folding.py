"""One spelling of what looks the same: wide letters, digits of other scripts, spaces, dashes and what has no width.

A finding's place is in the original, so each character of a reading knows where it came from.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HYPHEN = "-"
DASH = "–"
_HYPHENS = "‐‑−﹣－"
_DASHES = "‒–—―﹘"
_PLAIN = re.compile(r"[A-Za-zÀ-ɏ0-9@._%+-]+")
# No spelling of the letter itself: a footnote's number is not part of what it stands at.
_RAISED = ("<super>", "<sub>", "<fraction>", "<circle>")


@dataclass(frozen=True, slots=True)
class Reading:
    """`places`: of each character of `text`, where it stands in the original; None where both are as long."""

    text: str
    places: Sequence[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Of the original, what became `start` to `end` here."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def readings(text: str) -> Iterator[Reading]:
    """As if what has no width were not there; and, where there is any, as if it parted what stands around it."""
    if text.isascii():
        yield Reading(text)
        return
    folded = {character: folded_character(character) for character in set(text)}
    yield _reading(text, folded)
    if breaks := [character for character in folded if unicodedata.category(character) == "Cf"]:
        yield _reading(text, folded | dict.fromkeys(breaks, " "))


def _reading(text: str, folded: dict[str, str]) -> Reading:
    changed = text.translate({ord(character): plain for character, plain in folded.items()})
    if all(len(plain) == 1 for plain in folded.values()):
        return Reading(changed)
    return Reading(changed, [place for place, character in enumerate(text) for _ in folded[character]])


def folded_character(character: str) -> str:
    """NFKC where it gives letters, digits or an address's signs; nothing for marks and for what has no width."""
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Cf" or unicodedata.combining(character):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Zs":
        return " "
    if character in _HYPHENS or character in _DASHES:
        return HYPHEN if character in _HYPHENS else DASH
    if unicodedata.decomposition(character).startswith(_RAISED):
        return character
    plain = unicodedata.normalize("NFKC", character)
    # An ellipsis is no three dots: it ends what stands before it.
    return plain if _PLAIN.fullmatch(plain) and plain != "..." else character
