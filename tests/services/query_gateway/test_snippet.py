"""Snippets: the window, highlights in code points, the exact anchor."""

import uuid
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.answer import Passage, SourceLabel
from cortex.domain.document import Anchor
from cortex.domain.identity import ChunkId, DocumentId, SourceId
from services.query_gateway.snippet import SNIPPET_CHARACTERS, snippet

NOWHERE = uuid.UUID(int=0)


def passage(*blocks: str, language: str = "en") -> Passage:
    return Passage(
        chunk_id=ChunkId(NOWHERE),
        document_id=DocumentId(NOWHERE),
        revision=3,
        title="",
        url="",
        source=SourceLabel(SourceId(NOWHERE), "files", "wiki"),
        author=None,
        updated_at=None,
        language=language,
        heading_path=(),
        text="\n".join(blocks),
        anchors=tuple(Anchor(3, n, 10, 10 + len(block)) for n, block in enumerate(blocks)),
        score=0.0,
    )


def highlighted(found: Passage, question: str) -> list[str]:
    shown = snippet(found, question)
    return [shown.text[start:end] for start, end in shown.highlights]


def test_highlights_count_code_points() -> None:
    text = "👩‍👩‍👧 Grüße: Die Prüfung 𝔘 der Prüfungen läuft."
    assert highlighted(passage(text, language="de"), "Wann ist die Prüfung?") == ["Prüfung", "Prüfungen"]


def test_chinese_is_found_by_pairs_of_characters() -> None:
    assert highlighted(passage("老化测试时间为72小时。", language="zh"), "老化测试要多少小时？") == ["老化测试", "小时"]


def test_a_code_is_found_whole() -> None:
    assert highlighted(passage("Then E_CONN_42 came, not E_CONN_43."), "what is e_conn_42")[0] == "E_CONN_42"


def test_words_of_grammar_are_not_highlighted() -> None:
    assert highlighted(passage("We are what we are."), "what are we") == []


def test_the_window_lies_where_the_matches_are() -> None:
    text = "Nothing here. " * 60 + "The deploy day is Tuesday. " + "Nothing there. " * 60
    shown = snippet(passage(text), "Which day do we deploy?")
    assert "deploy day is Tuesday" in shown.text
    assert len(shown.text) <= SNIPPET_CHARACTERS
    assert not shown.text[0].isspace()


def test_the_anchor_names_the_block_with_the_matches_exactly() -> None:
    blocks = ("First of all.", "Deploys go out on Tuesday.", "And more.")
    anchor = snippet(passage(*blocks), "deploy tuesday").anchor
    assert (anchor.block_id, anchor.start, anchor.end) == (1, 10, 10 + len(blocks[1]))


@settings(deadline=None)
@given(st.lists(st.text(min_size=1, max_size=400).filter(lambda t: "\n" not in t), min_size=1, max_size=4), st.text())
def test_whatever_the_text_ranges_and_anchor_are_exact(blocks: list[str], question: str) -> None:
    found = passage(*blocks)
    shown = snippet(found, question)
    assert shown.text in found.text
    assert all(0 <= start < end <= len(shown.text) for start, end in shown.highlights)
    assert all(a[1] < b[0] for a, b in zip(shown.highlights, shown.highlights[1:], strict=False))
    block = blocks[shown.anchor.block_id]
    quoted = block[shown.anchor.start - 10 : shown.anchor.end - 10]
    assert quoted in shown.text
    assert replace(shown.anchor, start=0, end=0) == Anchor(3, shown.anchor.block_id, 0, 0)
