"""A cross-encoder from a local folder, by sentence-transformers (the extra `torch`), in this process."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from cortex.domain.errors import Invalid

BATCH = 16
TOKENS_MAX = 512


class _Model(Protocol):
    def predict(self, pairs: list[tuple[str, str]], *, batch_size: int, show_progress_bar: bool) -> Sequence[float]: ...


class LocalCrossEncoder:
    """Implements CrossEncoder. One call at a time is in the model: it uses every processor by itself."""

    def __init__(self, model: _Model) -> None:
        self._model = model
        self._busy = threading.Lock()

    @classmethod
    def opened(cls, folder: Path) -> "LocalCrossEncoder":
        """Blocking. The folder alone is read: nothing is fetched. Invalid names what is missing."""
        if not (folder / "config.json").is_file():
            raise Invalid(f"{folder}: no config.json; name the folder of a cross-encoder with CORTEX_RERANKER_MODEL")
        try:
            from sentence_transformers import CrossEncoder
        except ModuleNotFoundError as error:
            raise Invalid(f"{error.name} is not installed; a local cross-encoder needs the extra `torch`") from error
        return cls(CrossEncoder(str(folder), max_length=TOKENS_MAX, device="cpu", local_files_only=True))

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        return await asyncio.to_thread(self._score, query, list(passages))

    def _score(self, query: str, passages: list[str]) -> list[float]:
        if not passages:
            return []
        with self._busy:
            pairs = [(query, passage) for passage in passages]
            return [float(score) for score in self._model.predict(pairs, batch_size=BATCH, show_progress_bar=False)]
