"""Passes over real folders."""

import os
import socket
from pathlib import Path

import pytest

from cortex.domain.acl import AclOf, GroupRef, Public
from cortex.domain.errors import Denied, Invalid, NotFound
from cortex.domain.revision import EventKind
from cortex.ports.sync_control import RunKind
from services.connectors.sources.files import FilesConnector
from services.connectors.sources.files.acl_yaml import HIDDEN
from services.connectors.sources.files.reach import Reach
from services.connectors.sources.files.tree import Entry, LocalTree, Stat
from services.connectors.sources.files.walk import DEPTH_MAX
from tests.services.connectors.support import Folder

ENG = AclOf(allow=frozenset([GroupRef(None, "eng")]))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    root = tmp_path / "drive"
    root.mkdir()
    return Folder(root)


async def test_folders_are_containers_and_files_documents(folder: Folder) -> None:
    folder.write("readme.md", "---\ntitle: Read me\n---\nhello\n")
    folder.write("eng/acl.yaml", "allow: [group:eng]\nfiles: {open.md: {public: tenant, inherit: none}}\n")
    folder.write("eng/open.md")
    folder.write("eng/deep/plan.txt", "the plan")
    run = await folder.sync()
    assert folder.paths() == ["eng/deep/plan.txt", "eng/open.md", "readme.md"]
    containers = folder.sources.containers(folder.source)
    assert {name: (state.parent, state.acl) for name, state in containers.items()} == {
        ".": (None, AclOf(public=Public.TENANT)),
        "eng": (".", ENG),
        "eng/deep": ("eng", None),
    }
    documents = folder.sources.documents(folder.source)
    assert (documents["readme.md"].title, documents["readme.md"].container) == ("Read me", ".")
    assert documents["eng/deep/plan.txt"].data == b"the plan"
    assert documents["eng/open.md"].acl is not None
    assert (run.counts.seen, run.counts.changed, run.counts.deleted, run.counts.failed) == (3, 3, 0, 0)


async def test_what_is_hidden_or_describes_the_source_is_no_document(folder: Folder) -> None:
    for path in [".git/config", ".secret.md", "source.yaml", "acl.yaml", "a/acl.yaml", "a/.DS_Store"]:
        folder.write(path, "{}")
    folder.write("a/source.yaml", "a file like others")
    await folder.sync()
    assert folder.paths() == ["a/source.yaml"]


async def test_a_second_pass_reads_and_writes_nothing(folder: Folder) -> None:
    reads: list[str] = []

    class Counting(LocalTree):
        def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Stat]:
            reads.append(path)
            return super().read(path, bytes_max=bytes_max)

    folder.open_tree = Counting
    for name in ["a.md", "b/c.md", "b/d.md"]:
        folder.write(name)
    await folder.sync()
    reads.clear()
    events = list(folder.sources.events)
    run = await folder.sync()
    assert (reads, folder.sources.events) == ([], events)
    assert (run.counts.seen, run.counts.changed) == (3, 0)
    full = await folder.sync(RunKind.FULL)
    assert sorted(reads) == ["a.md", "b/c.md", "b/d.md"]
    assert full.counts.changed == 0


async def test_edits_renames_and_deletions_are_found(folder: Folder) -> None:
    for name in ["a.md", "b.md", "c.md", "keep.md"]:
        folder.write(name, name)
    await folder.sync()
    folder.sources.events.clear()
    folder.write("a.md", "edited")
    (folder.root / "b.md").rename(folder.root / "moved.md")
    (folder.root / "c.md").unlink()
    run = await folder.sync()
    assert folder.paths() == ["a.md", "keep.md", "moved.md"]
    assert {event for event in folder.sources.events if event[1] in (EventKind.UPSERT, EventKind.DELETE)} == {
        ("a.md", EventKind.UPSERT),
        ("b.md", EventKind.DELETE),
        ("c.md", EventKind.DELETE),
        ("moved.md", EventKind.UPSERT),
    }
    assert (run.counts.seen, run.counts.changed, run.counts.deleted) == (3, 2, 2)


