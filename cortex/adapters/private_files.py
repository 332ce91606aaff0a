"""Files that hold keys: readable by their owner alone, and made or replaced in one step."""

import os
import tempfile
from pathlib import Path

from cortex.domain.errors import Invalid

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def read_private(path: Path) -> bytes | None:
    """None when it is not there. Raises Invalid where others may read it."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    if path.stat().st_mode & 0o077:
        raise Invalid(f"{path}: others may read it; chmod 600 {path}")
    return content


def make_private(path: Path, content: bytes) -> bool:
    """Only where nothing is there yet, so that two processes agree on one key; False where something was."""
    path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    temporary = _written(path, content)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        temporary.unlink()
    return True


def replace_private(path: Path, content: bytes) -> None:
    _written(path, content).replace(path)


def _written(path: Path, content: bytes) -> Path:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600 by itself
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return Path(name)
