"""Chooses loopback ports, and keeps those of the last start so that addresses stay the same."""

import random
import socket
from collections.abc import Iterable, Mapping

from cortex.adapters.processes import listener_on
from cortex.domain.errors import Conflict, Exhausted

# Below the range from which systems take the near end of outgoing connections: there, the port of a server that
# is being restarted could be lost to any client, and a client that retries could even connect to itself.
FIRST_PORT = 20_000
LAST_PORT = 31_999


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the servers do: connections of an earlier life that still fade out do not matter.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose(
    names: Iterable[str], *, fixed: Mapping[str, int], earlier: Mapping[str, int], source: random.Random
) -> dict[str, int]:
    """A port for each name: the fixed one, else the earlier one if it is still free, else a free one."""
    chosen: dict[str, int] = {}
    for name in names:
        if name in fixed:
            chosen[name] = _fixed(name, fixed[name])
            continue
        taken = {*chosen.values(), *fixed.values()}
        port = earlier.get(name, 0)
        chosen[name] = port if port and port not in taken and is_free(port) else _free(taken, source)
    return chosen


def _fixed(name: str, port: int) -> int:
    if is_free(port):
        return port
    holder = listener_on(port) or "another process"
    option = "--port" if name == "gateway" else f"--ports {name}="
    raise Conflict(f"port {port}, wanted for {name}, is taken by {holder}: stop it or choose another with {option}")


def _free(taken: set[int], source: random.Random) -> int:
    for _ in range(200):
        port = source.randint(FIRST_PORT, LAST_PORT)
        if port not in taken and is_free(port):
            return port
    raise Exhausted(f"no free port found between {FIRST_PORT} and {LAST_PORT}")
