"""What an administrator sees of the hot path. Counts and times, never content."""

from prometheus_client import CollectorRegistry, Counter, Histogram

_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 5.0, 15.0)


class Metrics:
    """Registers its series with the registry of the process; one object a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._requests = Counter(
            "cortex_gateway_requests", "Requests by route and status.", ["method", "route", "status"], registry=registry
        )
        self._stages = Histogram(
            "cortex_gateway_stage_seconds", "Time by stage.", ["stage"], registry=registry, buckets=_SECONDS
        )
        self._dropped = Counter(
            "cortex_gateway_candidates_dropped", "Candidates hidden, by reason.", ["reason"], registry=registry
        )
        self._degraded = Counter("cortex_gateway_degraded", "Answers without a part.", ["part"], registry=registry)
        self._answers = Counter("cortex_gateway_answers", "Answers by how they ended.", ["outcome"], registry=registry)
        self._unsupported = Counter(
            "cortex_gateway_sentences_unsupported", "Generated sentences dropped as unsupported.", registry=registry
        )
        self._withheld = Counter(
            "cortex_gateway_events_withheld", "Stored parts of answers hidden from a reader.", registry=registry
        )
        self._ratings = Counter("cortex_gateway_feedback", "Ratings of answers.", ["rating"], registry=registry)

    def request(self, *, method: str, route: str, status: int) -> None:
        self._requests.labels(method, route, str(status)).inc()

    def stage(self, name: str, elapsed_s: float) -> None:
        self._stages.labels(name).observe(elapsed_s)

    def dropped(self, reason: str, count: int) -> None:
        self._dropped.labels(reason).inc(count)

    def degraded(self, part: str) -> None:
        self._degraded.labels(part).inc()

    def answered(self, outcome: str) -> None:
        self._answers.labels(outcome).inc()

    def unsupported(self, count: int) -> None:
        self._unsupported.inc(count)

    def withheld(self, count: int) -> None:
        self._withheld.inc(count)

    def rated(self, rating: str) -> None:
        self._ratings.labels(rating).inc()
