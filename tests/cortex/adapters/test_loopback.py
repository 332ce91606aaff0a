"""Whose connection it is: from the kernel's own table, and from tables as other kernels might write them."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex.adapters.loopback import SocketTable
from cortex.ports.loopback import Connection

HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
ROW = "   0: {local} {remote} {state} 00000000:00000000 00:00000000 00000000  {uid}        0 4242 1\n"
OURS = Connection(client_port=0x1F91, server_port=0x1F90)


@pytest.fixture
def connection() -> Iterator[Connection]:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        with accepted:
            yield Connection(client.getsockname()[1], server.getsockname()[1])


def table(tmp_path: Path, **changed: str) -> SocketTable:
    row = {"local": "0100007F:1F91", "remote": "0100007F:1F90", "state": "01", "uid": "1000"} | changed
    path = tmp_path / "tcp"
    path.write_text(HEADER + ROW.format(**row), encoding="ascii")
    return SocketTable(path, user=1000)


@pytest.mark.skipif(sys.platform != "linux", reason="the table is Linux's")
def test_a_connection_of_our_own_is_known(connection: Connection) -> None:
    assert SocketTable().is_same_user(connection)
    assert not SocketTable(user=os.getuid() + 1).is_same_user(connection)


def test_the_ends_may_not_be_confused(connection: Connection) -> None:
    """The row of the accepting end is ours whoever connects."""
    turned = Connection(client_port=connection.server_port, server_port=1)
    assert not SocketTable().is_same_user(turned)


def test_a_row_of_ours_counts(tmp_path: Path) -> None:
    assert table(tmp_path).is_same_user(OURS)


@pytest.mark.parametrize(
    "changed",
    [
        {"uid": "1001"},
        {"local": "0200007F:1F91"},
        {"local": "0100007F:1F92"},
        {"remote": "0100007F:1F91"},
        {"state": "06"},
    ],
)
def test_any_other_row_does_not(tmp_path: Path, changed: dict[str, str]) -> None:
    assert not table(tmp_path, **changed).is_same_user(OURS)


def test_where_there_is_no_table_nobody_is_the_same(tmp_path: Path) -> None:
    assert not SocketTable(tmp_path / "absent", user=1000).is_same_user(OURS)
