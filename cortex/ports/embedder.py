"""Texts to dense and token vectors."""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding


class Embedder(Protocol):
    """Deterministic: equal texts give equal bytes, whatever else is encoded beside them.

    Texts beyond `model.tokens_max` are truncated at the end. Calls may run concurrently; queries go before passages
    that have not started. A cancelled call frees its place in the queue. Errors: Transient with `retry_after_s` when
    the queue is full, Exhausted for a batch that could never fit, Invalid for an empty text.
    """

    @property
    def model(self) -> ModelCard:
        """What made the vectors: they are comparable under an equal `model.key` alone."""

    async def encode_passages(self, texts: Sequence[str]) -> list[PassageEncoding]:
        """One encoding a text, in order."""

    async def encode_query(self, text: str) -> QueryEncoding: ...
