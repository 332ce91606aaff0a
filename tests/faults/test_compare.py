"""The comparison finds what the faults could leave behind: it would be worth nothing if it found nothing."""

import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest

from cortex.domain.identity import ChunkId, DocumentId
from cortex.domain.vector import IndexedRevision
from tests.faults.compare import Expected, Row, stored_differences

WANTED = Expected("drive", "plant/note.md", "zytoken", frozenset({"ada@faults.example"}), sha256="5a")
CHUNKS = (ChunkId(uuid.UUID(int=1)), ChunkId(uuid.UUID(int=2)))
ROW = Row(WANTED.id, "drive", "plant/note.md", 3, 3, 2, 4, "5a", "indexed", False, CHUNKS)
POINTS = [IndexedRevision(chunk, WANTED.id, 3, 4, 2, False) for chunk in CHUNKS]
STRANGER = DocumentId(uuid.UUID(int=9))

State = tuple[list[Row], list[IndexedRevision]]


def test_what_is_as_it_must_be_has_no_differences() -> None:
    assert list(stored_differences([ROW], POINTS, [WANTED])) == []


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda: ([], []), "is lost"),
        (lambda: ([replace(ROW, content_sha256="other")], POINTS), "other bytes"),
        (lambda: ([replace(ROW, stage="parsed", indexed_revision=2)], POINTS), "is parsed"),
        (lambda: ([ROW, replace(ROW, id=STRANGER)], POINTS), "lives on"),
        (lambda: ([ROW], POINTS[:1]), "have no point"),
        (lambda: ([ROW], [*POINTS, POINTS[0]]), "or twice"),
        (lambda: ([ROW], [*POINTS, replace(POINTS[0], document_id=STRANGER)]), "deleted or unknown"),
        (lambda: ([ROW], [POINTS[0], replace(POINTS[1], revision=2)]), "of revision 2"),
        (lambda: ([ROW], [POINTS[0], replace(POINTS[1], acl_revision=3)]), "old permissions"),
        (lambda: ([replace(ROW, tombstoned=True)], []), "are kept"),
    ],
)
def test_every_kind_of_damage_is_told(damage: Callable[[], State], told: str) -> None:
    rows, points = damage()
    assert any(told in difference for difference in stored_differences(rows, points, [WANTED]))
