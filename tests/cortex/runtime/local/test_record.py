from pathlib import Path

import pytest

from cortex.adapters.processes import ProcessIdentity
from cortex.runtime.local import record
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.supervisor import ProcessState

RECORD = record.RuntimeRecord(
    supervisor=ProcessIdentity(1, 2.5),
    ports={"nats": 4222},
    processes=(
        record.ProcessRecord(
            name="nats", state=ProcessState.READY, identity=ProcessIdentity(3, 4.5), port=4222, ready_after_s=0.1
        ),
        record.ProcessRecord(name="migrations", state=ProcessState.DONE),
    ),
    urls={"CORTEX_NATS_URL": "nats://cortex:secret@127.0.0.1:4222"},
    boot_s=3.25,
)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.open(tmp_path)


def test_what_is_saved_is_loaded(folder: DataFolder) -> None:
    record.save(folder, RECORD)
    assert record.load(folder) == RECORD
    assert folder.record_file.stat().st_mode & 0o077 == 0
    assert "secret" not in repr(RECORD)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"supervisor": {"pid": 1}}', '{"supervisor": 3}'])
def test_a_file_that_cannot_be_understood_counts_as_none(folder: DataFolder, text: str) -> None:
    folder.record_file.write_text(text)
    assert record.load(folder) is None


def test_none_was_ever_saved(folder: DataFolder) -> None:
    assert record.load(folder) is None
