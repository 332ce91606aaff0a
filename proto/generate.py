"""Generates the committed stubs from the .proto files beside it: `python proto/generate.py [--check]`.

A proto package is its import path: cortex/rpc/models/v1/models.proto becomes cortex.rpc.models.v1.models_pb2. Modules
for gRPC are kept only where a file declares a service. `--check` writes nothing and fails when stubs are out of date.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

PROTO = Path(__file__).resolve().parent
ROOT = PROTO.parent
STUBS = Path("cortex/rpc")
SUFFIXES = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
PACKAGE_DOCSTRING = '"""Generated from proto/ by proto/generate.py. Do not edit."""\n'


def generated() -> dict[Path, str]:
    """Every stub as it should be, by its path below the repository."""
    sources = sorted(PROTO.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        outputs = [f"--{kind}_out={folder}" for kind in ("python", "pyi", "grpc_python")]
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO}", *outputs, *map(str, sources)]
        if subprocess.run(command, check=False).returncode != 0:
            raise SystemExit("protoc failed; its message is above")
        texts = {
            path.relative_to(folder): path.read_text(encoding="utf-8")
            for path in sorted(Path(folder).rglob("*"))
            if path.name.endswith(SUFFIXES) and not _empty_service(path)
        }
    packages = {parent for path in texts for parent in path.parents if parent.is_relative_to(STUBS)}
    return texts | {package / "__init__.py": PACKAGE_DOCSTRING for package in packages}


def _empty_service(path: Path) -> bool:
    return path.name.endswith("_pb2_grpc.py") and "class " not in path.read_text(encoding="utf-8")


def drift(stubs: Mapping[Path, str]) -> list[Path]:
    """Stubs that are missing, differ, or have lost their .proto file."""
    present = {
        path.relative_to(ROOT) for path in (ROOT / STUBS).rglob("*") if path.name.endswith((*SUFFIXES, "__init__.py"))
    }
    changed = {
        path for path in stubs if path not in present or (ROOT / path).read_text(encoding="utf-8") != stubs[path]
    }
    return sorted(changed | (present - stubs.keys()))


def write(stubs: Mapping[Path, str]) -> None:
    for path in drift(stubs):
        if path in stubs:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(stubs[path], encoding="utf-8")
        else:
            (ROOT / path).unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the stubs are out of date")
    check = parser.parse_args().check
    stubs = generated()
    if not check:
        write(stubs)
        return 0
    stale = drift(stubs)
    for path in stale:
        sys.stderr.write(f"{path}: out of date; run `make proto`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
