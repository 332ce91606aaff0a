"""Documents whose title or author has a word that begins in some way. Permission is the caller's to check."""

import enum
from collections.abc import Sequence
from typing import Protocol

from cortex.domain.identity import DocumentId, TenantId


class Named(enum.StrEnum):
    """By which of its names a document is looked for."""

    TITLE = "title"
    AUTHOR = "author"


class SuggestionStore(Protocol):
    async def beginning(self, tenant: TenantId, named: Named, prefix: str, *, limit: int) -> Sequence[DocumentId]:
        """Of live, indexed documents, in order of what begins so; at most a few of each author. Raises Transient."""
        ...
