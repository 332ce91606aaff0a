import pytest

from eval.bench.load import RETRIEVAL_STAGES, Measured, in_all, percentiles


def test_percentiles_are_values_that_were_measured() -> None:
    found = percentiles([float(n) for n in range(1, 101)])
    assert (found.count, found.p50, found.p95, found.p99) == (100, 51.0, 96.0, 100.0)
    one = percentiles([7.0])
    assert (one.p50, one.p95, one.p99) == (7.0, 7.0, 7.0)


def test_retrieval_is_what_comes_before_generation() -> None:
    stages = dict.fromkeys(RETRIEVAL_STAGES, 2.0) | {"generate": 50.0}
    assert in_all(stages) == pytest.approx(2.0 * len(RETRIEVAL_STAGES))
    assert in_all({"auth": 1.0}) == 1.0


def test_what_failed_is_no_answer() -> None:
    measured = Measured()
    measured.add({"auth": 1.0})
    measured.fail("Transient: away")
    measured.fail("Transient: away")
    assert (measured.answers, dict(measured.failures)) == (1, {"Transient: away": 2})
    assert measured.by_stage()["auth"].count == 1
