"""Quantiles from the gateway's own histogram."""

from prometheus_client import CollectorRegistry, generate_latest

from eval.bench.asking import Spread
from eval.bench.stage_metrics import looked
from services.query_gateway.metrics import Metrics


def test_what_came_between_two_looks_is_what_counts() -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    metrics.stage("recheck", 4.0)
    before = looked(generate_latest(registry).decode().splitlines(), "recheck")
    for elapsed_s in (0.003, 0.003, 0.003, 0.02):
        metrics.stage("recheck", elapsed_s)
    metrics.stage("search", 1.0)
    after = looked(generate_latest(registry).decode().splitlines(), "recheck")
    found = after.since(before).spread()
    assert (found.count, found.max_ms) == (4, 25.0)
    assert 2.0 < found.p50_ms <= 5.0
    assert 10.0 < found.p95_ms <= 25.0


def test_a_stage_that_nobody_entered_took_no_time() -> None:
    assert looked([], "recheck").spread() == Spread(0, 0.0, 0.0, 0.0)
