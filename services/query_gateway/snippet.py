"""The part of a passage that shows why it was found, with its matches. Everything counts code points."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cortex.domain.answer import Passage
from cortex.domain.document import Anchor
from cortex.domain.words import Word, words

SNIPPET_CHARACTERS = 320
_LEAD_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Snippet:
    """`text` is an exact part of the passage, `highlights` are ranges of it, `anchor` is the part that matches best."""

    text: str
    highlights: tuple[tuple[int, int], ...]
    anchor: Anchor


def snippet(passage: Passage, question: str) -> Snippet:
    matches = matching(passage.text, question, passage.language)
    start, end = _window(passage.text, matches)
    inside = [(m_start - start, m_end - start) for m_start, m_end in matches if start <= m_start and m_end <= end]
    return Snippet(passage.text[start:end], tuple(inside), _anchor(passage, start, end, matches))


def matching(text: str, question: str, language: str) -> list[tuple[int, int]]:
    """Ranges of `text` that hold a word of the question; ranges that touch or overlap are one."""
    wanted = {word.key for word in words(question, language) if not word.stop}
    found = sorted((word.start, word.end) for word in words(text, language) if _wanted(word, wanted))
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _wanted(word: Word, wanted: set[str]) -> bool:
    return not word.stop and word.key in wanted


def _window(text: str, matches: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Where the most matches lie close together, cut at white space where there is some."""
    if len(text) <= SNIPPET_CHARACTERS:
        return 0, len(text)
    starts = [max(0, start - _LEAD_CHARACTERS) for start, _ in matches] or [0]

    def covered(start: int) -> int:
        return sum(end - begin for begin, end in matches if begin >= start and end <= start + SNIPPET_CHARACTERS)

    start = min(max(starts, key=lambda at: (covered(at), -at)), len(text) - SNIPPET_CHARACTERS)
    end = start + SNIPPET_CHARACTERS
    first_match = next((begin for begin, _ in matches if begin >= start), end)
    last_match = max((finish for _, finish in matches if finish <= end), default=start)
    return _next_space(text, start, first_match), _last_space(text, end, max(last_match, start + 1))


def _next_space(text: str, start: int, before: int) -> int:
    """The first beginning of a word from `start`, but not beyond `before`."""
    if start == 0 or text[start - 1].isspace():
        return start
    return next((at + 1 for at in range(start, min(start + 30, before)) if text[at].isspace()), start)


def _last_space(text: str, end: int, after: int) -> int:
    if end >= len(text) or text[end].isspace():
        return end
    return next((at for at in range(end, max(end - 30, after), -1) if text[at].isspace()), end)


def _anchor(passage: Passage, start: int, end: int, matches: Sequence[tuple[int, int]]) -> Anchor:
    """The block with the most matches inside the window, cut to the window."""
    best, most, position = passage.anchors[0], -1, 0
    for anchor in passage.anchors:
        length = anchor.end - anchor.start
        low, high = max(start, position), min(end, position + length)
        if low < high:
            weight = sum(1 for begin, finish in matches if low <= begin and finish <= high)
            if weight > most:
                most = weight
                best = replace(anchor, start=anchor.start + low - position, end=anchor.start + high - position)
        position += length + 1
    return best