async def test_an_edit_with_the_old_time_and_size_is_found(folder: Folder) -> None:
    file = folder.write("a.md", "one")
    before = file.stat()
    await folder.sync()
    file.write_text("two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    await folder.sync()
    assert folder.sources.documents(folder.source)["a.md"].data == b"two"


async def test_a_change_of_acl_alone_is_no_change_of_content(folder: Folder) -> None:
    folder.write("a/x.md")
    folder.write("a/y.md")
    await folder.sync()
    folder.sources.events.clear()
    folder.write("a/acl.yaml", "allow: [group:eng]\nfiles: {x.md: {allow: [group:eng]}}\n")
    await folder.sync()
    assert folder.sources.events == [("a/x.md", EventKind.ACL)]
    assert folder.sources.containers(folder.source)["a"].acl == ENG


async def test_a_deleted_folder_goes_after_its_documents_innermost_first(folder: Folder) -> None:
    folder.write("a/b/c/x.md")
    folder.write("a/keep.md")
    await folder.sync()
    (folder.root / "a/b/c/x.md").unlink()
    (folder.root / "a/b/c").rmdir()
    (folder.root / "a/b").rmdir()
    await folder.sync()
    assert folder.paths() == ["a/keep.md"]
    assert sorted(folder.sources.containers(folder.source)) == [".", "a"]


async def test_links_are_never_followed(folder: Folder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    folder.write("real/x.md")
    (folder.root / "out-file.md").symlink_to(outside / "secret.md")
    (folder.root / "out-folder").symlink_to(outside)
    (folder.root / "sideways").symlink_to("../outside")
    (folder.root / "inside.md").symlink_to("real/x.md")
    (folder.root / "loop").symlink_to(".")
    run = await folder.sync()
    assert folder.paths() == ["real/x.md"]
    assert folder.places(run) == ["out-file.md", "out-folder", "sideways"]
    assert all("refused" in failure.message for failure in folder.failures(run))


async def test_a_file_that_becomes_a_link_is_gone(folder: Folder, tmp_path: Path) -> None:
    folder.write("a.md")
    folder.write("b/c.md")
    await folder.sync()
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    (folder.root / "a.md").unlink()
    (folder.root / "a.md").symlink_to(secret)
    (folder.root / "b").rename(tmp_path / "b")
    (folder.root / "b").symlink_to(tmp_path / "b")
    await folder.sync()
    assert folder.paths() == []
    assert list(folder.sources.containers(folder.source)) == ["."]


async def test_a_file_swapped_for_a_link_before_it_is_read_is_not_read(folder: Folder, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret")

    class Swapping(LocalTree):
        def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Stat]:
            (folder.root / path).unlink()
            (folder.root / path).symlink_to(secret)
            return super().read(path, bytes_max=bytes_max)

    folder.open_tree = Swapping
    folder.write("a.md")
    await folder.sync()
    assert folder.paths() == []


async def test_pipes_sockets_and_bad_names_are_reported_and_skipped(folder: Folder) -> None:
    folder.write("a.md")
    os.mkfifo(folder.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder.root / "socket"))
    folder.write(os.fsdecode(b"bad-\xff.md"))
    folder.write(os.fsdecode(b"bad-\xfe/x.md"))
    folder.write("tab\there.md")
    run = await folder.sync()
    assert folder.paths() == ["a.md"]
    assert folder.places(run) == ["bad-\\xfe", "bad-\\xff.md", "pipe", "socket", "tab\\there.md"]


async def test_names_keep_their_bytes(folder: Folder) -> None:
    names = ["e\u0301.md", "\u00e9.md", "\U0001f600.md", "\uffee.md", "ß/ü.md"]
    for name in names:
        folder.write(name)
    await folder.sync()
    assert folder.paths() == sorted(names)
    run = await folder.sync()
    assert (run.counts.changed, run.counts.deleted) == (0, 0)


class Locked(LocalTree):
    """A tree with places that may not be read, as root cannot make them."""

    locked: frozenset[str] = frozenset()

    def entries(self, folder: str) -> list[Entry]:
        if folder in self.locked:
            raise Denied("Permission denied")
        return super().entries(folder)

    def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Stat]:
        if path in self.locked:
            raise Denied("Permission denied")
        return super().read(path, bytes_max=bytes_max)


