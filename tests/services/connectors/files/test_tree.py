"""A real folder, opened without following anything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex.domain.errors import Exhausted, NotFound, Transient
from services.connectors.sources.files.tree import Entry, Kind, LocalTree


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[LocalTree]:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/x.md").write_bytes(b"x" * 4096)
    (tmp_path / "out").symlink_to("/")
    (tmp_path / "in").symlink_to("a")
    opened = LocalTree(tmp_path)
    yield opened
    opened.close()


def test_entries_have_their_kind(tree: LocalTree) -> None:
    found = sorted(tree.entries(""), key=lambda entry: entry.name)
    assert found == [Entry("a", Kind.FOLDER), Entry("in", Kind.LINK), Entry("out", Kind.LINK)]


def test_a_file_is_read_up_to_the_limit(tree: LocalTree) -> None:
    data, stat = tree.read("a/b/x.md", bytes_max=4096)
    assert (data, stat) == (b"x" * 4096, tree.stat("a/b/x.md"))
    with pytest.raises(Exhausted, match="4095"):
        tree.read("a/b/x.md", bytes_max=4095)


@pytest.mark.parametrize("path", ["in/b/x.md", "out/etc/passwd", "in", "a/b/none.md", "a/b", "a/b/x.md/y"])
def test_links_folders_and_what_is_gone_are_not_files(tree: LocalTree, path: str) -> None:
    with pytest.raises(NotFound):
        tree.read(path, bytes_max=1 << 20)


def test_no_folder_is_listed_through_a_link(tree: LocalTree) -> None:
    for path in ["in", "in/b", "out", "a/b/x.md"]:
        with pytest.raises(NotFound):
            tree.entries(path)


def test_links_that_lead_out_are_told_from_those_that_do_not(tree: LocalTree) -> None:
    assert (tree.escapes("out"), tree.escapes("in")) == (True, False)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs a file that is longer than it says")
def test_a_file_that_is_never_as_long_as_it_says_is_left_for_later() -> None:
    tree = LocalTree(Path("/proc/self"))
    with pytest.raises(Transient, match="changed 3 times"):
        tree.read("status", bytes_max=1 << 20)
    tree.close()


def test_a_root_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    tree = LocalTree(root)
    tree.confirm()
    root.rename(tmp_path / "old")
    root.mkdir()
    with pytest.raises(Transient, match="replaced"):
        tree.confirm()
    tree.close()
