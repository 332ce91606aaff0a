from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chunk import Chunk, embedded_text
from cortex.domain.document import Block, BlockKind
from cortex.domain.errors import Invalid
from services.chunk.chunker import chunk
from services.chunk.settings import ChunkLimits
from tests.services.chunk.word_counter import WordCounter

LIMITS = ChunkLimits(target_tokens=40, tokens_max=64, overlap_tokens=8, tiny_tokens=10)


def document(*parts: tuple[BlockKind, str] | tuple[BlockKind, str, int]) -> list[Block]:
    return [
        Block(number, part[0], part[1], level=part[2] if len(part) == 3 else None) for number, part in enumerate(parts)
    ]


def chunks_of(blocks: Sequence[Block], title: str = "Handbook", limits: ChunkLimits = LIMITS) -> tuple[Chunk, ...]:
    return chunk(title, blocks, counter=WordCounter(), language_of=lambda _: "en", limits=limits)


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{number}" for number in range(count))


H, P, TABLE, MESSAGE = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.MESSAGE


def test_small_paragraphs_under_one_heading_share_a_chunk() -> None:
    found = chunks_of(document((H, "Leave", 1), (P, words(10)), (P, words(10, "day"))))

    assert [one.text for one in found] == [f"{words(10)}\n{words(10, 'day')}"]
    assert found[0].heading_path == ("Leave",)


def test_a_high_heading_parts_chunks_and_the_path_is_kept() -> None:
    found = chunks_of(document((H, "Leave", 1), (H, "Sick", 2), (P, words(15)), (H, "Parental", 2), (P, words(15))))

    assert [one.heading_path for one in found] == [("Leave", "Sick"), ("Leave", "Parental")]


def test_a_high_heading_does_not_part_two_tiny_sections() -> None:
    found = chunks_of(document((H, "Codes", 1), (H, "Red", 2), (P, "stop"), (H, "Green", 2), (P, "go")))

    assert [(one.heading_path, one.text) for one in found] == [(("Codes",), "Red\nstop\nGreen\ngo")]


def test_small_sections_under_deep_headings_join_with_their_headings_in_the_text() -> None:
    found = chunks_of(document((H, "Desk", 2), (H, "Chair", 3), (P, words(12)), (H, "Lamp", 3), (P, words(12))))

    assert [(one.heading_path, one.text) for one in found] == [(("Desk",), f"Chair\n{words(12)}\nLamp\n{words(12)}")]


def test_a_heading_with_nothing_below_it_can_be_found() -> None:
    found = chunks_of(document((H, "Agenda", 1), (H, "Budget", 2), (H, "Hiring", 2)))

    assert [(one.heading_path, one.text) for one in found] == [(("Agenda",), "Budget\nHiring")]


def test_only_a_long_paragraph_is_cut_at_sentences_and_overlaps() -> None:
    sentences = [f"Sentence {number} says {words(6)}." for number in range(12)]
    found = chunks_of(document((P, " ".join(sentences)), (P, words(20))))

    cut_chunks = [one for one in found if one.spans[0].block_id == 0]
    assert len(cut_chunks) > 2
    assert all(one.text.startswith("Sentence") for one in cut_chunks)
    assert all(one.text.split("\n")[0].endswith(".") for one in cut_chunks)
    assert sum(span.end - span.start for one in found for span in one.spans if span.block_id == 1) == len(words(20))


def test_words_are_repeated_between_parts_without_sentences() -> None:
    found = chunks_of(document((P, words(150))))

    for before, after in pairwise(found):
        assert before.spans[-1].end - after.spans[0].start > 0
        assert not set(before.text.split()).isdisjoint(after.text.split())


def test_chinese_is_cut_behind_its_own_full_stop() -> None:
    found = chunks_of(document((P, "我们在星期一发布新的版本。" * 20)), title="")

    assert len(found) > 3
    assert all(one.text.endswith("。") for one in found)


def test_rows_of_a_table_stay_whole_and_are_not_repeated() -> None:
    rows = [f"Region: r{number}; Revenue: {number}; Note: {words(4)}" for number in range(30)]
    found = chunks_of(document((TABLE, "\n".join(rows))))

    assert [row for one in found for row in one.text.split("\n")] == rows


def test_consecutive_messages_are_grouped_with_time_and_author() -> None:
    messages = [f"[2026-05-04 09:{minute}] Ada: {words(5)}" for minute in range(10, 16)]
    found = chunks_of(document(*((MESSAGE, text) for text in messages)))

    assert 1 < len(found) < len(messages)
    assert [line for one in found for line in one.text.split("\n")] == messages


def test_a_run_of_letters_that_is_one_token_is_still_bounded() -> None:
    found = chunks_of(document((P, "a" * 10_000)))

    assert max(len(one.text) for one in found) <= LIMITS.tokens_max * LIMITS.token_characters


def test_a_long_title_and_long_headings_leave_room_for_text() -> None:
    found = chunks_of(document((H, words(200, "heading"), 1), (P, words(50))), title=words(300, "title"))

    assert all(one.tokens <= LIMITS.tokens_max for one in found)
    assert [word for one in found for word in one.text.split()][:5] == words(5).split()


def test_text_is_counted_a_few_times_however_long_the_document_is() -> None:
    counter = WordCounter()
    blocks = document(*((P, words(30 + number % 90)) for number in range(500)))

    chunk("T", blocks, counter=counter, language_of=lambda _: "en", limits=LIMITS)

    assert counter.characters_counted < 5 * sum(len(block.text) for block in blocks)


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(Invalid, match="overlap_tokens"):
        ChunkLimits(target_tokens=40, overlap_tokens=30)


SNIPPETS = [*"abc XY1.!?\n\t;:,-", "。", "的", "語", "\u0301", "🙂", " ", " ", "word ", "long" * 30]
TEXTS = st.lists(st.sampled_from(SNIPPETS), max_size=400).map("".join)
HEADINGS = st.builds(lambda text, level: (H, text or "x", level), st.text("abc d", max_size=40), st.integers(1, 6))
BODIES = st.builds(lambda kind, text: (kind, text.strip() or "x"), st.sampled_from([*BlockKind][1:]), TEXTS)


@given(st.lists(st.one_of(HEADINGS, BODIES), max_size=25), st.text("abc 的", max_size=60))
def test_every_chunk_is_an_exact_join_within_the_limit_and_nothing_is_lost(
    parts: list[tuple[BlockKind, str, int]], title: str
) -> None:
    blocks = document(*parts)
    counter = WordCounter()
    found = chunks_of(blocks, title)

    assert found == chunks_of(blocks, title)
    assert [one.ordinal for one in found] == list(range(len(found)))
    covered: dict[int, set[int]] = {block.block_id: set() for block in blocks}
    for one in found:
        assert one.text == "\n".join(blocks[span.block_id].text[span.start : span.end] for span in one.spans)
        assert one.tokens == 2 + counter.count(embedded_text(title, one.heading_path, one.text)) <= LIMITS.tokens_max
        assert [span.block_id for span in one.spans] == sorted({span.block_id for span in one.spans})
        for span in one.spans:
            assert 0 <= span.start < span.end <= len(blocks[span.block_id].text)
            covered[span.block_id].update(range(span.start, span.end))
    for block in blocks:
        wanted = {place for place, character in enumerate(block.text) if not character.isspace()}
        assert block.kind is BlockKind.HEADING or wanted <= covered[block.block_id]
