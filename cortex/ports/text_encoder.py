"""One text at a time through a model, on the caller's thread."""

from typing import Protocol

from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding


class TextEncoder(Protocol):
    """Blocking, and safe to call from several threads. Equal texts give equal bytes. Invalid for an empty text."""

    @property
    def model(self) -> ModelCard: ...

    def encode_passage(self, text: str) -> PassageEncoding: ...

    def encode_query(self, text: str) -> QueryEncoding: ...
