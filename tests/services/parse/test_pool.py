"""The pool over real processes: whatever a file does to its parser, the others do not notice."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import Bug, CortexError, Exhausted, Invalid, Transient
from services.parse.pool import ParserPool
from services.parse.settings import ParseLimits, ParseSettings, PoolSettings
from tests.services.parse import samples

LARGE_BYTES = 3_000_000


@asynccontextmanager
async def hostile(**settings: float) -> AsyncIterator[ParserPool]:
    pool_settings = PoolSettings(**{"processes": 1, **settings})  # type: ignore[arg-type]
    async with ParserPool(ParseSettings(pool=pool_settings), child_module="tests.services.parse.hostile_child") as pool:
        yield pool


async def child_of(pool: ParserPool, name: str = "good") -> int:
    return int((await pool.parse(b"x", name=name)).blocks[0].text)


async def test_every_format_comes_through_as_it_does_in_process() -> None:
    from services.parse.dispatch import parse

    async with ParserPool(ParseSettings()) as pool:
        files = samples.every_sample()
        found = await asyncio.gather(*(pool.parse(data, name=name) for name, data in files.items()))

    assert found == [parse(data, name=name, limits=ParseLimits()) for name, data in files.items()]


async def test_errors_keep_their_type_and_the_child_stays() -> None:
    async with ParserPool(ParseSettings(pool=PoolSettings(processes=1))) as pool:
        with pytest.raises(Invalid, match=r"a\.pdf: is called PDF"):
            await pool.parse(b"not a pdf", name="a.pdf")
        before = pool.process_ids
        with pytest.raises(Exhausted, match="nested too deep"):
            await pool.parse(b"<div>" * 1000, name="a.html")
        assert pool.process_ids == before


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("hangs", Exhausted, "wall_s"),
        ("burns", Exhausted, "cpu_s"),
        ("grows", Exhausted, "memory_bytes_max"),
        ("crashes", Exhausted, "SIGSEGV"),
        ("leaves", Exhausted, "exit status 3"),
        ("fails", Bug, "fails: the parser failed"),
        ("recurses", Bug, "recurses: the parser failed"),
    ],
)
async def test_a_file_that_breaks_its_parser_fails_alone(name: str, kind: type[CortexError], message: str) -> None:
    async with hostile(wall_s=1.0 if name == "hangs" else 30.0, cpu_s=1) as pool:
        before = await child_of(pool)
        with pytest.raises(kind, match=message):
            await pool.parse(b"", name=name)
        after = await child_of(pool)

    assert before != after
    assert not psutil.pid_exists(before)


async def test_what_a_failing_parser_leaves_in_the_log_holds_no_content(capfd: pytest.CaptureFixture[str]) -> None:
    async with hostile() as pool:
        with pytest.raises(Bug):
            await pool.parse(b"", name="fails")

    logged = capfd.readouterr().err
    assert "ZeroDivisionError at hostile_child.py:" in logged
    assert "content of the file" not in logged


async def test_output_of_a_library_does_not_garble_replies() -> None:
    async with hostile() as pool:
        assert (await pool.parse(b"fine", name="prints")).blocks[1].text == "fine"


async def test_a_child_that_was_killed_while_idle_is_replaced_unnoticed() -> None:
    async with hostile() as pool:
        before = await child_of(pool)
        os.kill(before, signal.SIGKILL)
        assert await child_of(pool) != before


async def test_a_child_that_somebody_killed_at_work_gets_a_second_try(pipes: Path) -> None:
    async with hostile() as pool, asyncio.TaskGroup() as tasks:
        parsing = tasks.create_task(pool.parse(str(pipes).encode(), name="waits"))
        first = await at_work(pipes)
        os.kill(first, signal.SIGKILL)
        second = await at_work(pipes)
        await asyncio.to_thread((pipes / "go").write_text, "go")
        document = await parsing

    assert first != second
    assert document.blocks[0].text == str(second)


async def test_a_call_that_is_cancelled_gives_its_place_back(pipes: Path) -> None:
    async with hostile() as pool, asyncio.TaskGroup() as tasks:
        parsing = tasks.create_task(pool.parse(str(pipes).encode(), name="waits"))
        before = await at_work(pipes)
        parsing.cancel()
        assert await child_of(pool) != before


async def test_children_are_replaced_after_so_many_documents() -> None:
    async with hostile(documents_per_child=3) as pool:
        used = [await child_of(pool) for _ in range(7)]

    assert [used.count(process_id) for process_id in dict.fromkeys(used)] == [3, 3, 1]


async def test_a_child_that_a_document_made_large_is_replaced() -> None:
    async with hostile(memory_bytes_kept=1) as pool:
        assert await child_of(pool) != await child_of(pool)


async def test_a_real_document_that_needs_too_much_memory_is_told_so() -> None:
    paragraphs = b"".join(b"<w:p><w:r><w:t>%d</w:t></w:r></w:p>" % number for number in range(300_000))
    data = samples.word_of(b"<w:document xmlns:w='w'><w:body>" + paragraphs + b"</w:body></w:document>")
    settings = ParseSettings(pool=PoolSettings(processes=1, memory_bytes_max=120 * 1024 * 1024))
    async with ParserPool(settings) as pool:
        with pytest.raises(Exhausted, match=r"a\.docx: needs too much memory"):
            await pool.parse(data, name="a.docx")
        assert (await pool.parse(b"next", name="b.txt")).blocks[0].text == "next"


async def test_a_large_parent_makes_no_child_look_large() -> None:
    """On Linux getrusage of a new process starts at the peak of the one that made it."""
    large = bytes(PoolSettings().memory_bytes_kept) + b"touched"
    async with hostile(processes=1) as pool:
        assert await child_of(pool) == await child_of(pool)
    assert large.endswith(b"touched")


async def test_no_more_children_than_set_and_none_after_the_end() -> None:
    async with hostile(processes=2) as pool:
        used = set(await asyncio.gather(*(child_of(pool) for _ in range(20))))
        assert used == set(pool.process_ids)
        assert len(used) == 2

    assert not [process_id for process_id in used if psutil.pid_exists(process_id)]
    with pytest.raises(Transient, match="closing"):
        await pool.parse(b"x", name="good")


async def test_leaving_the_pool_ends_what_is_being_parsed(pipes: Path) -> None:
    async with asyncio.TaskGroup() as tasks:
        async with hostile() as pool:
            parsing = tasks.create_task(outcome(pool, str(pipes).encode(), "waits"))
            child = await at_work(pipes)

        assert isinstance(await parsing, Transient)

    assert not psutil.pid_exists(child)


async def test_a_child_sees_nothing_of_the_environment() -> None:
    async with hostile() as pool:
        names = (await pool.parse(b"x", name="good")).blocks[2].text.split()

    assert set(names) <= {"PYTHONPATH", "PYTHONUTF8", "LC_CTYPE"}


async def test_large_files_pass_in_both_directions() -> None:
    text = "word " * (LARGE_BYTES // 5)
    async with ParserPool(ParseSettings()) as pool:
        document = await pool.parse(text.encode(), name="a.txt")
        with pytest.raises(Exhausted, match="bytes_max"):
            await pool.parse(bytes(ParseLimits().bytes_max + 1), name="b.txt")

    assert document.blocks[0].text == text.strip()


async def test_an_idle_child_is_small() -> None:
    async with ParserPool(ParseSettings(pool=PoolSettings(processes=1))) as pool:
        await pool.parse(b"text", name="a.txt")
        (process_id,) = pool.process_ids
        assert psutil.Process(process_id).memory_info().rss < 45 * 1024 * 1024


async def test_children_die_with_a_parent_that_is_killed() -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.services.parse.pool_owner", stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    children = [psutil.Process(int(word)) for word in (await owner.stdout.readline()).split()]
    assert len(children) == 2
    owner.kill()
    await owner.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, timeout=10)
    assert not alive


@pytest.fixture
def pipes(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "started")
    os.mkfifo(tmp_path / "go")
    return tmp_path


async def at_work(pipes: Path) -> int:
    """The child that has begun to parse."""
    return int(await asyncio.to_thread((pipes / "started").read_text))


async def outcome(pool: ParserPool, data: bytes, name: str) -> ParsedDocument | CortexError:
    try:
        return await pool.parse(data, name=name)
    except CortexError as error:
        return error
