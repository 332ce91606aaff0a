"""One document in this process: sniff, then the format's module, imported only when it is first needed."""

import importlib
from collections.abc import Callable

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import Exhausted, Invalid
from services.parse.settings import ParseLimits
from services.parse.sniff import sniff
from services.parse.text import clean, collapse

NAME_CHARACTERS_MAX = 200


def parse(data: bytes, *, name: str, mime: str | None = None, limits: ParseLimits) -> ParsedDocument:
    """Pure. Raises Invalid or Exhausted; the message begins with the file's name and ends with the mend."""
    try:
        return _parse(data, name=name, mime=mime, limits=limits)
    except Invalid as error:
        raise Invalid(f"{shown(name)}: {error}") from error
    except Exhausted as error:
        raise Exhausted(f"{shown(name)}: {error}") from error


def shown(name: str) -> str:
    """A file's name as a message may carry it."""
    name = collapse(clean(name))
    return name if len(name) <= NAME_CHARACTERS_MAX else f"{name[:NAME_CHARACTERS_MAX]}…"


def _parse(data: bytes, *, name: str, mime: str | None, limits: ParseLimits) -> ParsedDocument:
    if len(data) > limits.bytes_max:
        raise Exhausted(f"has {len(data):,} bytes, more than {limits.bytes_max:,} (bytes_max); split it")
    found = sniff(data, name=name, mime=mime)
    module = importlib.import_module(f"services.parse.formats.{found}")
    read: Callable[..., ParsedDocument] = module.parse
    try:
        parsed = read(data, name=name, limits=limits)
    except RecursionError as error:
        raise Exhausted("is nested too deep to be read (recursion)") from error
    if not parsed.blocks:
        raise Invalid("holds no text; if it is a scan, run text recognition over it first")
    return parsed
