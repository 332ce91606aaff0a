"""`python -m tests.faults.air_gap`: the demo on a machine that reaches nothing but itself. Linux, as root.

In a network namespace of its own with loopback alone, the demo must answer as ever, every socket must listen on
loopback, and nothing may even try another address: the kernel counts packets for which there is no route.
"""

import argparse
import ctypes
import fcntl
import ipaddress
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.postgres_home import remove_home

CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1
ELSEWHERE = ("192.0.2.1", 9)  # an address for documentation: nobody's
SAMPLE_S = 0.5


@dataclass(slots=True)
class Watch:
    """What listens or is connected anywhere but on loopback, looked up again and again."""

    strangers: set[str] = field(default_factory=set)
    listening: set[int] = field(default_factory=set)
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self.stop.wait(SAMPLE_S):
            for connection in psutil.net_connections(kind="inet"):
                for host, port in filter(None, (tuple(connection.laddr), tuple(connection.raddr))):
                    if not is_loopback(str(host)):
                        self.strangers.add(f"{connection.status} {host}:{port}")
                    elif connection.status == psutil.CONN_LISTEN:
                        self.listening.add(int(str(port)))


def is_loopback(host: str) -> bool:
    address = ipaddress.ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def cut_off() -> None:
    """This process and its children get a network of their own, of which loopback is all. Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no network namespace: {os.strerror(number)}; run this as root on Linux")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        name = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(control, SIOCGIFFLAGS, name), 16)
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def packets_without_route() -> int:
    """That this network's processes have tried to send, in either version of IP."""
    names, values = (line.split() for line in _lines("/proc/self/net/snmp") if line.startswith("Ip:"))
    counted = int(dict(zip(names, values, strict=True))["OutNoRoutes"])
    return counted + sum(int(line.split()[1]) for line in _lines("/proc/self/net/snmp6") if "Ip6OutNoRoutes" in line)


def _lines(path: str) -> Sequence[str]:
    return Path(path).read_text(encoding="ascii").splitlines()


def demo(data: Path, port: int, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", "from cortex.cli import main; main()", "demo", "--once", "--json"]
    argv += ["--data", str(data), "--port", str(port)]
    return subprocess.run(argv, env=environment, stdout=subprocess.PIPE, text=True, check=False)


def problems_of(done: subprocess.CompletedProcess[str], watch: Watch, tried: int) -> list[str]:
    problems = [f"not on loopback: {stranger}" for stranger in sorted(watch.strangers)]
    if tried:
        problems.append(f"{tried} packets were meant for somewhere else")
    if not watch.listening:
        problems.append("nothing was seen to listen: the watch did not work")
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        return [*problems, f"the demo ended with {done.returncode}"]
    found = json.loads(lines[-1])
    wrong = [question["id"] for question in found["questions"] if question["problems"]]
    print(f"{len(found['questions']) - len(wrong)} of {len(found['questions'])} answers as expected,")
    print(f"{len(watch.listening)} ports on loopback, up in {found['boot_s']} s, loaded in {found['ingest_s']} s")
    return problems + [f"not answered as expected: {identifier}" for identifier in wrong]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.air_gap", description=__doc__)
    parser.add_argument("--port", type=int, default=18083)
    arguments = parser.parse_args()
    cut_off()
    with socket.socket() as outside:
        if outside.connect_ex(ELSEWHERE) == 0:
            print("this network is not cut off")
            return 1
    before, watch = packets_without_route(), Watch()
    watching = threading.Thread(target=watch.run)
    watching.start()
    with tempfile.TemporaryDirectory(prefix="cortex-air-gap-") as folder:
        done = demo(Path(folder), arguments.port, dict(os.environ))
        remove_home(DataFolder(Path(folder)))  # Postgres's data lies elsewhere where root starts it
    watch.stop.set()
    watching.join()
    problems = problems_of(done, watch, packets_without_route() - before)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