def locking(*paths: str) -> type[LocalTree]:
    return type("Locking", (Locked,), {"locked": frozenset(paths)})


@pytest.mark.parametrize("steps_max", [1, 2, 3, 1000])
async def test_an_unreadable_folder_keeps_its_documents_hidden(folder: Folder, steps_max: int) -> None:
    for name in ["a.md", "b/c/x.md", "b/c/y.md", "b/z.md", "b0.md", "c.md"]:
        folder.write(name)
    await folder.sync()
    before = folder.paths()
    folder.open_tree, folder.steps_max = locking("b"), steps_max
    (folder.root / "c.md").unlink()
    run = await folder.sync()
    assert folder.paths() == [path for path in before if path != "c.md"]
    assert folder.places(run) == ["b"]
    containers = folder.sources.containers(folder.source)
    assert (containers["b"].acl, sorted(containers)) == (HIDDEN, [".", "b", "b/c"])
    folder.open_tree = LocalTree
    await folder.sync()
    assert folder.sources.containers(folder.source)["b"].acl is None


async def test_an_unreadable_file_keeps_what_was_stored_unless_its_acl_changed(folder: Folder) -> None:
    for name in ["a/x.md", "a/y.md"]:
        folder.write(name, "old")
    await folder.sync()
    for name in ["a/x.md", "a/y.md"]:
        folder.write(name, "new text")
    folder.write("a/acl.yaml", "files: {y.md: {allow: [group:hr]}}")
    folder.open_tree = locking("a/x.md", "a/y.md")
    run = await folder.sync()
    assert folder.paths() == ["a/x.md"]
    assert folder.places(run) == ["a/x.md", "a/y.md"]


async def test_a_file_that_is_too_large_is_reported(folder: Folder) -> None:
    folder = Folder(folder.root, config={"bytes_max": 10})
    folder.write("small.md", "0123456789")
    folder.write("large.md", "0123456789a")
    run = await folder.sync()
    assert folder.paths() == ["small.md"]
    assert "raise bytes_max" in folder.failures(run)[0].message


async def test_an_acl_that_is_wrong_hides_its_folder_and_says_where(folder: Folder) -> None:
    folder.write("acl.yaml", "public: tenant\n")
    folder.write("hr/acl.yaml", "public: none\nallow: [group hr]\n")
    folder.write("hr/x.md")
    folder.write("hr/below/y.md")
    folder.write("ok/z.md")
    run = await folder.sync()
    containers = folder.sources.containers(folder.source)
    assert (containers["hr"].acl, containers["ok"].acl) == (HIDDEN, None)
    assert folder.places(run) == ["hr/acl.yaml:2"]
    assert folder.paths() == ["hr/below/y.md", "hr/x.md", "ok/z.md"]


async def test_an_acl_that_is_a_link_hides_its_folder(folder: Folder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "acl.yaml"
    elsewhere.write_text("public: tenant")
    folder.write("a/x.md")
    (folder.root / "a/acl.yaml").symlink_to(elsewhere)
    run = await folder.sync()
    assert folder.sources.containers(folder.source)["a"].acl is HIDDEN
    assert folder.places(run) == ["a/acl.yaml:1"]
    assert folder.paths() == ["a/x.md"]


async def test_a_root_that_says_nothing_is_seen_by_nobody(folder: Folder) -> None:
    folder = Folder(folder.root, config={"acl": None})
    folder.write("a.md")
    run = await folder.sync()
    assert folder.sources.containers(folder.source)["."].acl == AclOf()
    assert "nobody" in folder.failures(run)[0].message
    assert any("nobody" in warning for warning in await FilesConnector(reach=Reach()).check({"path": str(folder.root)}))


async def test_a_text_written_after_its_folder_was_restricted_is_not_stored_under_the_old_acl(folder: Folder) -> None:
    class Restricting(LocalTree):
        def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Stat]:
            if path == "a/b/x.md":
                folder.write("a/acl.yaml", "allow: [group:hr]")
                folder.write("a/b/x.md", "secret")
            return super().read(path, bytes_max=bytes_max)

    folder.write("a/b/x.md", "harmless")
    folder.open_tree = Restricting
    run = await folder.sync()
    assert folder.paths() == []
    assert "changed while it was read" in folder.failures(run)[0].message
    folder.open_tree = LocalTree
    await folder.sync()
    assert folder.sources.documents(folder.source)["a/b/x.md"].data == b"secret"
    assert folder.sources.containers(folder.source)["a"].acl == AclOf(allow=frozenset([GroupRef(None, "hr")]))


