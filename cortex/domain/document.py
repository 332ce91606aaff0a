"""A document's revision as a list of numbered blocks, and anchors that point into them."""

import enum
from dataclasses import dataclass, field


class BlockKind(enum.StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    CODE = "code"
    TABLE = "table"
    QUOTE = "quote"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, table or message. `block_id` is its position in the revision, from 0.

    `text` is the stored (redacted) text; anchors count code points of it. `level` is a heading's depth, 1 to 6.
    """

    block_id: int
    kind: BlockKind
    text: str
    level: int | None = None
    page: int | None = None
    line: int | None = None
    message_id: str | None = None
    second: float | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A span of one block of one revision: code points `start` to `end` (exclusive) of its stored text."""

    revision: int
    block_id: int
    start: int
    end: int
    page: int | None = None
    line: int | None = None
    message_id: str | None = None
    second: float | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser makes of bytes. `title` only where the bytes carry one; `warnings` are for the administrator."""

    blocks: tuple[Block, ...]
    title: str | None = None
    author: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    url: str | None = None
    warnings: tuple[str, ...] = field(default=())
