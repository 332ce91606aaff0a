"""Tables as text: each row a line of `column: value` pairs, so that a row makes sense without its header."""

from collections.abc import Iterable, Sequence

from cortex.domain.document import BlockKind
from services.parse.blocks import BlockList
from services.parse.settings import ParseLimits
from services.parse.text import collapse


def looks_like_header(row: Sequence[str]) -> bool:
    """Named columns, each once, none a number."""
    names = [collapse(cell) for cell in row]
    return all(names) and len(set(names)) == len(names) and not any(_is_number(name) for name in names)


def row_text(header: Sequence[str], row: Sequence[str]) -> str:
    """Empty cells are left out; a cell without a column's name stands alone."""
    pairs = []
    for index, cell in enumerate(row):
        value = collapse(cell)
        name = header[index] if index < len(header) else ""
        if value:
            pairs.append(f"{name}: {value}" if name else value)
    return "; ".join(pairs)


def add_table(
    blocks: BlockList,
    rows: Iterable[tuple[Sequence[str], int | None]],
    *,
    header: Sequence[str],
    limits: ParseLimits,
    page: int | None = None,
) -> None:
    """Groups `rows` (cells, line) into blocks of bounded size, each anchored at its first row."""
    names = [collapse(name) for name in header]
    group: list[str] = []
    characters, first_line = 0, None
    for cells, line in rows:
        text = row_text(names, cells)
        if not text:
            continue
        full = len(group) >= limits.table_rows_per_block or characters + len(text) > limits.block_characters
        if group and full:
            blocks.add(BlockKind.TABLE, "\n".join(group), line=first_line, page=page)
            group, characters = [], 0
        if not group:
            first_line = line
        group.append(text)
        characters += len(text)
    blocks.add(BlockKind.TABLE, "\n".join(group), line=first_line, page=page)


def _is_number(text: str) -> bool:
    return text.strip("+-$€£¥%() ").replace(",", "").replace(".", "").isdigit()
