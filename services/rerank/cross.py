"""A cross-encoder within a budget: under load it reads fewer passages, rather than letting askers wait."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cortex.ports.reranker import CrossEncoder
from services.rerank.settings import CrossSettings


class Budgeted:
    """Reads the first passages, as many as are allowed while so many are in the model already."""

    def __init__(self, encoder: CrossEncoder, settings: CrossSettings) -> None:
        self._encoder = encoder
        self._settings = settings
        self._reading = 0

    async def score(self, query: str, passages: Sequence[str]) -> list[float | None]:
        """One score a passage, in order; None for those at the end that there was no room for."""
        room = self.room(self._reading)
        some = passages[:room]
        if not some:
            return [None] * len(passages)
        with self._counted(len(some)):
            scores = await self._encoder.score(query, some)
        return [*scores, *[None] * (len(passages) - len(some))]

    def room(self, reading: int) -> int:
        """All while the load is light, then what is left of `reading_max`, and below `passages_min` nothing."""
        settings = self._settings
        left = min(settings.passages_max, settings.reading_max - reading)
        return left if left >= settings.passages_min else 0

    @contextmanager
    def _counted(self, passages: int) -> Iterator[None]:
        self._reading += passages
        try:
            yield
        finally:
            self._reading -= passages