async def test_a_vanished_root_fails_the_run_and_deletes_nothing(folder: Folder, tmp_path: Path) -> None:
    folder.write("a.md")
    await folder.sync()
    folder.root.rename(tmp_path / "elsewhere")
    with pytest.raises(NotFound, match="nothing was deleted"):
        await folder.sync()
    assert folder.paths() == ["a.md"]


async def test_a_root_that_vanishes_during_the_walk_deletes_nothing(folder: Folder, tmp_path: Path) -> None:
    folder.write("a.md")
    folder.write("b/c.md")
    await folder.sync()

    class Vanishing(LocalTree):
        def entries(self, folder_path: str) -> list[Entry]:
            found = super().entries(folder_path)
            if folder_path == "b":
                folder.root.rename(tmp_path / "elsewhere")
                return []
            return found

    folder.open_tree = Vanishing
    with pytest.raises(NotFound, match="nothing was deleted"):
        await folder.sync()
    assert folder.paths() == ["a.md", "b/c.md"]


async def test_an_emptied_root_fails_the_run_unless_it_is_meant(folder: Folder) -> None:
    (folder.root / "a.md").write_text("x")
    await folder.sync()
    (folder.root / "a.md").unlink()
    (folder.root / ".mounted").touch()
    with pytest.raises(Invalid, match="--full"):
        await folder.sync()
    assert folder.paths() == ["a.md"]
    await folder.sync(RunKind.FULL)
    assert folder.paths() == []


async def test_patterns_choose_files_and_folders(folder: Folder) -> None:
    folder = Folder(folder.root, config={"include": ["*.md"], "exclude": ["drafts", "*/tmp", "*old*"]})
    for name in ["a.md", "a.txt", "b/c.md", "b/tmp/d.md", "drafts/e.md", "b/older.md"]:
        folder.write(name)
    await folder.sync()
    assert folder.paths() == ["a.md", "b/c.md"]
    assert sorted(folder.sources.containers(folder.source)) == [".", "b"]


async def test_folders_too_deep_are_reported(folder: Folder) -> None:
    folder.write("/".join(["d"] * DEPTH_MAX) + "/x.md")
    folder.write("/".join(["d"] * (DEPTH_MAX + 1)) + "/y.md")
    run = await folder.sync()
    assert len(folder.paths()) == 1
    assert folder.places(run) == ["/".join(["d"] * (DEPTH_MAX + 1))]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"path": "relative"}, "absolute"),
        ({}, "config.path"),
        ({"path": "/x", "pth": 1}, "unknown key 'pth'"),
        ({"path": "/x", "follow_symlinks": True}, "follow_symlinks"),
        ({"path": "/x", "bytes_max": 0}, "bytes_max"),
        ({"path": "/x", "page_size": True}, "page_size"),
        ({"path": "/x", "include": "*.md"}, "include"),
        ({"path": "/x", "url_prefix": "javascript:x"}, "url_prefix"),
        ({"path": "/x", "acl": {"alow": []}}, "config.acl"),
    ],
)
async def test_a_wrong_config_says_what_to_mend(config: dict[str, object], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        await FilesConnector(reach=Reach()).check(config)


async def test_check_tells_of_a_root_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="missing"):
        await FilesConnector(reach=Reach()).check({"path": str(tmp_path / "missing")})
