"""CSV and TSV: rows of `column: value` in bounded groups."""

import csv
import io
from collections.abc import Iterator

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import Invalid
from services.parse.blocks import BlockList
from services.parse.settings import ParseLimits
from services.parse.tables import add_table, looks_like_header
from services.parse.text import clean, decode

DELIMITERS = (",", "\t", ";", "|")
SAMPLE_LINES = 50

Row = tuple[list[str], int]


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    decoded = decode(data)
    text = clean(decoded.text)
    rows = _rows(text, _delimiter(text))
    first = next(rows, None)
    blocks = BlockList(limits)
    if first and looks_like_header(first[0]):
        add_table(blocks, rows, header=first[0], limits=limits)
        if not blocks:
            add_table(blocks, [first], header=[], limits=limits)
    elif first:
        header = [f"column {number}" for number in range(1, len(first[0]) + 1)]
        add_table(blocks, _chain(first, rows), header=header, limits=limits)
    return ParsedDocument(blocks.all(), warnings=decoded.warnings)


def _chain(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    """Rows that hold something, with the line on which each begins."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield row, begins
            begins = reader.line_num + 1
    except csv.Error as error:
        raise Invalid(f"line {begins}: is not a row of a table ({error}); close its quotes") from error


def _delimiter(text: str) -> str:
    """The one that parts most of the first lines into the same number of cells, more than one."""
    sample = "\n".join(text.split("\n", SAMPLE_LINES)[:SAMPLE_LINES])

    def fitness(delimiter: str) -> tuple[int, int]:
        widths = []
        try:
            widths = [len(row) for row, _ in _rows(sample, delimiter)]
        except Invalid:
            return 0, 0
        usual = max(set(widths), key=lambda width: (widths.count(width), width), default=0)
        return (widths.count(usual), usual) if usual > 1 else (0, 0)

    return max(DELIMITERS, key=fitness)
