import random
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.errors import Conflict
from cortex.runtime.local.ports import FIRST_PORT, LAST_PORT, choose


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def some(seed: int = 1) -> random.Random:
    return random.Random(seed)


@given(st.integers())
def test_ports_differ_and_stay_out_of_the_range_of_outgoing_connections(seed: int) -> None:
    ports = choose(list("abcdef"), fixed={}, earlier={}, source=some(seed))
    assert len({*ports.values()}) == 6
    assert all(FIRST_PORT <= port <= LAST_PORT for port in ports.values())


def test_an_earlier_port_is_kept_while_it_is_free(taken: int) -> None:
    earlier = choose(["a"], fixed={}, earlier={}, source=some(2))
    assert choose(["a"], fixed={}, earlier=earlier, source=some(3)) == earlier
    assert choose(["a"], fixed={}, earlier={"a": taken}, source=some(3))["a"] != taken


def test_two_processes_never_get_one_port() -> None:
    port = choose(["a"], fixed={}, earlier={}, source=some(4))["a"]
    both = choose(["a", "b"], fixed={"b": port}, earlier={"a": port}, source=some(5))
    assert both["b"] == port
    assert both["a"] != port


def test_a_fixed_port_that_is_taken_names_the_holder_and_the_option(taken: int) -> None:
    with pytest.raises(Conflict, match=rf"port {taken}, wanted for nats, is taken by .*pid \d+.*--ports nats="):
        choose(["nats"], fixed={"nats": taken}, earlier={}, source=some())
