"""The DOCX and PDF files say what their manuscripts say, and are made the same way each time."""

from pathlib import Path

import pytest

from demo.build_files import Grid, Heading, Manuscript, Prose, manuscripts, render
from tests.demo.conftest import DEMO
from tests.demo.corpus import text_of

every_manuscript = pytest.mark.parametrize("manuscript", manuscripts(), ids=lambda manuscript: manuscript.title)


@every_manuscript
def test_the_committed_file_is_what_the_manuscript_makes(manuscript: Manuscript, tmp_path: Path) -> None:
    made = (tmp_path / "made").with_suffix(Path(manuscript.output).suffix)
    made.write_bytes(render(manuscript))
    assert text_of(made) == text_of(DEMO / "sources" / manuscript.output)


@every_manuscript
def test_making_a_file_twice_gives_the_same_bytes(manuscript: Manuscript) -> None:
    assert render(manuscript) == render(manuscript)


@every_manuscript
def test_nothing_of_the_manuscript_is_lost(manuscript: Manuscript) -> None:
    text = "".join(text_of(DEMO / "sources" / manuscript.output).split())
    for block in manuscript.blocks:
        match block:
            case Heading(words) | Prose(words):
                pieces = words.split()
            case Grid(rows):
                pieces = [word for row in rows for cell in row for word in cell.split()]
        assert [piece for piece in pieces if piece not in text] == []
