from eval.bench.load import RECHECK, Measured, Percentiles, percentiles


def test_percentiles_are_values_that_were_measured() -> None:
    found = percentiles([float(n) for n in range(1, 101)])
    assert (found.count, found.p50, found.p95, found.p99) == (100, 51.0, 96.0, 100.0)
    one = percentiles([7.0])
    assert (one.p50, one.p95, one.p99) == (7.0, 7.0, 7.0)


def test_what_failed_is_no_answer() -> None:
    measured = Measured()
    measured.add({"auth": 1.0})
    measured.fail("Transient: away")
    measured.fail("Transient: away")
    assert (measured.answers, dict(measured.failures)) == (1, {"Transient: away": 2})
    measured.recheck = Percentiles(1, 2.0, 3.0, 4.0)
    assert (measured.by_stage()["auth"].count, measured.by_stage()[RECHECK].p99) == (1, 4.0)
