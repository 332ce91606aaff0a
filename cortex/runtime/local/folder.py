"""The data folder: where what lies, who may read it, and the lock that keeps a second platform out."""

import fcntl
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cortex.domain.errors import Conflict, Invalid

DATA_FOLDER = Path(".cortex")
"""Where commands look that name no other."""

BUILT_AT_SET_UP = Path(".cortex/models")
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def option_for(data: Path) -> str:
    """What a command in a hint needs to mean the same platform."""
    usual = data.expanduser().absolute() == DATA_FOLDER.absolute()
    return "" if usual else f" --data {shlex.quote(str(data))}"


@dataclass(frozen=True, slots=True)
class DataFolder:
    """`root` is absolute. Everything below belongs to the owner alone."""

    root: Path

    @classmethod
    def open(cls, path: Path) -> "DataFolder":
        """Makes what is missing and closes what stands open to others."""
        folder = cls(path.expanduser().absolute())
        for part in (folder.root, folder.logs, folder.objects, folder.root / "servers"):
            try:
                part.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
                part.chmod(PRIVATE_FOLDER)
            except OSError as error:
                raise Invalid(f"the data folder {part} cannot be used: {error.strerror}") from error
        return folder

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def objects(self) -> Path:
        return self.root / "objects"

    @property
    def models(self) -> Path:
        """This folder's own model, else the one that set-up built in the working folder."""
        own, shared = self.root / "models", BUILT_AT_SET_UP.absolute()
        return shared if shared.is_dir() and not own.is_dir() else own

    def built_models(self, environment: Mapping[str, str]) -> tuple[Path, list[str]]:
        """Where the built models should be, and the names of those that are there."""
        models = Path(environment.get("CORTEX_MODELS_DIR", self.models))
        return models, sorted(path.parent.name for path in models.glob("*/manifest.json"))

    @property
    def keys(self) -> Path:
        """What this platform seals and signs with: lost, sealed secrets and old signatures are lost too."""
        return self.root / "keys"

    @property
    def master_keys(self) -> Path:
        return self.keys / "master.json"

    @property
    def credentials_file(self) -> Path:
        return self.root / "secrets.json"

    @property
    def record_file(self) -> Path:
        return self.root / "runtime.json"

    @property
    def lock_file(self) -> Path:
        return self.root / "lock"

    def server(self, name: str) -> Path:
        """The folder of one server's data, made if it is missing."""
        folder = self.root / "servers" / name
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        return folder


def write_private(path: Path, text: str) -> None:
    """Replaces the file in one step; at no moment may anyone else read it, or find half of it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600 by itself
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def locked(folder: DataFolder) -> Iterator[None]:
    """Holds the folder for this process; the kernel lets go when it ends, however it ends."""
    descriptor = os.open(folder.lock_file, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Conflict(f"a platform already runs on {folder.root}") from error
        yield
    finally:
        os.close(descriptor)


def is_locked(folder: DataFolder) -> bool:
    """Whether a platform runs on it, without waiting and without making anything."""
    if not folder.lock_file.exists():
        return False
    try:
        with locked(folder):
            return False
    except Conflict:
        return True
