import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.errors import Bug
from cortex.runtime.supervisor.spec import NodeSpec, RestartPolicy, StepSpec, start_order

NAMES = [f"n{number}" for number in range(8)]


def step(name: str, *needs: str) -> NodeSpec:
    return StepSpec(name=name, run=lambda: asyncio.sleep(0), depends_on=frozenset(needs))


@given(st.integers(1, 10_000), st.floats(0.01, 5), st.floats(5, 60))
def test_delays_grow_and_stay_under_the_cap(failures: int, first_delay_s: float, delay_s_max: float) -> None:
    policy = RestartPolicy(first_delay_s=first_delay_s, delay_s_max=delay_s_max)
    assert first_delay_s <= policy.delay_s(failures) <= policy.delay_s(failures + 1) <= delay_s_max


@given(st.data())
def test_every_dependency_comes_first(data: st.DataObject) -> None:
    needs = {
        name: data.draw(st.sets(st.sampled_from(NAMES[:at])) if at else st.just(set())) for at, name in enumerate(NAMES)
    }
    order = start_order([step(name, *needs[name]) for name in data.draw(st.permutations(NAMES))])
    assert sorted(order) == NAMES
    assert all(order.index(needed) < order.index(name) for name in NAMES for needed in needs[name])


@pytest.mark.parametrize(
    ("nodes", "complaint"),
    [
        ([step("a", "b"), step("b", "a")], "wait for each other"),
        ([step("a", "x")], "depends on x"),
        ([step("a"), step("a")], "two processes"),
    ],
)
def test_graphs_that_could_never_start_are_refused(nodes: list[NodeSpec], complaint: str) -> None:
    with pytest.raises(Bug, match=complaint):
        start_order(nodes)
