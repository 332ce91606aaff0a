"""Source code, JSON, YAML and the like: as it stands, parted at blank lines."""

from cortex.domain.document import BlockKind, ParsedDocument
from services.parse.blocks import BlockList
from services.parse.settings import ParseLimits
from services.parse.text import clean, decode

BLOCK_LINES = 40


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    decoded = decode(data)
    blocks = BlockList(limits)
    group: list[str] = []
    start, characters = 1, 0
    for number, line in enumerate(clean(decoded.text).split("\n"), start=1):
        # At a blank line once the block has some size; anywhere once it is twice as large.
        large = max(len(group) / BLOCK_LINES, characters / limits.block_characters)
        if group and (large >= 2 or (large >= 0.5 and not line.strip())):
            blocks.add(BlockKind.CODE, "\n".join(group), line=start)
            group, characters = [], 0
        if not group:
            if not line.strip():
                continue
            start = number
        group.append(line)
        characters += len(line)
    blocks.add(BlockKind.CODE, "\n".join(group), line=start)
    return ParsedDocument(blocks.all(), warnings=decoded.warnings)
