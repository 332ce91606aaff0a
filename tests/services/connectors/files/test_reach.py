"""Which folders a source may read."""

from pathlib import Path
from typing import cast

import pytest

from cortex.domain.errors import Invalid
from cortex.ports.connector import KnownDocuments
from services.connectors.sources.files import FilesConnector
from services.connectors.sources.files.reach import Reach


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "platform" / "data" / "objects").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    return tmp_path / "platform" / "data"


@pytest.mark.parametrize("place", [".", "objects", "..", "../.."])
def test_the_platforms_own_data_is_no_source_nor_what_lies_in_it_or_around_it(data: Path, place: str) -> None:
    with pytest.raises(Invalid, match="the platform itself"):
        Reach(private=(data,)).resolved(data / place)


async def test_a_link_does_not_get_around_it(data: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(data)
    connector = FilesConnector(reach=Reach(private=(data,)))
    for path in (tmp_path / "link", tmp_path / "link" / "objects"):
        with pytest.raises(Invalid, match="the platform itself"):
            await connector.check({"path": str(path)})


async def test_it_is_asked_at_every_sync(data: Path, tmp_path: Path) -> None:
    """A link on the way may have been turned since the source was added."""
    (tmp_path / "link").symlink_to(data)
    connector = FilesConnector(reach=Reach(private=(data,)))
    changes = connector.fetch(
        {"path": str(tmp_path / "link")}, cursor=None, known=cast(KnownDocuments, None), full=True
    )
    with pytest.raises(Invalid, match="the platform itself"):
        await anext(changes)


def test_where_roots_are_set_nothing_else_is_read(data: Path, tmp_path: Path) -> None:
    reach = Reach(private=(data,), roots=(tmp_path / "docs",))
    assert reach.resolved(tmp_path / "docs" / "team") == (tmp_path / "docs" / "team").resolve()
    for path in (tmp_path, tmp_path / "docs" / ".." / "else", Path("/etc")):
        with pytest.raises(Invalid):
            reach.resolved(path)
    with pytest.raises(Invalid, match="none"):
        Reach(roots=()).resolved(tmp_path / "docs")
