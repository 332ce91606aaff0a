"""Packing of token ids and floats, and what names a model."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.encoding import ModelCard, StoredTokens, pack_token_ids, unpack_floats, unpack_token_ids
from cortex.domain.errors import Invalid


@given(st.lists(st.integers(0, 0xFFFF)))
def test_token_ids_survive_packing(token_ids: list[int]) -> None:
    packed = pack_token_ids(tuple(token_ids))
    assert packed == struct.pack(f"<{len(token_ids)}H", *token_ids)
    assert unpack_token_ids(packed) == tuple(token_ids)


@pytest.mark.parametrize("token", [-1, 0x10000])
def test_a_token_id_beyond_sixteen_bits_is_refused(token: int) -> None:
    with pytest.raises(Invalid, match="65535"):
        pack_token_ids((token,))


def test_half_a_token_id_is_refused() -> None:
    with pytest.raises(Invalid):
        unpack_token_ids(b"abc")


@given(st.lists(st.floats(width=32, allow_nan=False)))
def test_floats_are_read_as_they_were_packed(floats: list[float]) -> None:
    assert unpack_floats(struct.pack(f"<{len(floats)}f", *floats)) == tuple(floats)


def test_part_of_a_float_is_refused() -> None:
    with pytest.raises(Invalid):
        unpack_floats(b"abcde")


def test_a_models_key_changes_with_its_weights_and_its_revision() -> None:
    def card(revision: str, sha256: str) -> ModelCard:
        return ModelCard("m", revision, sha256, dimensions=8, tokens_max=16, languages=frozenset({"en"}))

    keys = {card("1", "a" * 64).key, card("2", "a" * 64).key, card("1", "b" * 64).key}
    assert len(keys) == 3
    assert card("1", "a" * 64).key == "m@1:aaaaaaaaaaaaaaaa"


def test_stored_tokens_know_their_size() -> None:
    stored = StoredTokens(token_bits=bytes(96), token_ids=(1, 2))
    assert (stored.tokens, stored.size_bytes) == (2, 100)
