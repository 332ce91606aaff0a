"""Dividing one block that is too long for a chunk: at sentence or line ends where there are any, else between words."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.document import BlockKind
from cortex.ports.token_counter import TokenCounter

# Where a sentence ends: Latin marks before white space; Chinese, Japanese and Indic ones by themselves; a line's end.
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？；｡।]+[”’』」）】]*\s*|\n+")
_LINE_END = re.compile(r"\n+")
_WORD_END = re.compile(r"\s+")
_BY_LINES = frozenset({BlockKind.TABLE, BlockKind.CODE})
# A cut is not moved forward past this share of what would fit: better between words than a sliver.
_EARLIEST = 0.4


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of the block, and how many tokens it has."""

    start: int
    end: int
    tokens: int


def cut(
    text: str, kind: BlockKind, *, counter: TokenCounter, size: int, overlap: int, token_characters: int
) -> list[Cut]:
    """Parts of at most `size` tokens and `size * token_characters` characters, without the white space around them.

    Together they hold every character but white space. Parts of flowing text repeat up to `overlap` tokens of the one
    before; rows and lines of code do not.
    """
    window = _Window(text, kind, counter.offsets(text))
    overlap = 0 if kind in _BY_LINES else overlap
    parts: list[Cut] = []
    start = window.skip_spaces(0)
    while start < len(text):
        end = window.end(start, size, token_characters)
        stop = start + len(text[start:end].rstrip())
        parts.append(Cut(start, stop, window.tokens(start, stop)))
        start = window.skip_spaces(window.restart(start, end, overlap) if end < len(text) else end)
    return parts


class _Window:
    """Places at which a text may be cut, looked up by bisection. A place is where the next part begins."""

    def __init__(self, text: str, kind: BlockKind, offsets: Sequence[tuple[int, int]]) -> None:
        sentence = _LINE_END if kind in _BY_LINES else _SENTENCE_END
        self._text = text
        self._starts = [start for start, _ in offsets]
        self._ends = [end for _, end in offsets]
        self._sentences = [found.end() for found in sentence.finditer(text)]
        self._sentences_set = frozenset(self._sentences)
        self._words = [found.end() for found in _WORD_END.finditer(text)]

    def tokens(self, start: int, end: int) -> int:
        return max(0, bisect_left(self._starts, end) - bisect_right(self._ends, start))

    def end(self, start: int, size: int, token_characters: int) -> int:
        """The last place of the best sort that still fits."""
        first = bisect_right(self._ends, start)
        fits = self._ends[first + size - 1] if first + size < len(self._ends) else len(self._text)
        fits = min(fits, start + size * token_characters)
        if fits >= len(self._text):
            return len(self._text)
        earliest = start + max(1, int((fits - start) * _EARLIEST))
        # A place may lie behind white space that needs no tokens.
        reach = self.skip_spaces(fits)
        for places in (self._sentences, self._words):
            index = bisect_right(places, reach) - 1
            if index >= 0 and places[index] >= earliest:
                return places[index]
        return fits

    def restart(self, start: int, end: int, overlap: int) -> int:
        """Where the part after `start` to `end` begins: within the last half of that, at a sentence or else a word.

        Behind a whole sentence there is no overlap rather than one that begins within a sentence.
        """
        before = bisect_left(self._starts, end)
        if not overlap or before == 0:
            return end
        earliest = max(self._starts[max(0, before - overlap)], start + (end - start + 1) // 2)
        at_sentence = end in self._sentences_set
        for places in (self._sentences,) if at_sentence else (self._sentences, self._words):
            index = bisect_left(places, earliest)
            if index < len(places) and places[index] < end:
                return places[index]
        return end

    def skip_spaces(self, position: int) -> int:
        if position >= len(self._text) or not self._text[position].isspace():
            return position
        return self._words[bisect_right(self._words, position)]
