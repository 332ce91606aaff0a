"""What passages are about, in words that stand elsewhere in their document: for finding them, never for showing."""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.identity import SourceId, TenantId
from cortex.ports.audit_log import LeavesLine


class Contextualiser(Protocol):
    async def contexts(self, tenant: TenantId, title: str, passages: Sequence[str]) -> list[str]:
        """One for each of a document's passages, in order, in a sentence or two; empty where none could be written.

        A document without context is found as any other, so nothing is raised where no engine answers.
        """
        ...


class ContextSwitch(LeavesLine, Protocol):
    """Whether a source's passages get a context. Raises Transient, and NotFound for a source that is not there."""

    async def contextual(self, tenant: TenantId, source: SourceId) -> bool: ...

    async def set_contextual(self, tenant: TenantId, source: SourceId, *, contextual: bool) -> bool:
        """Whether it was otherwise before. What is stored is made anew, in the background."""
        ...
