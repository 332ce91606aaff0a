"""A document's headings as sections: what stands under one heading path, before the next heading."""

from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.document import Block, BlockKind

LEVEL_NONE = 7


@dataclass(frozen=True, slots=True)
class Section:
    """`path` holds the headings above, outermost first; `level` is the highest of those opened since the last section.

    A heading with nothing below it is a section whose only block is the heading, so that it can be found.
    """

    path: tuple[Block, ...]
    level: int
    blocks: tuple[Block, ...]


def sections(blocks: Sequence[Block]) -> list[Section]:
    reader = _Reader()
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            reader.heading(block)
        else:
            reader.body(block)
    reader.close(level=0)
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found: list[Section] = []
        self._path: list[Block] = []
        # How many of the outermost headings in the path have something below them.
        self._used = 0
        self._level = LEVEL_NONE
        self._blocks: list[Block] = []

    def heading(self, block: Block) -> None:
        level = block.level or 1
        self.close(level=level)
        self._path.append(block)
        self._level = min(self._level, level)

    def body(self, block: Block) -> None:
        self._blocks.append(block)

    def close(self, *, level: int) -> None:
        """Ends the open section, then the headings of `level` and deeper."""
        if self._blocks:
            self._emit(tuple(self._blocks))
            self._blocks = []
        while self._path and (self._path[-1].level or 1) >= level:
            heading = self._path.pop()
            if self._used <= len(self._path):
                self._emit((heading,))
            self._used = min(self._used, len(self._path))

    def _emit(self, blocks: tuple[Block, ...]) -> None:
        self.found.append(Section(tuple(self._path), self._level, blocks))
        self._used = len(self._path)
        self._level = LEVEL_NONE
