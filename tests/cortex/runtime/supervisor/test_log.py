import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cortex.runtime.supervisor.log import RotatingLog, drain


@given(st.lists(st.binary(min_size=1, max_size=60), max_size=40))
def test_the_files_hold_the_end_of_what_was_written(chunks: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.log"
        log = RotatingLog(path, bytes_max=100, files_kept=3)
        for chunk in chunks:
            log.write(chunk)
        files = [path.with_name(f"a.log.{number}") for number in (3, 2, 1)] + [path]
        kept = b"".join(file.read_bytes() for file in files if file.exists())
        assert all(file.stat().st_size <= 100 for file in files if file.exists())
    written = b"".join(chunks)
    assert written.endswith(kept)
    assert len(kept) >= min(len(written), 120)
    assert not path.with_name("a.log.4").exists()


def test_the_tail_cannot_disturb_a_terminal(tmp_path: Path) -> None:
    log = RotatingLog(tmp_path / "a.log")
    log.write("one\ntwo\x1b[2J\nthrée\n".encode())
    assert log.tail(lines=2) == ["two[2J", "thrée"]
    assert RotatingLog(tmp_path / "none.log").tail(lines=2) == []


def test_a_pipe_is_drained_even_when_the_log_cannot_be_written(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    thread = drain(reading, RotatingLog(tmp_path / "missing folder" / "a.log"))
    os.write(writing, b"x" * 1000)
    os.close(writing)
    thread.join(timeout=10)
    assert not thread.is_alive()
