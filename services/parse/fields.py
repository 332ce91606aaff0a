"""Fields at the head of a plain text: `Title: ...` as in mail and PEPs, `:Title: ...` as in reStructuredText."""

import email.utils
import re
from collections.abc import Mapping, Sequence

FIELDS_MIN = 2
_FIELD = re.compile(r":?(?P<name>[A-Za-z][A-Za-z -]{0,30}):(?:\s+(?P<value>\S.*))?")
_TITLE = ("title", "subject")
_AUTHOR = ("author", "authors", "from")


def leading_fields(lines: Sequence[str]) -> Mapping[str, str]:
    """By lower-case name, where the first paragraph is nothing else; lines that are indented go on with their field."""
    fields: dict[str, str] = {}
    name = ""
    for line in _first_paragraph(lines):
        found = _FIELD.fullmatch(line.rstrip())
        if found:
            name = found["name"].lower()
            fields.setdefault(name, found["value"] or "")
        elif name and line[:1].isspace():
            fields[name] = f"{fields[name]} {line.strip()}".strip()
        else:
            return {}
    return fields if len(fields) >= FIELDS_MIN else {}


def title_of(fields: Mapping[str, str]) -> str | None:
    return next((fields[name] for name in _TITLE if fields.get(name)), None)


def author_of(fields: Mapping[str, str]) -> str | None:
    """The first address; a name alone is nobody's."""
    addresses = email.utils.getaddresses([fields[name] for name in _AUTHOR if fields.get(name)])
    return next((address.lower() for _, address in addresses if "@" in address), None)


def _first_paragraph(lines: Sequence[str]) -> Sequence[str]:
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    end = next((n for n in range(start, len(lines)) if not lines[n].strip()), len(lines))
    return lines[start:end]
