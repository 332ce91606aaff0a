"""Spans: one trace follows a document from fetch to index, another a question to its answer, across processes."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol


class Span(Protocol):
    """Attributes are names, ids, states and counts; never content, and what was asked is content."""

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits, the same in every process that the trace comes through."""
        ...

    def rename(self, name: str) -> None: ...

    def note(self, **attributes: str | int) -> None: ...


class Tracer(Protocol):
    """A span is the current one within its block, and lasts as long. An exception marks it by its type alone.

    Tracing never fails and never waits: what cannot be exported is dropped.
    """

    def span(self, name: str, **attributes: str | int) -> AbstractContextManager[Span]:
        """A part of the current span's work."""
        ...

    def serving(self, headers: Mapping[str, str], name: str, **attributes: str | int) -> AbstractContextManager[Span]:
        """A request's: goes on with the trace that its headers carry, or begins one."""
        ...
