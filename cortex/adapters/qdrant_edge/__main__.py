"""python -m cortex.adapters.qdrant_edge: arguments, signals and exit codes."""

import argparse
import asyncio
import logging
import os
import signal
import stat
import sys
from pathlib import Path

from cortex.adapters.qdrant_edge.graphs import GraphSettings
from cortex.adapters.qdrant_edge.manifest import ManifestDamaged
from cortex.adapters.qdrant_edge.serve import Addresses, CannotServe, EnginePanicked, Settings, run
from cortex.adapters.qdrant_edge.store import DirectoryInUse

# sysexits.h: software, cannot create, temporary failure, configuration.
EXIT_PANIC, EXIT_CANNOT_SERVE, EXIT_IN_USE, EXIT_CONFIGURATION = 70, 73, 75, 78

_GRAPHS_FROM = "build graphs once that many points are outside them; 0: never (default: %(default)s)"
_FLUSH_EVERY = "how much of the log a restart may have to replay, in seconds (default: %(default)s)"
_GRAPHS_EVERY = "how often to look whether graphs are due (default: %(default)s)"

logger = logging.getLogger("cortex.adapters.qdrant_edge")


def read_key(path: Path) -> str:
    """The key in a file that nobody else may read; ValueError says what is wrong with it."""
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ValueError(f"{path} may be read by others: chmod 600 it")
    key = path.read_text().strip()
    if not key or not key.isascii() or not key.isprintable():
        raise ValueError(f"{path} must hold one line of printable ASCII")
    return key


def parse(arguments: list[str]) -> Settings:
    graphs = GraphSettings()
    parser = argparse.ArgumentParser(prog="python -m cortex.adapters.qdrant_edge", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the shards; made if missing")
    parser.add_argument("--port", type=int, required=True, help="gRPC; 0 chooses one")
    parser.add_argument("--http-port", type=int, required=True, help="probes and version; 0 chooses one")
    parser.add_argument("--key-file", type=Path, required=True, help="file (0600) with the API key")
    parser.add_argument("--graphs-from", type=int, default=graphs.points_min, metavar="POINTS", help=_GRAPHS_FROM)
    parser.add_argument("--graphs-every", type=float, default=graphs.interval_s, metavar="SECONDS", help=_GRAPHS_EVERY)
    parser.add_argument("--flush-every", type=float, default=5.0, metavar="SECONDS", help=_FLUSH_EVERY)
    parser.add_argument("--host", default="127.0.0.1", help="address to bind (default: %(default)s)")
    parsed = parser.parse_args(arguments)
    return Settings(
        data=parsed.data,
        port=parsed.port,
        http_port=parsed.http_port,
        key=read_key(parsed.key_file),
        host=parsed.host,
        flush_interval_s=parsed.flush_every,
        graphs=GraphSettings(points_min=parsed.graphs_from, interval_s=parsed.graphs_every),
    )


def _announce(addresses: Addresses) -> None:
    logger.info("ready: grpc %s http %s", addresses.grpc, addresses.http)


async def _serve(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await run(settings, ready=_announce, stop=stop)


def main(arguments: list[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    os.umask(0o077)
    try:
        asyncio.run(_serve(parse(arguments)))
    except EnginePanicked as error:
        logger.critical("%s", error)
        logging.shutdown()
        # Destroying the shards would call the broken engine once more.
        os._exit(EXIT_PANIC)
    except DirectoryInUse as error:
        logger.error("%s", error)
        return EXIT_IN_USE
    except (CannotServe, ManifestDamaged) as error:
        logger.error("%s", error)
        return EXIT_CANNOT_SERVE
    except (OSError, ValueError) as error:
        logger.error("%s", error)
        return EXIT_CONFIGURATION
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
