"""Text to words: identifiers whole and in parts, writing without spaces as runs.

`1099-MISC` is the term `1099-misc` and the words `1099` and `MISC`; `getUserName` is `getusername` and its three
words. So an exact code finds its exact passage, and half of it still finds something.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
SOUTH_EAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED = HAN + HIRAGANA + KATAKANA + HANGUL + SOUTH_EAST_ASIAN

EXACT_CHARACTERS_MAX = 100
PART_CHARACTERS_MIN = 2

# Vowel signs and other marks belong to their word, although they are no letters to `\w`.
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_LETTERS = rf"(?:[^\W_{UNSPACED}]|[{_MARKS}])+"
_COMPOUND = re.compile(
    rf"(?P<named>(?<!\w)[A-Za-z](?:\+\+|#)(?!\w))"
    rf"|(?P<spaced>_*{_LETTERS}(?:[-_.'@/\\:#&+~]{{1,3}}{_LETTERS})*)"
    rf"|(?P<unspaced>[{UNSPACED}]+)"
)
# What joins whole names to one another, against what joins the words of one name.
_BETWEEN_NAMES = re.compile(r"[@/\\:#&+~]+")
_WITHIN_NAMES = re.compile(r"[-_.']+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS_OR_DIGITS = re.compile(r"\d+|\D+")
_ACRONYM_PLURAL = re.compile(r"[A-Z]{2,}s")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class Exact:
    """A term as it stands: an identifier, a code, an address. Already folded."""

    term: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word to be stemmed. `shouted`: in capitals although its text is not, as `IT` and `US` are."""

    text: str
    shouted: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Writing without spaces, for a segmenter."""

    text: str


Piece = Exact | Word | Run


def fold(text: str) -> str:
    return text.casefold()


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of `text` in order. NFKC makes full-width and ligature forms equal to plain ones."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    shouting = plain.isupper()
    for match in _COMPOUND.finditer(plain):
        if match["unspaced"]:
            yield Run(match["unspaced"])
        elif match["named"]:
            yield Exact(fold(match["named"]))
        else:
            yield from _compound(match["spaced"], shouting=shouting)


def _compound(compound: str, *, shouting: bool) -> Iterator[Piece]:
    names = _BETWEEN_NAMES.split(compound)
    if len(names) > 1:
        yield from _exact(compound)
    for name in names:
        yield from _name(name, shouting=shouting)


def _name(name: str, *, shouting: bool) -> Iterator[Piece]:
    tokens = [token for token in _WITHIN_NAMES.split(name) if token]
    # An apostrophe alone makes no identifier: l'entreprise, company's.
    if len(tokens) > 1 and set(_WITHIN_NAMES.findall(name)) != {"'"}:
        yield from _exact(name)
    for token in tokens:
        yield from _token(token, alone=len(tokens) == 1, shouting=shouting)


def _token(token: str, *, alone: bool, shouting: bool) -> Iterator[Piece]:
    """A word, or one that has humps or digits: whole, and its parts. Names of programs have humps, in ASCII."""
    split = _HUMP if token.isascii() else _LETTERS_OR_DIGITS
    humps = [token] if _ACRONYM_PLURAL.fullmatch(token) else split.findall(token)
    if len(humps) > 1:
        yield from _exact(token)
    for part in humps:
        if len(part) >= PART_CHARACTERS_MIN or (alone and len(humps) == 1):
            yield Word(fold(part), shouted=part.isupper() and len(part) > 1 and not shouting)


def _exact(text: str) -> Iterator[Exact]:
    if len(text) <= EXACT_CHARACTERS_MAX:
        yield Exact(fold(text))
