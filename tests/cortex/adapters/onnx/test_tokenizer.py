"""Counting as the encoder does."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.domain.errors import Invalid
from tests.built_model import built_model

TOKENIZER = Tokenizer(built_model().tokenizer_path)


def test_nothing_is_truncated_or_padded() -> None:
    assert TOKENIZER.count("word " * 3000) == 3000
    assert TOKENIZER.count("") == 0
    assert TOKENIZER.special_tokens == 2


def test_counts_and_offsets_agree_with_what_is_encoded() -> None:
    text = "Kündigungsfrist: 3 Monate (§ 622 BGB) 中文"
    ids, truncated = TOKENIZER.encode(text, tokens_max=256)
    assert TOKENIZER.count(text) + TOKENIZER.special_tokens == len(ids)
    assert len(TOKENIZER.offsets(text)) == TOKENIZER.count(text)
    assert not truncated


def test_cutting_keeps_the_closing_token() -> None:
    assert TOKENIZER.encode("a b c d e f", tokens_max=4) == ([101, 1037, 1038, 102], True)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_offsets_are_ordered_spans_of_code_points(text: str) -> None:
    before = 0
    for start, end in TOKENIZER.offsets(text):
        assert 0 <= start <= end <= len(text)
        assert start >= before
        before = start


def test_a_missing_file_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="cortex models build"):
        Tokenizer(tmp_path / "tokenizer.json")
