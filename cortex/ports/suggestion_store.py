"""Documents whose title or author has a word that begins in some way. Permission is the caller's to check."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.identity import DocumentId, TenantId


class Named(enum.StrEnum):
    """By which of its names a document is looked for."""

    TITLE = "title"
    AUTHOR = "author"


@dataclass(frozen=True, slots=True)
class Candidate:
    """`begins`: one of its words begins as was asked; the others stand beside those, and make up the number."""

    document_id: DocumentId
    begins: bool


class SuggestionStore(Protocol):
    async def candidates(self, tenant: TenantId, named: Named, prefix: str, *, limit: int) -> Sequence[Candidate]:
        """Live, indexed documents: those that begin so, in order of what begins so, and their neighbours after them.

        As many for every prefix, as far as there are documents: their number says nothing of what begins so. At most a
        few of each author. Raises Transient.
        """
        ...
