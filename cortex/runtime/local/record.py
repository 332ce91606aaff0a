"""`runtime.json`: what runs on a data folder now, for `status`, `down`, and the start after a crash."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from cortex.adapters.processes import ProcessIdentity
from cortex.runtime.local.folder import DataFolder, write_private
from cortex.runtime.supervisor import ProcessState


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRecord:
    name: str
    state: ProcessState
    identity: ProcessIdentity | None = None
    port: int | None = None
    ready_after_s: float | None = None
    restarts: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeRecord:
    """`urls` hold passwords: the file is the owner's alone, and `repr` leaves them out."""

    supervisor: ProcessIdentity
    ports: Mapping[str, int]
    processes: tuple[ProcessRecord, ...] = ()
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    boot_s: float | None = None


def save(folder: DataFolder, record: RuntimeRecord) -> None:
    write_private(folder.record_file, json.dumps(asdict(record), indent=2))


def load(folder: DataFolder) -> RuntimeRecord | None:
    """None when nothing was ever recorded, or when the file cannot be understood: it is only a hint."""
    try:
        content = json.loads(folder.record_file.read_text(encoding="utf-8"))
        return RuntimeRecord(
            supervisor=ProcessIdentity(**content["supervisor"]),
            ports={str(name): int(port) for name, port in content["ports"].items()},
            processes=tuple(_process(entry) for entry in content["processes"]),
            urls={str(name): str(value) for name, value in content["urls"].items()},
            boot_s=content.get("boot_s"),
        )
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _process(entry: Mapping[str, object]) -> ProcessRecord:
    known = dict(entry)
    identity = known.pop("identity")
    state = ProcessState(str(known.pop("state")))
    found = ProcessIdentity(**identity) if isinstance(identity, dict) else None
    return ProcessRecord(identity=found, state=state, **known)  # type: ignore[arg-type]
