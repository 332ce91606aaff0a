"""What is noise: bootstrap intervals of means over questions, and of differences of two rankings of the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 20_261_130


@dataclass(frozen=True, slots=True)
class Interval:
    mean: float
    low: float
    high: float

    @property
    def above(self) -> bool:
        """Whether all of it lies above 0."""
        return self.low > 0

    @property
    def below(self) -> bool:
        return self.high < 0

    def rounded(self) -> dict[str, float]:
        return {"mean": round(self.mean, 4), "low": round(self.low, 4), "high": round(self.high, 4)}

    def shown(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def mean_interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """Percentile bootstrap over questions. The same values give the same interval."""
    sample = np.asarray(values, np.float64)
    if not sample.size:
        return Interval(0.0, 0.0, 0.0)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    for n in range(resamples):
        means[n] = sample[generator.integers(0, sample.size, sample.size)].mean()
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(sample.mean()), float(low), float(high))


def paired(better: Mapping[str, float], worse: Mapping[str, float]) -> Interval:
    """Of `better` minus `worse` over the questions that both have."""
    return mean_interval([better[question] - worse[question] for question in sorted(better.keys() & worse.keys())])
