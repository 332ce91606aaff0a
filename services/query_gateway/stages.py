"""Where the time of one request went: in its answer, in the metric and in its trace."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from cortex.ports.tracer import Tracer
from services.query_gateway.metrics import Metrics


class Stages:
    """Milliseconds by stage. One that is entered twice adds up, and has two spans.

    What depends on how much the re-check hid is for the metric and the trace alone: `told` False.
    """

    def __init__(self, metrics: Metrics, tracer: Tracer) -> None:
        self._metrics = metrics
        self._tracer = tracer
        self._told_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, *, told: bool = True) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with self._tracer.span(name):
                yield
        finally:
            elapsed_s = time.perf_counter() - started
            if told:
                self._told_ms[name] = self._told_ms.get(name, 0.0) + elapsed_s * 1000
            self._metrics.stage(name, elapsed_s)

    def told_ms(self) -> dict[str, float]:
        """What the asker is told."""
        return {name: round(spent, 2) for name, spent in self._told_ms.items()}
