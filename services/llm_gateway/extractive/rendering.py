"""A unit as it is said: as it stands, but for rows of tables, and for what is dated because an older text disagrees."""

import re

from cortex.domain.dated import as_of
from services.llm_gateway.extractive.scoring import Scored
from services.llm_gateway.extractive.units import row_cells

# Underlines around one word are part of a name, as in `__init__`.
_MARKUP = re.compile(
    r"(?<!\w)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\w)|(?<!\w)__(?=\S)([^_]+\s[^_]*?)(?<=\S)__(?!\w)|`([^`\n]+)`"
)


def said(one: Scored) -> str:
    """What stands there, with its heads if it is a table's row, without marks of emphasis."""
    text = row(one.unit.text) if one.unit.row else _MARKUP.sub(lambda match: match[match.lastindex or 0], one.unit.text)
    at = one.unit.passage.updated_at
    return f"{as_of(at, one.unit.passage.language)}{text}" if one.dated and at is not None else text


def row(text: str) -> str:
    """`code: E_1; what to do: restart` as `E_1: what to do restart.`; empty cells are left out."""
    cells = [(head.replace("_", " "), value) for head, value in row_cells(text) if value]
    if len(cells) < 2:
        return text
    rest = "; ".join(f"{head} {value}" for head, value in cells[1:])
    head, value = cells[0]
    subject = value if any(map(str.isalpha, value)) else f"{head} {value}"
    return f"{subject}: {rest}" + ("" if rest.endswith((".", "!", "?")) else ".")
