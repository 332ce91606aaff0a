"""What a model writes, as it comes: whole sentences of plain text, each with the numbers that stand behind it."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKER = re.compile(r"\s*[\[【]\s*(?:passage\s*)?(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*[\]】](?!\()", re.IGNORECASE)
_END = re.compile(r"(?:[.!?…]+[\"'”’»)]*(?=\s)|[.?…]+(?=[\[【])|[。！？]+[」』”’）]*)|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|bzw|ca|usw|etc|vs|approx|Dr|Mr|Mrs|Ms|Prof|St|Inc|Ltd|Co|No|Nr|Fig|[A-Z])"
    r"|(?:^|\s)\d{1,3})\.$"
)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ADDRESS = re.compile(r"(?:https?|ftp|file):/*\S*|\b(?:data|javascript|vbscript|mailto):\S*|\bwww\.\S+", re.IGNORECASE)
PASSES_MAX = 8
_DECORATION = re.compile(r"^(?:\s*(?:[-*•+>]|#{1,6}|\d{1,2}[.)])\s+)+|\*+|`+|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<think>", re.IGNORECASE)
_BEGUN_MARKER = re.compile(r"\s*(?:[\[【]\s*(?:p[a-z]*\s*)?[\d,;\s]*)?\Z", re.IGNORECASE)
UNFINISHED_CHARACTERS_MAX = 4_000


@dataclass(frozen=True, slots=True)
class Written:
    """`numbers` as the model gave them: a hint, and no more."""

    text: str
    numbers: tuple[int, ...]


class Reader:
    """Takes pieces of text and gives sentences as soon as it is sure that they are whole."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, piece: str) -> Iterator[Written]:
        self._rest = _THOUGHT.sub("", self._rest + piece)
        if _THINKING.search(self._rest):
            return
        # A text without an end is no sentence, and would grow for ever.
        self._rest = self._rest[-UNFINISHED_CHARACTERS_MAX:]
        while (found := _whole(self._rest)) is not None:
            written, self._rest = found
            if written.text:
                yield written

    def end(self) -> Iterator[Written]:
        rest, self._rest = _THINKING.split(self._rest)[0], ""
        written = read(rest)
        if written.text:
            yield written


def _whole(text: str) -> tuple[Written, str] | None:
    """The first sentence, once something that is no marker follows it; and what follows."""
    for match in _END.finditer(text):
        head, tail = text[: match.end()], text[match.end() :]
        if match.group() != "\n" and _ABBREVIATION.search(head):
            continue
        while marker := _MARKER.match(tail):
            head, tail = head + marker.group(), tail[marker.end() :]
        return None if _BEGUN_MARKER.match(tail) else (read(head), tail)
    return None


def read(text: str) -> Written:
    """One sentence without markers, links, images, markup and addresses."""
    numbers = [int(n) for marker in _MARKER.finditer(text) for n in re.findall(r"\d+", marker.group(1))]
    plain = _stable(_MARKER.sub("", text))
    plain = re.sub(r"\s+([.,;:!?])", r"\1", re.sub(r"\s+", " ", plain)).strip()
    return Written(plain if any(map(str.isalnum, plain)) else "", tuple(dict.fromkeys(numbers)))


def _stable(text: str) -> str:
    """Again while anything goes: what was taken out may have stood between two halves of something else."""
    for _ in range(PASSES_MAX):
        before = text
        text = _TAG.sub("", html.unescape(_LINK.sub(r"\1", _IMAGE.sub("", text))))
        text = _ADDRESS.sub("", _DECORATION.sub("", text))
        if text == before:
            return text
    return ""
