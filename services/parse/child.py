"""A child process of the pool: parses one file after another, from standard input to standard output.

    python -m services.parse.child PARENT_PID SETTINGS_JSON

It imports a format's library when the first such file comes. It ends with its parent, at the end of its input, and on
any failure that is not a CortexError; the last is for the pool to report and for a fresh child to forget.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import CortexError, Exhausted
from services.parse.dispatch import parse, shown
from services.parse.settings import ParseLimits
from services.parse.wire import PREFIX, Head, encode_document, encode_error, frame_start, lengths

PR_SET_PDEATHSIG = 1
# Ingestion takes what questions leave of the processors.
NICENESS = 10
EXIT_FAILED = 70

Parse = Callable[..., ParsedDocument]


def main(arguments: list[str], parse_one: Parse = parse) -> None:
    """`parse_one` has the signature of `dispatch.parse`."""
    settings = json.loads(arguments[1])
    limits = ParseLimits(**settings["limits"])
    die_with_parent(int(arguments[0]))
    if sys.platform == "linux":
        # Elsewhere the kernel takes no such limit, and the other limits must do.
        resource.setrlimit(resource.RLIMIT_AS, (settings["memory_bytes_max"], resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)
    # Ctrl-C reaches the whole terminal; when to stop is the pool's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.excepthook = report_failure
    requests = sys.stdin.buffer
    # A library that prints would garble the replies: it gets standard error instead.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    replies.write(frame_start({}, 0))
    replies.flush()
    serve(requests, replies, partial(parse_one, limits=limits), settings=settings, bytes_max=limits.bytes_max)


def die_with_parent(parent: int) -> None:
    """Linux kills us with the parent; elsewhere the end of standard input must do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent has gone")


def serve(requests: BinaryIO, replies: BinaryIO, parse_one: Parse, *, settings: dict[str, int], bytes_max: int) -> None:
    """Until the input ends, or a document has made this process large; after a failed allocation it is not trusted."""
    while prefix := requests.read(PREFIX.size):
        head_bytes, body_bytes = lengths(prefix, body_bytes_max=bytes_max)
        head = json.loads(requests.read(head_bytes))
        data = requests.read(body_bytes)
        limit_processor(settings["cpu_s"])
        reply, body = answer(parse_one, data, name=head["name"] or "", mime=head["mime"])
        del data
        large = memory_bytes_peak() > settings["memory_bytes_kept"]
        if large:
            reply["last"] = "yes"
        replies.write(frame_start(reply, len(body)))
        replies.write(body)
        replies.flush()
        if "last" in reply:
            return


def answer(parse_one: Parse, data: bytes, *, name: str, mime: str | None) -> tuple[Head, bytes]:
    try:
        return {}, encode_document(parse_one(data, name=name, mime=mime))
    except CortexError as error:
        return encode_error(error), b""
    except MemoryError:
        exhausted = Exhausted(f"{shown(name)}: needs too much memory to parse (memory_bytes_max)")
        return {**encode_error(exhausted), "last": "yes"}, b""


def memory_bytes_peak() -> int:
    """Resident. Where there is no /proc, getrusage in bytes (macOS); on Linux that would hold the parent's peak too."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (FileNotFoundError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def limit_processor(cpu_s: int) -> None:
    """From now on; the kernel counts from the start of the process, in whole seconds."""
    until = int(time.process_time()) + 1 + cpu_s
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def report_failure(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Type and place alone: the message may quote the file."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "unknown place"
    sys.stderr.write(f"parser child failed: {kind.__name__} at {place}\n")
    sys.stderr.flush()
    os._exit(EXIT_FAILED)


if __name__ == "__main__":
    main(sys.argv[1:])
