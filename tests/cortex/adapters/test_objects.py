"""Objects in a folder keep to the contract; what is wrong with an address or a disk is said in our errors."""

from pathlib import Path

import pytest

from cortex.adapters.objects import Objects
from cortex.domain.errors import Invalid, Transient
from cortex.testing.object_store import ObjectStoreContract


class TestFolder(ObjectStoreContract):
    @pytest.fixture
    def objects(self, tmp_path: Path) -> Objects:
        return Objects((tmp_path / "objects").as_uri())


async def test_a_folder_with_spaces_is_the_folder_that_was_meant(tmp_path: Path) -> None:
    folder = tmp_path / "my objects"
    await Objects(folder.as_uri()).put("raw/sha", b"data")
    assert (folder / "raw" / "sha").read_bytes() == b"data"
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("url", ["", "objects", "http://127.0.0.1/objects", "memory:///"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="use file:///folder or s3://"):
        Objects(url)


async def test_a_disk_that_takes_nothing_is_transient(tmp_path: Path) -> None:
    objects = Objects(tmp_path.as_uri())
    (tmp_path / "raw").write_text("a file where a folder should be")
    with pytest.raises(Transient, match="raw/sha"):
        await objects.put("raw/sha", b"data")
