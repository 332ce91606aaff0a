"""Where the time of one request went."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from services.query_gateway.metrics import Metrics


class Stages:
    """Milliseconds by stage, for the answer and for the metric. A stage that is entered twice adds up."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._spent_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            elapsed_s = time.perf_counter() - started
            self._spent_ms[name] = self._spent_ms.get(name, 0.0) + elapsed_s * 1000
            self._metrics.stage(name, elapsed_s)

    def spent_ms(self) -> dict[str, float]:
        return {name: round(spent, 2) for name, spent in self._spent_ms.items()}
