"""What the models process offers the hot path: a question's vectors, and finer scores of candidates."""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.identity import TenantId
from cortex.domain.query import EncodedQuery
from cortex.ports.reranker import Late


class QueryModels(Protocol):
    """All calls raise Transient when the process is out of reach and Exhausted when it refuses the work."""

    async def encode_query(self, tenant: TenantId, text: str) -> EncodedQuery:
        """Terms, language, and where the model could be asked, its vectors. Equal texts give equal encodings."""
        ...

    async def score(
        self, tenant: TenantId, *, query: EncodedQuery, embedded_sha256s: Sequence[str], groups: Sequence[int] = ()
    ) -> Late:
        """Late interaction as Reranker gives it."""
        ...

    async def score_texts(self, tenant: TenantId, *, query: str, passages: Sequence[str]) -> list[float | None]:
        """One score of the cross-encoder a passage, in order; None where its budget left one out.

        Invalid where none is configured.
        """
        ...
