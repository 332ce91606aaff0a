"""Markdown (CommonMark with tables) and its YAML front matter. Text is stored as it reads, without marks."""

import re
from collections.abc import Iterator, Sequence

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from cortex.domain.document import BlockKind, ParsedDocument
from services.parse.blocks import BlockList
from services.parse.settings import ParseLimits
from services.parse.tables import add_table
from services.parse.text import clean, collapse, decode, flow
from services.parse.times import rfc3339

FRONT_MATTER_CHARACTERS_MAX = 16_384
NESTING_MAX = 100

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_UNREAD = ""
_TAG = re.compile(r"<[^>]{0,500}>")


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    decoded = decode(data)
    text = clean(decoded.text)
    warnings = list(decoded.warnings)
    matter, body, lines_before = split_front_matter(text, warnings)
    blocks = BlockList(limits)
    blocks.add(BlockKind.CODE, matter.pop(_UNREAD, ""), line=2)
    # The parser recurses several frames a level.
    nesting = min(limits.depth_max, NESTING_MAX)
    parser = MarkdownIt("commonmark", {"maxNesting": nesting}).enable(["table", "strikethrough"])
    tokens = parser.parse(body)
    if any(token.level >= nesting - 1 for token in tokens):
        warnings.append(f"nested more than {nesting} deep; what is deeper was left out")
    _Writer(blocks, limits, lines_before).write(tokens)
    return ParsedDocument(
        blocks.all(),
        title=matter.get("title") or blocks.title(),
        author=matter.get("author"),
        created_at=rfc3339(matter.get("created") or matter.get("date")),
        updated_at=rfc3339(matter.get("updated")),
        url=matter.get("url"),
        warnings=tuple(warnings),
    )


def split_front_matter(text: str, warnings: list[str]) -> tuple[dict[str, str], str, int]:
    """Its top-level texts, the rest, and how many lines were cut.

    What is YAML but not a mapping stays in the text; what is not YAML stands whole under the key `_UNREAD`.
    """
    found = _FRONT_MATTER.match(text[: FRONT_MATTER_CHARACTERS_MAX + 10])
    if not found:
        return {}, text, 0
    try:
        # The base loader makes texts of every scalar, so that no tag constructs anything.
        loaded = yaml.load(found.group(1) or "", Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 2}" if mark else "front matter"
        warnings.append(f"{place}: the front matter is not YAML and was read as text")
        return {_UNREAD: found.group(1)}, text[found.end() :], text[: found.end()].count("\n")
    if not isinstance(loaded, dict):
        return {}, text, 0
    matter = {
        key.lower(): collapse(value)
        for key, value in loaded.items()
        if key and isinstance(key, str) and isinstance(value, str) and collapse(value)
    }
    return matter, text[found.end() :], text[: found.end()].count("\n")


class _Writer:
    """Walks the flat list of tokens; nesting shows only in the stack of open containers."""

    def __init__(self, blocks: BlockList, limits: ParseLimits, lines_before: int) -> None:
        self._blocks = blocks
        self._limits = limits
        self._lines_before = lines_before
        self._open: list[BlockKind] = []
        self._item_mark = ""

    def write(self, tokens: Sequence[Token]) -> None:
        stream = iter(tokens)
        for token in stream:
            match token.type:
                case "list_item_open":
                    self._open.append(BlockKind.LIST_ITEM)
                    self._item_mark = f"{token.info}{token.markup} " if token.info else ""
                case "blockquote_open":
                    self._open.append(BlockKind.QUOTE)
                case "list_item_close" | "blockquote_close":
                    self._open.pop()
                case "heading_open":
                    content = next(stream)
                    level = int(token.tag[1:])
                    self._blocks.add(BlockKind.HEADING, inline_text(content), level=level, line=self._line(token))
                case "paragraph_open":
                    self._paragraph(token, inline_text(next(stream)))
                case "fence" | "code_block":
                    self._blocks.add(BlockKind.CODE, token.content, line=self._line(token))
                case "html_block":
                    self._html(token)
                case "table_open":
                    self._table(stream)

    def _line(self, token: Token) -> int | None:
        return token.map[0] + 1 + self._lines_before if token.map else None

    def _paragraph(self, token: Token, text: str) -> None:
        """The first paragraph of a numbered item keeps the number: `see step 3` must stay findable."""
        kind = self._open[-1] if self._open else BlockKind.PARAGRAPH
        mark, self._item_mark = self._item_mark, ""
        self._blocks.add(kind, f"{mark}{text}" if text else "", line=self._line(token))

    def _table(self, stream: Iterator[Token]) -> None:
        rows: list[tuple[list[str], int | None]] = []
        for token in stream:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append(([], self._line(token)))
            elif token.type == "inline":
                rows[-1][0].append(inline_text(token))
        if len(rows) > 1:
            add_table(self._blocks, rows[1:], header=rows[0][0], limits=self._limits)
        else:
            add_table(self._blocks, rows, header=[], limits=self._limits)

    def _html(self, token: Token) -> None:
        """HTML within Markdown; comments alone need no HTML parser."""
        if not _TAG.sub("", re.sub(r"<!--.*?-->", "", token.content, flags=re.S)).strip():
            return
        from services.parse.formats.html import add_tree, visible_tree

        root = visible_tree(token.content)
        add_tree(self._blocks, root, limits=self._limits, line_offset=(self._line(token) or 1) - 1)


def inline_text(token: Token) -> str:
    """As it reads: link texts, code without ticks, alternative texts of images; line breaks only where asked for."""
    parts: list[str] = []
    for child in token.children or []:
        match child.type:
            case "text" | "code_inline" | "image":
                parts.append(child.content)
            case "hardbreak" | "softbreak":
                parts.append("\n")
            case "html_inline" if child.content.lower().startswith("<br"):
                parts.append("\n")
    return _join_lines("".join(parts), hard=any(child.type == "hardbreak" for child in token.children or []))


def _join_lines(text: str, *, hard: bool) -> str:
    """A soft break is a space, or nothing between Chinese or Japanese characters."""
    return text if hard else flow(text.split("\n"))
