"""Passages cut into what can be quoted whole: sentences, items of lists, rows of tables, messages of chats."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from cortex.domain.answer import Passage
from cortex.domain.document import Anchor

MESSAGE_CHARACTERS = 400

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”’）]*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|bzw|ca|usw|etc|vs|approx|Dr|Mr|Mrs|Ms|Prof|St|Inc|Ltd|Co|No|Nr|Str|Fig"
    r"|evtl|inkl|max|min|vgl|Abs|Art|p|pp|[A-Za-z])|\b\d{1,2})\.$"
)
_LINE = re.compile(r"\n(?=\s*(?:[-*•+]|\d{1,3}[.)]|\[\d)\s*\S)|\n(?=[^\n:]{1,40}: \S)|\n\s*\n|(?<=[.!?:;。！？])\n")
_CELL = re.compile(r"(?:^|;\s+)(?P<head>[^:;\n]{1,60}):(?:\s|$)")
_MONTH = re.compile(
    r"\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|[a-zäöü])"
)
_MESSAGE = re.compile(r"\[\d{4}-\d\d-\d\d[ T][^\]]*\]\s+[^:\n]{1,80}:\s")


@dataclass(frozen=True, slots=True)
class Unit:
    """`text` is an exact part of the block that `anchor` names. `place` orders units within their passage."""

    passage: Passage
    place: int
    text: str
    anchor: Anchor

    @property
    def message(self) -> bool:
        return _MESSAGE.match(self.text) is not None

    @property
    def row(self) -> bool:
        return _is_row(self.text)


def units(passage: Passage) -> list[Unit]:
    """Every unit of the passage in order; headings are among them where the chunk holds them."""
    found: list[Unit] = []
    position = 0
    for anchor in passage.anchors:
        length = anchor.end - anchor.start
        block = passage.text[position : position + length]
        for start, end in cut(block):
            exact = replace(anchor, start=anchor.start + start, end=anchor.start + end)
            found.append(Unit(passage, len(found), block[start:end], exact))
        position += length + 1
    return found


def cut(block: str) -> Iterator[tuple[int, int]]:
    """Ranges of the block's units, without the white space around them."""
    if _MESSAGE.match(block) and len(block) <= MESSAGE_CHARACTERS:
        yield _trim(block, 0, len(block))
        return
    for line_start, line_end in _between(block, [match.span() for match in _LINE.finditer(block)], 0, len(block)):
        row = block[line_start:line_end]
        ends = [] if _is_row(row) else [match.end() for match in _END.finditer(row) if _ends(row, match)]
        edges = [line_start, *(line_start + end for end in ends), line_end]
        for start, end in pairwise(edges):
            trimmed = _trim(block, start, end)
            if trimmed[0] < trimmed[1]:
                yield trimmed


def _between(text: str, gaps: list[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    for gap_start, gap_end in gaps:
        if start < gap_start:
            yield start, gap_start
        start = max(start, gap_end)
    if start < end and text[start:end].strip():
        yield start, end


def _ends(row: str, match: re.Match[str]) -> bool:
    """Whether this is the end of a sentence, and not of an abbreviation or a German ordinal."""
    before = row[: match.end()]
    if not before.endswith("."):
        return True
    if _ABBREVIATION.search(before):
        number = before[:-1].split()[-1:] and before[:-1].split()[-1].isdigit()
        return bool(number) and not _MONTH.match(row, match.end())
    return True


def _is_row(row: str) -> bool:
    """A table's row, `column: value; column: value`."""
    return row.count(": ") >= 2 and "; " in row


def row_cells(row: str) -> list[tuple[str, str]]:
    """Heads with their values. A semicolon within a value does not begin a new cell."""
    starts = list(_CELL.finditer(row))
    ends = [match.start() for match in starts[1:]] + [len(row)] * bool(starts)
    return [(match["head"], row[match.end() : end].strip()) for match, end in zip(starts, ends, strict=True)]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
