"""Bounds of reranking, each by name."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FrequencySettings:
    """Token frequencies come from a sample, counted anew once the corpus has grown or shrunk by `growth`.

    The corpus is counted at most every `recount_s`; `tenants_max` bounds how many tenants' counts are kept.
    """

    sample_max: int = 1_000
    growth: float = 0.2
    recount_s: float = 30.0
    tenants_max: int = 256


@dataclass(frozen=True, slots=True)
class CrossSettings:
    """`passages_max` a question; `reading_max` at once, in all questions. With less room than `passages_min`, none."""

    passages_max: int = 50
    passages_min: int = 5
    reading_max: int = 150


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """`resident_bytes_max` bounds the stored tokens kept in memory: some 6 KB for a passage of 128 tokens.

    `resident_idle_s_max` bounds how long they stay there unused, and so after an erasure.
    """

    address: str = "127.0.0.1:8601"
    candidates_max: int = 400
    neighbours: int = 8
    resident_bytes_max: int = 64 * 1024 * 1024
    resident_idle_s_max: float = 600.0
    grace_s: float = 5.0
    frequency: FrequencySettings = field(default_factory=FrequencySettings)
    cross: CrossSettings = field(default_factory=CrossSettings)
