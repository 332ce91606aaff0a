"""Counting tokens as the embedder will, without loading its model."""

from collections.abc import Sequence
from typing import Protocol


class TokenCounter(Protocol):
    """Pure, deterministic and safe to call from several threads. Texts are counted whole, never truncated."""

    @property
    def special_tokens(self) -> int:
        """How many tokens the encoder adds to every text; not part of `count`."""

    def count(self, text: str) -> int:
        """Tokens of `text` without the special ones."""

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """For each token its code points of `text`: start, end (exclusive), in order."""
