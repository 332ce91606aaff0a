"""Bounds of the embed gateway, each by name."""

from dataclasses import dataclass, field
from pathlib import Path


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

    `average_terms` is that of the collection that is written to, in terms a passage.
    """

    models_dir: Path
    cache_dir: Path
    default_language: str = "en"
    average_terms: float = 70.0
    query_characters_max: int = 4_000
    passage_characters_max: int = 20_000
    passages_per_call_max: int = 128
    grace_s: float = 5.0
    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
