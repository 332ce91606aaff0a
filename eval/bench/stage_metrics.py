"""How long a stage took that askers are not told of: from the gateway's histogram, between two looks at it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eval.bench.asking import Spread

HISTOGRAM = "cortex_gateway_stage_seconds_bucket"
_BUCKET = re.compile(rf'{HISTOGRAM}{{le="(?P<le>[^"]+)",stage="(?P<stage>\w+)"}} (?P<count>[0-9.e+]+)')


@dataclass(frozen=True, slots=True)
class Looked:
    """How often a stage took at most so many seconds."""

    at_most: Mapping[float, int]

    def since(self, before: "Looked") -> "Looked":
        return Looked({bound: count - before.at_most.get(bound, 0) for bound, count in self.at_most.items()})

    def spread(self) -> Spread:
        """Within a bucket as if its times were spread evenly; the highest is the bound of the last bucket in use."""
        count = max(self.at_most.values(), default=0)
        highest = min((bound for bound, number in self.at_most.items() if number == count), default=0.0)
        return Spread(count, self.quantile_ms(0.5), self.quantile_ms(0.95), round(highest * 1000, 1))

    def quantile_ms(self, share: float) -> float:
        wanted = share * max(self.at_most.values(), default=0)
        below_s, below = 0.0, 0
        for bound_s, count in sorted(self.at_most.items()):
            if count >= wanted and count > below:
                if bound_s == float("inf"):
                    return round(below_s * 1000, 1)
                return round((below_s + (bound_s - below_s) * (wanted - below) / (count - below)) * 1000, 1)
            below_s, below = bound_s, count
        return 0.0


def looked(metrics: Iterable[str], stage: str) -> Looked:
    """`metrics`: lines of GET /metrics, which takes an administrator."""
    found = (_BUCKET.fullmatch(line.strip()) for line in metrics)
    return Looked({float(one["le"]): int(float(one["count"])) for one in found if one and one["stage"] == stage})
