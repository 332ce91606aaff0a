import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cortex.domain.errors import Conflict, Invalid
from cortex.runtime.local.credentials import Credentials, load_or_create
from cortex.runtime.local.folder import DataFolder, is_locked, locked, write_private

HOLD_LOCK = """
import sys
from pathlib import Path
from cortex.runtime.local.folder import DataFolder, locked
with locked(DataFolder(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.open(tmp_path / "data")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everything_in_it_is_its_owners_alone(folder: DataFolder) -> None:
    load_or_create(folder)
    assert {mode(path) for path in (folder.root, folder.logs, folder.objects, folder.server("nats"))} == {0o700}
    assert mode(folder.credentials_file) == 0o600


def test_a_folder_that_stood_open_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    DataFolder.open(tmp_path)
    assert mode(tmp_path) == 0o700


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(Invalid, match="data folder"):
        DataFolder.open(tmp_path / "data")


def test_a_private_file_is_replaced_whole(folder: DataFolder) -> None:
    path = folder.root / "x"
    write_private(path, "one")
    write_private(path, "two")
    assert path.read_text() == "two"
    assert not list(folder.root.glob(".x.*"))


def test_credentials_stay_and_new_ones_are_added(folder: DataFolder) -> None:
    first = load_or_create(folder)
    assert load_or_create(folder) == first
    write_private(folder.credentials_file, f'{{"nats": "{first.nats}", "gone": "x"}}')
    later = load_or_create(folder)
    assert later.nats == first.nats
    assert later.valkey != first.valkey
    assert load_or_create(folder) == later


def test_credentials_are_not_shown_by_repr() -> None:
    credentials = Credentials()
    assert credentials.nats not in repr(credentials)


def test_a_broken_credentials_file_says_what_to_do(folder: DataFolder) -> None:
    write_private(folder.credentials_file, "{")
    with pytest.raises(Invalid, match="restore it"):
        load_or_create(folder)


def test_the_lock_is_held_by_one_process_and_freed_by_its_death(folder: DataFolder) -> None:
    arguments = [sys.executable, "-c", HOLD_LOCK, str(folder.root)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert is_locked(folder)
        with pytest.raises(Conflict, match="already runs"), locked(folder):
            pass
        holder.kill()
    assert not is_locked(folder)
