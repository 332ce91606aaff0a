"""Collects a document's blocks: cleans, numbers and bounds them."""

from cortex.domain.document import Block, BlockKind
from cortex.domain.errors import Exhausted
from services.parse.settings import ParseLimits
from services.parse.text import clean


class BlockList:
    """Empty texts are dropped, so that numbers have no gaps. Raises Exhausted past the limits.

    `message_id` is given to blocks that have none of their own.
    """

    def __init__(self, limits: ParseLimits, *, message_id: str | None = None) -> None:
        self._limits = limits
        self._message_id = message_id
        self._blocks: list[Block] = []
        self._characters = 0

    def __len__(self) -> int:
        return len(self._blocks)

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int | None = None,
        page: int | None = None,
        line: int | None = None,
        message_id: str | None = None,
    ) -> None:
        """`text` is cleaned here; white space around it goes, but a first line keeps its indentation in code."""
        text = clean(text)
        text = text.rstrip().lstrip("\n") if kind is BlockKind.CODE else text.strip()
        if not text:
            return
        self._characters += len(text)
        if self._characters > self._limits.characters_max:
            raise Exhausted(f"has more than {self._limits.characters_max:,} characters (characters_max); split it")
        if len(self._blocks) >= self._limits.blocks_max:
            raise Exhausted(f"has more than {self._limits.blocks_max:,} blocks (blocks_max); split it")
        block_id = len(self._blocks)
        self._blocks.append(
            Block(block_id, kind, text, level=level, page=page, line=line, message_id=message_id or self._message_id)
        )

    def title(self) -> str | None:
        """A heading at the top, for documents that do not name their title otherwise."""
        return next((block.text for block in self._blocks[:3] if block.kind is BlockKind.HEADING), None)

    def all(self) -> tuple[Block, ...]:
        return tuple(self._blocks)
