"""Plain text: paragraphs, lists, underlined headings, and chats exported as `[2026-05-04 09:12] Name: text`."""

import re
import textwrap
from collections.abc import Callable

from cortex.domain.document import BlockKind, ParsedDocument
from services.parse.blocks import BlockList
from services.parse.fields import author_of, leading_fields, title_of
from services.parse.settings import ParseLimits
from services.parse.text import clean, decode, flow

WRAPPED_CHARACTERS_MIN = 50
HEADING_CHARACTERS_MAX = 200
HEADING_LEVEL_MAX = 6

_MESSAGE = re.compile(r"\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?\]\s+[^:\n]{1,80}:\s")
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+\S")
_UNDERLINE = re.compile(r"([=\-~^*#\"'`+:.])\1{2,}\s*")

Lines = list[tuple[int, str]]


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    decoded = decode(data)
    lines = clean(decoded.text).split("\n")
    blocks = BlockList(limits)
    if is_chat(lines):
        # The channel's name is no title: every export of the channel has it.
        add_messages(blocks, lines)
        return ParsedDocument(blocks.all(), warnings=decoded.warnings)
    add_paragraphs(blocks, lines)
    fields = leading_fields(lines)
    title, author = title_of(fields) or blocks.title(), author_of(fields)
    return ParsedDocument(blocks.all(), title=title, author=author, warnings=decoded.warnings)


def is_chat(lines: list[str]) -> bool:
    """At least two messages, and the first near the top."""
    found = [number for number, line in enumerate(lines) if _MESSAGE.match(line)]
    return len(found) >= 2 and found[0] < 10


def add_messages(blocks: BlockList, lines: list[str]) -> None:
    """A message keeps its time and author in its text; its number is the line on which it begins."""
    preamble: list[str] = []
    start, message = 0, preamble
    for number, line in enumerate(lines, start=1):
        if not _MESSAGE.match(line):
            message.append(line)
            continue
        if message is preamble:
            _add_preamble(blocks, preamble)
        else:
            blocks.add(BlockKind.MESSAGE, "\n".join(message), line=start, message_id=str(start))
        start, message = number, [line]
    blocks.add(BlockKind.MESSAGE, "\n".join(message), line=start, message_id=str(start))


def _add_preamble(blocks: BlockList, lines: list[str]) -> None:
    """What stands above the first message; `# general` names the channel."""
    for number, line in enumerate(lines, start=1):
        if line.startswith("# "):
            blocks.add(BlockKind.HEADING, line[2:], level=1, line=number)
        else:
            blocks.add(BlockKind.PARAGRAPH, line, line=number)


def add_paragraphs(blocks: BlockList, lines: list[str], *, in_message: bool = False) -> None:
    """Blank lines part paragraphs. Headings get their level by the order in which their underlines first appear."""
    writer = ParagraphWriter(blocks, in_message=in_message)
    paragraph: Lines = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            paragraph.append((number, line))
        else:
            writer.paragraph(paragraph)
            paragraph = []


def unwrap(lines: list[str]) -> str:
    """Joins lines that a program broke at its margin; lines broken on purpose stay, with their indentation."""
    stripped = [line.strip() for line in lines]
    if len(stripped) < 2 or any(len(line) < WRAPPED_CHARACTERS_MIN for line in stripped[:-1]):
        return textwrap.dedent("\n".join(line.rstrip() for line in lines))
    return flow(stripped)


class ParagraphWriter:
    """Remembers the underlines seen so far. In a message lines are not counted and nothing is a heading."""

    def __init__(
        self, blocks: BlockList, *, in_message: bool = False, join: Callable[[list[str]], str] = unwrap
    ) -> None:
        self._blocks = blocks
        self._in_message = in_message
        self._join = join
        self._levels: dict[str, int] = {}

    def paragraph(self, lines: Lines) -> None:
        if not self._in_message:
            lines = self._heading(lines)
        for group in _split_items(lines):
            texts = [text for _, text in group]
            kind = BlockKind.LIST_ITEM if _ITEM.match(texts[0]) else BlockKind.PARAGRAPH
            self._blocks.add(kind, self._join(texts), line=None if self._in_message else group[0][0])

    def _heading(self, lines: Lines) -> Lines:
        """Takes `Title` over `=====` off the front, with a line above it where there is one."""
        rest = lines
        if len(rest) >= 3 and _is_underline(rest[0][1]) and rest[0][1].strip() == rest[2][1].strip():
            rest = rest[1:]
        if len(rest) < 2 or not _is_underline(rest[1][1]) or _is_underline(rest[0][1]):
            return lines
        (number, text), underline = rest[0], rest[1][1].strip()
        if len(text.strip()) > min(len(underline) + 2, HEADING_CHARACTERS_MAX):
            return lines
        mark = ("over" if rest is not lines else "") + underline[0]
        level = self._levels.setdefault(mark, min(len(self._levels) + 1, HEADING_LEVEL_MAX))
        self._blocks.add(BlockKind.HEADING, self._join([text]).strip(), level=level, line=number)
        return rest[2:]


def _is_underline(line: str) -> bool:
    return bool(_UNDERLINE.fullmatch(line.strip()))


def _split_items(lines: Lines) -> list[Lines]:
    """A line with a bullet or number begins a block of its own."""
    groups: list[Lines] = []
    for line in lines:
        if not groups or _ITEM.match(line[1]):
            groups.append([])
        groups[-1].append(line)
    return groups
