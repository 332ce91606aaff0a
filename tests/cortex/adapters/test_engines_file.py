"""The operator's engines, from a file."""

import json
from pathlib import Path

import pytest

from cortex.adapters.engines_file import read_engines
from cortex.domain.engine import Engine, EngineSpec
from cortex.domain.errors import Invalid


def write(folder: Path, content: object) -> Path:
    path = folder / "engines.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_engines_come_in_their_order_with_keys_from_files(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sk-1\n", encoding="utf-8")
    first = {"name": "big", "url": "http://10.0.0.1:8000/v1", "model": "big-1", "key_file": str(key)}
    second = {"name": "small", "url": "http://10.0.0.2/v1", "model": "tiny", "calls_max": 2}
    found = read_engines(write(tmp_path, {"engines": [first, second]}))
    assert found == (
        Engine(EngineSpec("big", "http://10.0.0.1:8000/v1", "big-1"), "sk-1", operated=True),
        Engine(EngineSpec("small", "http://10.0.0.2/v1", "tiny", calls_max=2), None, operated=True),
    )
    assert read_engines(None) == ()


GOOD = {"name": "big", "url": "http://10.0.0.1/v1", "model": "big-1"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "expected"),
        ([], "expected"),
        ({"engines": [7]}, "expected"),
        ({"engines": [{"name": "big"}]}, "expected"),
        ({"engines": [{**GOOD, "colour": "red"}]}, "'colour'"),
        ({"engines": [{**GOOD, "url": "10.0.0.1"}]}, "url"),
        ({"engines": [{**GOOD, "model": 7}]}, "model"),
        ({"engines": [{**GOOD, "key_file": "/nowhere"}]}, "expected"),
        ({"engines": [GOOD, GOOD]}, "name of its own"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(Invalid, match=message) as refused:
        read_engines(write(tmp_path, content))
    assert "engines.json" in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"gone\.json"):
        read_engines(tmp_path / "gone.json")
