"""Bounds of the embed gateway, each by name."""

from dataclasses import dataclass, field
from pathlib import Path

from cortex.domain.embedding_engine import EmbeddingEngine


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """`workers` is how many texts are in the model at once: as many as there are processors.

    `retry_after_s` is what a caller is told when `passages_waiting_max` or `queries_waiting_max` is reached.
    """

    workers: int = 2
    passages_waiting_max: int = 256
    queries_waiting_max: int = 64
    retry_after_s: float = 0.5


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """`models_dir` holds the built model; `cache_dir` is a folder of our own for dictionaries.

    `engine` embeds instead of the built model, by OpenAI's interface or with `tei` by that of Text Embeddings
    Inference; `tokenizer` counts for it, and where there is none, the built model's. `egress_allowed`: networks that
    any address may lie in.
    """

    models_dir: Path
    cache_dir: Path
    default_language: str = "en"
    query_characters_max: int = 4_000
    passage_characters_max: int = 20_000
    passages_per_call_max: int = 128
    grace_s: float = 5.0
    engine: EmbeddingEngine | None = None
    tei: bool = False
    tokenizer: Path | None = None
    egress_allowed: tuple[str, ...] = ()
    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
