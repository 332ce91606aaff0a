"""The encoder on real weights: shapes, bits, determinism."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.domain.encoding import unpack_floats
from cortex.domain.errors import Invalid
from tests.built_model import built_model

PASSAGE = "Notice periods are three months to the end of a quarter, unless the contract says otherwise."
QUERY = "How long is the notice period?"


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(built_model())


def test_a_passage_has_a_unit_vector_and_one_bit_a_dimension_of_every_token(encoder: OnnxEncoder) -> None:
    encoding = encoder.encode_passage(PASSAGE)
    dense = np.array(unpack_floats(encoding.dense))
    assert dense.shape == (384,)
    assert np.linalg.norm(dense) == pytest.approx(1.0, abs=1e-5)
    assert len(encoding.stored.token_bits) == 48 * encoding.stored.tokens
    assert not encoding.truncated


def test_a_querys_token_vectors_are_those_whose_signs_a_passage_keeps(encoder: OnnxEncoder) -> None:
    passage, query = encoder.encode_passage(PASSAGE), encoder.encode_query(PASSAGE)
    assert (query.dense, query.token_ids) == (passage.dense, passage.stored.token_ids)
    vectors = np.frombuffer(query.token_vectors, "<f4").reshape(-1, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.packbits(vectors > 0, axis=1).tobytes() == passage.stored.token_bits


def test_special_tokens_are_left_out(encoder: OnnxEncoder) -> None:
    token_ids = encoder.encode_query(QUERY).token_ids
    assert not {101, 102} & set(token_ids)
    assert len(token_ids) == 7


def test_related_texts_are_closer_than_unrelated_ones(encoder: OnnxEncoder) -> None:
    query = np.array(unpack_floats(encoder.encode_query(QUERY).dense))
    related = np.array(unpack_floats(encoder.encode_passage(PASSAGE).dense))
    unrelated = np.array(unpack_floats(encoder.encode_passage("The build cache lives on the second disk.").dense))
    assert query @ related > 0.6 > 0.2 > query @ unrelated


def test_the_same_text_gives_the_same_bytes_on_any_thread_beside_any_others(encoder: OnnxEncoder) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    words = PASSAGE.split()
    shuffled = random.Random(seed)
    texts = [" ".join(shuffled.choices(words, k=shuffled.randint(1, 150))) for _ in range(12)]
    alone = {text: encoder.encode_passage(text) for text in texts}
    again = OnnxEncoder(built_model())
    with ThreadPoolExecutor(4) as threads:
        order = shuffled.choices(texts, k=40)
        for text, encoding in zip(order, threads.map(again.encode_passage, order), strict=True):
            assert encoding == alone[text]


def test_what_does_not_fit_is_cut_at_the_end_and_reported(encoder: OnnxEncoder) -> None:
    long = encoder.encode_passage("word " * 1000)
    assert long.truncated
    assert long.stored.tokens == encoder.model.tokens_max - 2
    assert long.dense == encoder.encode_passage("word " * (encoder.model.tokens_max - 2)).dense


@pytest.mark.parametrize("empty", ["", "  \n\t "])
def test_an_empty_text_is_refused(encoder: OnnxEncoder, empty: str) -> None:
    with pytest.raises(Invalid, match="empty"):
        encoder.encode_passage(empty)
    with pytest.raises(Invalid, match="empty"):
        encoder.encode_query(empty)


def test_text_in_which_the_tokenizer_sees_nothing_still_has_a_vector(encoder: OnnxEncoder) -> None:
    encoding = encoder.encode_passage("\u200d\u200d")
    assert encoding.stored.tokens == 0
    assert np.isfinite(unpack_floats(encoding.dense)).all()
