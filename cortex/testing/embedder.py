"""What every Embedder must keep to."""

import numpy as np
import pytest

from cortex.domain.encoding import PassageEncoding, unpack_floats
from cortex.domain.errors import Exhausted, Invalid
from cortex.ports.embedder import Embedder

BEES, BOATS = "bees make honey in the old orchard", "boats sail to the far island"
MANY = 1_000


def cosine(left: bytes, right: bytes) -> float:
    return float(np.dot(unpack_floats(left), unpack_floats(right)))


def token_bytes(encoding: PassageEncoding) -> tuple[int, int]:
    return len(encoding.stored.token_bits) * 8, encoding.stored.tokens


class EmbedderContract:
    """`subject` is a fixture of the class that takes this up."""

    async def test_one_encoding_a_text_in_their_order(self, subject: Embedder) -> None:
        texts = [BEES, BOATS, BEES]
        first, second, third = await subject.encode_passages(texts)
        assert first.dense == third.dense != second.dense
        assert await subject.encode_passages([]) == []

    async def test_vectors_are_of_unit_length_and_of_the_dimensions_that_the_card_says(self, subject: Embedder) -> None:
        (passage,) = await subject.encode_passages([BEES])
        question = await subject.encode_query(BEES)
        for dense in (passage.dense, question.dense):
            assert len(unpack_floats(dense)) == subject.model.dimensions
            assert cosine(dense, dense) == pytest.approx(1.0, abs=1e-5)

    async def test_token_vectors_are_whole_or_there_are_none(self, subject: Embedder) -> None:
        (passage,) = await subject.encode_passages([BEES])
        question = await subject.encode_query(BEES)
        bits, tokens = token_bytes(passage)
        assert bits == tokens * subject.model.dimensions
        assert len(question.token_vectors) == 4 * subject.model.dimensions * len(question.token_ids)
        assert bool(tokens) == bool(question.token_ids)

    async def test_equal_texts_give_equal_bytes_whatever_is_beside_them(self, subject: Embedder) -> None:
        (alone,) = await subject.encode_passages([BEES])
        beside = await subject.encode_passages([BOATS, BEES, BOATS * 3])
        assert beside[1] == alone
        assert await subject.encode_query(BEES) == await subject.encode_query(BEES)

    async def test_a_question_is_nearest_to_what_it_asks_for(self, subject: Embedder) -> None:
        bees, boats = await subject.encode_passages([BEES, BOATS])
        question = await subject.encode_query("bees in the orchard")
        assert cosine(question.dense, bees.dense) > cosine(question.dense, boats.dense)

    async def test_what_is_beyond_the_window_changes_nothing_and_is_told(self, subject: Embedder) -> None:
        long = "bees " * subject.model.tokens_max
        short, cut, longer = await subject.encode_passages([BEES, long, f"{long} {BOATS}"])
        assert (short.truncated, cut.truncated, longer.truncated) == (False, True, True)
        assert cut.dense == longer.dense

    @pytest.mark.parametrize("text", ["", " \n"])
    async def test_an_empty_text_is_refused(self, subject: Embedder, text: str) -> None:
        with pytest.raises(Invalid, match="empty"):
            await subject.encode_query(text)
        with pytest.raises(Invalid, match="empty"):
            await subject.encode_passages([BEES, text])

    async def test_more_at_once_than_could_ever_wait_are_refused(self, subject: Embedder) -> None:
        with pytest.raises(Exhausted):
            await subject.encode_passages([BEES] * MANY)

    async def test_the_key_names_the_model(self, subject: Embedder) -> None:
        card = subject.model
        assert card.key == f"{card.name}@{card.revision}:{card.sha256[:16]}"
        assert card.languages
