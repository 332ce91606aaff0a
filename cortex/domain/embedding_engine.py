"""A model that embeds behind HTTP, as its operator declares it."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from cortex.domain.encoding import ModelCard


@dataclass(frozen=True, slots=True)
class Declared:
    """What decides about the vectors: two declarations that differ make vectors that are not compared.

    `query_prefix` and `passage_prefix` stand before each text, where the model was trained so. Texts are cut to
    `tokens_max`, prefix included.
    """

    model: str
    revision: str
    dimensions: int
    tokens_max: int = 512
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class EmbeddingEngine:
    """Where it answers, and how it is asked. `url` is the base of its interface; `key` is sent as a bearer token.

    `batch` is how many passages one request holds, `batches` how many of them are under way at once. A request ends
    after `timeout_s`; one for passages is sent at most `tries` times before whoever asked is told to come back.
    """

    url: str
    declared: Declared
    languages: frozenset[str]
    key: str = field(default="", repr=False)
    batch: int = 32
    batches: int = 2
    timeout_s: float = 30.0
    tries: int = 4
    passages_waiting_max: int = 256
    queries_waiting_max: int = 64

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def card(self) -> ModelCard:
        """No file of weights is at hand: the hash is that of the declaration."""
        declared = self.declared
        return ModelCard(
            name=declared.model,
            revision=declared.revision,
            sha256=declared.sha256,
            dimensions=declared.dimensions,
            tokens_max=declared.tokens_max,
            languages=self.languages,
        )
