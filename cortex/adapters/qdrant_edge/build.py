"""python -m cortex.adapters.qdrant_edge.build DIRECTORY PARENT: builds the graphs of a shard that nobody else has open.

The engine holds the interpreter's lock for all of it, hence a process of its own. The collection's CreateCollection
comes on standard input: its configuration may be newer than that which the shard was made with.
"""

import ctypes
import logging
import os
import signal
import sys
from pathlib import Path

import qdrant_edge as edge
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge import schema

# With EXIT_UNCHANGED the engine saw nothing to build.
EXIT_BUILT, EXIT_UNCHANGED = 0, 3
NICENESS = 10
PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Where the kernel can, it kills us with the parent; a copy that outlives it would be written to after removal."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent has gone")


def sync(directory: Path) -> None:
    """Onto the disk, so that the copy may replace what already is there."""
    for path in (directory, *directory.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def build(directory: Path, create: pb.CreateCollection) -> bool:
    """Whether anything was built. Opens the result once more: what cannot be opened must not replace what can."""
    shard = edge.EdgeShard.load(str(directory), schema.edge_config(create))
    before = shard.count(edge.CountRequest(exact=True))
    is_built = shard.optimize()
    shard.flush()
    shard.close()
    reopened = edge.EdgeShard.load(str(directory))
    after = reopened.count(edge.CountRequest(exact=True))
    reopened.close()
    if before != after:
        raise RuntimeError(f"{directory} held {before} points before and {after} afterwards")
    sync(directory)
    return is_built


def main(arguments: list[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    directory, parent = arguments
    die_with_parent(int(parent))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    os.nice(NICENESS)
    create = pb.CreateCollection.FromString(sys.stdin.buffer.read())
    return EXIT_BUILT if build(Path(directory), create) else EXIT_UNCHANGED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
