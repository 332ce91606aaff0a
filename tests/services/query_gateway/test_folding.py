import uuid
from datetime import UTC, datetime, timedelta

from cortex.domain.answer import Passage, SourceLabel
from cortex.domain.document import Anchor
from cortex.domain.identity import ChunkId, DocumentId, SourceId
from cortex.domain.query import Found
from cortex.domain.vector import ScoredPoint
from services.query_gateway.folding import SHARE, WINDOW, Folded, fold, shared_out
from services.query_gateway.freshness import BONUS_MAX, fresher
from services.query_gateway.pool import Candidate

WIKI, CHAT = (SourceLabel(SourceId(uuid.UUID(int=n)), "files", name) for n, name in ((1, "wiki"), (2, "chat")))
TEXT = "Dry ice is delivered to the loading dock on Mondays, and whoever takes it in signs the book at the gate."
NOW = datetime(2026, 11, 1, tzinfo=UTC)


def found(text: str, *, score: float = 0.5, source: SourceLabel = WIKI) -> Found:
    document = DocumentId(uuid.uuid4())
    passage = Passage(
        chunk_id=ChunkId(uuid.uuid4()),
        document_id=document,
        revision=1,
        title="A title",
        url="",
        source=source,
        author=None,
        updated_at=None,
        language="en",
        heading_path=(),
        text=text,
        anchors=(Anchor(1, 0, 0, len(text)),),
        score=score,
    )
    return Found(document, (passage,), ())


def test_copies_are_folded_under_the_best() -> None:
    first, other, copy = found(TEXT), found("Something else."), found(TEXT.upper() + "  ")
    assert [(entry.found, entry.copies) for entry in fold([first, other, copy])] == [(first, (copy,)), (other, ())]


def test_other_figures_codes_and_names_are_other_documents() -> None:
    years = [
        found(f"{TEXT} The price of it is {price} in {year}.") for price, year in ((5, 2025), (5, 2026), (6, 2026))
    ]
    names = [found(f"{name} signs it. {TEXT.replace('whoever', name)}") for name in ("Ann", "Bob")]
    assert len(fold([*years, *names])) == 5


def test_short_passages_are_never_copies() -> None:
    assert len(fold([found("See above."), found("See above.")])) == 2


def test_a_longer_list_begins_like_a_shorter_one() -> None:
    documents = [found(f"{TEXT} Number {n % 7}.") for n in range(40)]
    whole = [entry.found.document_id for entry in fold(documents)]
    for length in (1, 5, 9, 20):
        shorter = [entry.found.document_id for entry in fold(documents[:length])]
        assert shorter == whole[: len(shorter)]


def entries(*places: tuple[SourceLabel, float]) -> list[Folded]:
    return [Folded(found(f"Text {n}.", score=score, source=source)) for n, (source, score) in enumerate(places)]


def test_a_source_leaves_places_to_others_that_are_as_good() -> None:
    made = entries(*((WIKI, 1.0 - n / 1000) for n in range(SHARE + 2)), (CHAT, 0.989), (CHAT, 0.2))
    order = [entry.found.best.source.name for entry in shared_out(made)]
    assert order == ["wiki"] * SHARE + ["chat"] + ["wiki"] * 2 + ["chat"]


def test_what_is_better_stays_where_it_is() -> None:
    made = entries(*((WIKI, 1.0 - n / 1000) for n in range(SHARE + 2)), (CHAT, 0.3))
    assert shared_out(made) == made
    alone = entries(*((WIKI, 1.0 - n / 1000) for n in range(WINDOW + 5)))
    assert shared_out(alone) == alone


def test_nothing_is_lost_or_doubled() -> None:
    made = entries(*((WIKI if n % 5 else CHAT, 1.0 - n / 10_000) for n in range(WINDOW + 10)))
    assert sorted(map(id, shared_out(made))) == sorted(map(id, made))
    assert shared_out(made)[WINDOW:] == made[WINDOW:]


def candidate(score: float, age: timedelta | None) -> Candidate:
    point = ScoredPoint(
        chunk_id=ChunkId(uuid.uuid4()),
        document_id=DocumentId(uuid.uuid4()),
        revision=1,
        acl_revision=1,
        source_id=WIKI.id,
        source_type="files",
        container_ids=(),
        embedded_sha256="",
        language="en",
        updated_at=None if age is None else NOW - age,
        score=score,
    )
    return Candidate(point, score)


def test_of_two_that_are_as_good_the_younger_comes_first() -> None:
    old, young, bad = candidate(1.0, timedelta(days=2_000)), candidate(0.999, timedelta(days=1)), candidate(0.0, None)
    assert [one.point for one in fresher([old, young, bad], NOW)] == [young.point, old.point, bad.point]


def test_age_never_beats_what_is_clearly_better() -> None:
    spread = 0.5  # of two candidates at 1 and 0
    better = candidate(1.0, timedelta(days=5_000))
    worse = candidate(1.0 - 2 * spread, timedelta(0))
    assert BONUS_MAX * spread < 2 * spread
    assert [one.point for one in fresher([better, worse], NOW)] == [better.point, worse.point]


def test_without_a_now_or_an_age_nothing_moves() -> None:
    made = [candidate(1.0, timedelta(days=900)), candidate(0.9999, timedelta(0)), candidate(0.5, timedelta(0))]
    assert list(fresher(made, None)) == made
    unknown = [candidate(1.0, None), candidate(0.9999, None)]
    assert list(fresher(unknown, NOW)) == unknown
    future = [candidate(1.0, timedelta(days=-400)), candidate(0.0, None)]
    assert fresher(future, NOW)[0].score <= 1.0 + BONUS_MAX * 0.5
