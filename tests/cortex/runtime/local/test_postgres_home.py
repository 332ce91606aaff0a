import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.postgres_home import open_home, orphaned_homes, reachable, remove_home

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root must drop to another user")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.open(tmp_path / "data")


@pytest.fixture
def system_folder(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "system"
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root must drop to another user")
def test_an_ordinary_users_database_lies_in_the_data_folder(folder: DataFolder) -> None:
    home = open_home(folder)
    assert home.data.is_relative_to(folder.root)
    assert home.account is None


@as_root
def test_roots_database_lies_where_its_user_can_reach_it_and_nobody_else(
    folder: DataFolder, system_folder: Path
) -> None:
    home = open_home(folder, system_folder=system_folder)
    assert home.account is not None
    assert home.account.user_id != 0
    assert home.folder.parent == system_folder / "postgres"
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    assert home.folder.stat().st_uid == home.account.user_id
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700


@as_root
def test_the_same_data_folder_finds_its_database_again(folder: DataFolder, system_folder: Path) -> None:
    first = open_home(folder, system_folder=system_folder)
    assert open_home(folder, system_folder=system_folder) == first


@as_root
def test_a_database_whose_data_folder_is_gone_is_reported_and_not_removed(
    folder: DataFolder, system_folder: Path
) -> None:
    home = open_home(folder, system_folder=system_folder)
    assert orphaned_homes(system_folder=system_folder) == []
    shutil.rmtree(folder.root)
    assert orphaned_homes(system_folder=system_folder) == [home.folder]
    assert home.folder.exists()


@as_root
def test_a_disposable_platform_takes_its_database_with_it(folder: DataFolder, system_folder: Path) -> None:
    home = open_home(folder, system_folder=system_folder)
    remove_home(folder, system_folder=system_folder)
    assert not home.folder.exists()


def test_a_program_below_a_closed_folder_is_not_reachable(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "program"
    program.parent.mkdir()
    program.touch()
    program.chmod(0o755)
    tmp_path.chmod(0o700)
    assert not reachable(program)
