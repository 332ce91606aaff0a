"""The breaches can still be made: each edit finds its place. `python -m tests.redteam.breaches` tries them."""

import shutil
from pathlib import Path

import pytest

from tests.redteam.breaches import ROOT
from tests.redteam.edits import BREACHES, Breach

BREACHES_MIN = 10


@pytest.mark.parametrize("breach", BREACHES, ids=lambda breach: breach.name)
def test_a_breach_finds_its_place_and_is_still_python(breach: Breach, tmp_path: Path) -> None:
    for edit in breach.edits:
        place = tmp_path / edit.path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / edit.path, place)
    breach.apply(tmp_path)
    for edit in breach.edits:
        compile((tmp_path / edit.path).read_text(encoding="utf-8"), edit.path, "exec")


def test_there_are_as_many_as_are_promised() -> None:
    assert len(BREACHES) >= BREACHES_MIN
    assert len({breach.name for breach in BREACHES}) == len(BREACHES)
