"""The manifest: faithful, and never half written."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.adapters.qdrant_edge import manifest
from cortex.adapters.qdrant_edge.manifest import Entry, Manifest, ManifestDamaged

names = st.text(max_size=8)
entries = st.builds(
    Entry, directory=names, create=st.binary(max_size=9), indexes=st.dictionaries(names, st.binary(max_size=9))
)


@settings(deadline=None)
@given(st.builds(Manifest, collections=st.dictionaries(names, entries), aliases=st.dictionaries(names, names)))
def test_what_is_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, written: Manifest) -> None:
    path = tmp_path_factory.mktemp("manifest") / "manifest.json"
    manifest.save(path, written)
    assert manifest.load(path) == written


def test_a_new_directory_has_no_collections(tmp_path: Path) -> None:
    assert manifest.load(tmp_path / "manifest.json") == Manifest()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 1}', '{"version": 2, "collections": {}, "aliases": {}}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(ManifestDamaged, match=r"manifest\.json"):
        manifest.load(path)


def test_a_torn_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    manifest.save(path, Manifest(aliases={"a": "b"}))
    path.with_suffix(".new").write_text("{")
    assert manifest.load(path) == Manifest(aliases={"a": "b"})
