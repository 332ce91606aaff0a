"""Fields at the head of a plain text: `Title: ...` as in mail and PEPs, `:Title: ...` as in reStructuredText."""

import email.utils
import re
from collections.abc import Mapping, Sequence

FIELDS_MIN = 2
_FIELD = re.compile(r":?(?P<name>[A-Za-z][A-Za-z -]{0,30}):(?:\s+(?P<value>\S.*))?")
_TITLE = ("title", "subject")
_AUTHOR = ("author", "authors", "from")


def leading_fields(lines: Sequence[str]) -> Mapping[str, str]:
    """By name, where the first paragraph is nothing else; lines that are indented go on with their field."""
    fields: dict[str, str] = {}
    name = ""
    for line in _first_paragraph(lines):
        found = _FIELD.fullmatch(line.rstrip())
        if found:
            name = found["name"]
            fields.setdefault(name, found["value"] or "")
        elif name and line[:1].isspace():
            fields[name] = f"{fields[name]} {line.strip()}".strip()
        else:
            return {}
    return fields if len(fields) >= FIELDS_MIN else {}


def title_of(fields: Mapping[str, str]) -> str | None:
    return next(iter(_values(fields, _TITLE)), None)


def author_of(fields: Mapping[str, str]) -> str | None:
    """The first address; a name alone is nobody's."""
    addresses = email.utils.getaddresses(_values(fields, _AUTHOR))
    return next((address.lower() for _, address in addresses if "@" in address), None)


def _values(fields: Mapping[str, str], names: Sequence[str]) -> list[str]:
    """Of those of the names that have one, in the order of the names."""
    folded = {name.lower(): value for name, value in fields.items()}
    return [folded[name] for name in names if folded.get(name)]


def _first_paragraph(lines: Sequence[str]) -> Sequence[str]:
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    end = next((n for n in range(start, len(lines)) if not lines[n].strip()), len(lines))
    return lines[start:end]
