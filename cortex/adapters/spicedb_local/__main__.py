"""`python -m cortex.adapters.spicedb_local --port P --key-file F [--schema PATH] (--database-url URL | --empty)`."""

import argparse
import signal
import sys
import threading
import time
from pathlib import Path

from cortex.adapters.spicedb_local.engine import Engine
from cortex.adapters.spicedb_local.library import Library, locate
from cortex.adapters.spicedb_local.replay import load_schema, load_tuples, read_tuples
from cortex.adapters.spicedb_local.server import LocalServer
from cortex.domain.errors import CortexError, Invalid

STOP_GRACE_S = 3.0


def main() -> int:
    parser = _parser()
    arguments = parser.parse_args()
    if arguments.schema is None and not arguments.empty:
        parser.error("--database-url needs --schema")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    try:
        _serve(arguments, stop=stop)
    except CortexError as error:
        sys.stderr.write(f"spicedb: {error}\n")
        return 1
    return 0


def _serve(arguments: argparse.Namespace, *, stop: threading.Event) -> None:
    began = time.monotonic()
    key = _read(arguments.key_file).strip()
    if not key:
        raise Invalid(f"the key file {arguments.key_file} is empty")
    engine = Engine(Library(arguments.library or locate()))
    if arguments.schema is not None:
        load_schema(engine, _read(arguments.schema))
    if arguments.database_url is not None:
        count = load_tuples(engine, read_tuples(arguments.database_url))
        sys.stderr.write(f"spicedb: {count} tuples replayed after {time.monotonic() - began:.2f} s\n")
    server = LocalServer(engine, key=key)
    port = server.start(arguments.port)
    sys.stderr.write(f"spicedb: listening on 127.0.0.1:{port} after {time.monotonic() - began:.2f} s\n")
    stop.wait()
    server.stop(grace_s=STOP_GRACE_S)
    engine.close()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m cortex.adapters.spicedb_local", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="loopback port; bound once everything is loaded")
    parser.add_argument("--key-file", type=Path, required=True, help="file with the preshared key")
    parser.add_argument("--schema", type=Path, help="schema to load")
    parser.add_argument("--library", type=Path, help="the shared library, where it is not found by itself")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--database-url", help="Postgres with the tuples; the password may come from PGPASSWORD")
    source.add_argument("--empty", action="store_true", help="start without tuples: for tests")
    return parser


if __name__ == "__main__":
    sys.exit(main())
