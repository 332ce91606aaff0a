"""However a pass is cut into pages, and wherever it is broken off, it ends with what the folder holds."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.errors import Transient
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.source_store import RunCounts
from cortex.testing.sources import MemorySources
from tests.services.connectors.support import TENANT, Folder

# Names whose order as paths is not that of their folders: '-' and '.' sort before '/', '0' after it.
NAMES = st.sampled_from(["a", "a-", "a.b", "a0", "A", "é", "z", "\U0001f600", "\uffee"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
TREES = st.dictionaries(PATHS.map(lambda path: f"{path}.md"), st.sampled_from(["one", "two", "three"]), max_size=12)


def lay(folder: Folder, tree: dict[str, str]) -> None:
    for entry in folder.root.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    (folder.root / "acl.yaml").write_text("public: tenant")
    for path, text in tree.items():
        folder.write(path, text)


def held(folder: Folder) -> dict[str, str]:
    return {path: state.data.decode() for path, state in folder.sources.documents(folder.source).items()}


def folders(tree: dict[str, str]) -> set[str]:
    return {"."} | {"/".join(path.split("/")[:depth]) for path in tree for depth in range(1, path.count("/") + 1)}


@settings(max_examples=60, deadline=None)
@given(TREES, TREES, st.integers(1, 4), st.sampled_from([1, 2, 3, 1000]))
async def test_pages_of_any_size_end_with_what_is_there(
    first: dict[str, str], second: dict[str, str], page_size: int, steps_max: int
) -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = Folder(Path(root), steps_max=steps_max, config={"page_size": page_size})
        for tree in (first, second):
            lay(folder, tree)
            run = await folder.sync()
            assert held(folder) == tree
            assert set(folder.sources.containers(folder.source)) == folders(tree)
            assert (run.counts.seen, run.counts.failed) == (len(tree), 0)


class Crashing(MemorySources):
    """Dies once, after a page's items are durable and before its cursor is."""

    crash_at = 0

    async def commit_page(self, tenant: TenantId, run_id: str, **page: object) -> bool:
        self.crash_at -= 1
        if self.crash_at == 0:
            raise Transient("killed")
        counts = page["counts"]
        assert isinstance(counts, RunCounts)
        return await super().commit_page(tenant, run_id, **page)  # type: ignore[arg-type]


async def synced_with_a_crash(folder: Folder, crash_at: int) -> bool:
    """Whether the pass was long enough to crash there."""
    sources = folder.sources
    assert isinstance(sources, Crashing)
    sources.crash_at = crash_at
    run_id = f"crash-{crash_at}"
    source: SourceId = folder.source.id
    await sources.start_run(TENANT, source, run_id, kind="incremental")
    crashed = done = False
    while not done:
        try:
            done = await folder.syncing.page(TENANT, source, run_id)
        except Transient:
            crashed = True
    return crashed


async def test_a_crash_between_items_and_cursor_loses_and_repeats_nothing(tmp_path: Path) -> None:
    tree = {f"{name}/{number}.md": f"{name}{number}" for name in "abc" for number in range(4)}
    crash_at, crashed = 0, True
    while crashed:
        crash_at += 1
        root = tmp_path / str(crash_at)
        root.mkdir()
        folder = Folder(root, sources=Crashing(), config={"page_size": 3})
        lay(folder, tree)
        crashed = await synced_with_a_crash(folder, crash_at)
        assert held(folder) == tree
        assert len(folder.sources.events) == 3 * len(tree)
    assert crash_at > 4


async def test_a_page_done_twice_moves_the_cursor_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path, config={"page_size": 2})
    lay(folder, {f"{number}.md": "x" for number in range(5)})
    await folder.sources.start_run(TENANT, folder.source.id, "run", kind="incremental")
    run = await folder.sources.run(TENANT, "run")
    page = RunCounts(seen=1)
    assert await folder.sources.commit_page(TENANT, "run", before=run.cursor, cursor="x", counts=page, failures=[])
    assert not await folder.sources.commit_page(TENANT, "run", before=run.cursor, cursor="x", counts=page, failures=[])
    assert (await folder.sources.run(TENANT, "run")).counts.seen == 1


async def test_a_folder_that_is_deleted_between_pages_is_gone_at_the_end(tmp_path: Path) -> None:
    folder = Folder(tmp_path, config={"page_size": 1})
    lay(folder, {f"{name}/{number}.md": "x" for name in "abc" for number in range(3)})
    await folder.sync()
    await folder.sources.start_run(TENANT, folder.source.id, "run", kind="full")
    await folder.syncing.page(TENANT, folder.source.id, "run")
    shutil.rmtree(folder.root / "c")
    while not await folder.syncing.page(TENANT, folder.source.id, "run"):
        pass
    assert {path[0] for path in folder.paths()} == {"a", "b"}
    assert sorted(folder.sources.containers(folder.source)) == [".", "a", "b"]
