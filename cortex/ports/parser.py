"""Turning a file's bytes into blocks."""

from typing import Protocol

from cortex.domain.document import ParsedDocument


class Parser(Protocol):
    """Deterministic for one version of the code: equal bytes, name and mime give equal blocks.

    Raises Invalid (broken, encrypted, empty, lying or unsupported: skip it), Exhausted (a named limit of size, depth,
    time or memory was reached) or Bug (the parser failed in a way nobody foresaw), each of this document alone; and
    Transient when there is no room to parse anything at the moment.
    """

    async def parse(self, data: bytes, *, name: str, mime: str | None = None) -> ParsedDocument:
        """`name` is the file's name (its extension counts); `mime` is what the source declared, if it did."""
