"""Bounds of the embed gateway, each by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_ADDRESS = "127.0.0.1:8600"
COLLECTION_ALIAS = "chunks"
"""Under which name the gateway finds the collection of the model in use."""


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

    `average_terms` is that of the collection that is written to, in terms a passage. `internal_key` signs calls between
    the platform's processes; only a gateway that is a process of its own needs it here.
    """

    models_dir: Path
    cache_dir: Path
    address: str = DEFAULT_ADDRESS
    default_language: str = "en"
    average_terms: float = 70.0
    query_characters_max: int = 4_000
    passage_characters_max: int = 20_000
    passages_per_call_max: int = 128
    grace_s: float = 5.0
    internal_key: str = field(default="", repr=False)
    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "EmbedSettings":
        data = Path(environment.get("CORTEX_DATA", ".cortex"))
        return cls(
            models_dir=Path(environment.get("CORTEX_MODELS_DIR", data / "models")),
            cache_dir=data / "cache",
            address=environment.get("CORTEX_MODELS_URL", DEFAULT_ADDRESS).removeprefix("grpc://"),
            internal_key=environment.get("CORTEX_INTERNAL_KEY", ""),
        )
