"""How text falls into exact terms, words and runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.adapters.bm25.words import EXACT_CHARACTERS_MAX, Exact, Run, Word, fold, pieces


def exact(text: str) -> list[str]:
    return [piece.term for piece in pieces(text) if isinstance(piece, Exact)]


def words(text: str) -> list[str]:
    return [piece.text for piece in pieces(text) if isinstance(piece, Word)]


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("1099-MISC", ["1099-misc"], ["1099", "misc"]),
        ("E_CONN_42", ["e_conn_42"], ["conn", "42"]),
        ("getUserName", ["getusername"], ["get", "user", "name"]),
        ("HTTPServer", ["httpserver"], ["http", "server"]),
        ("max_retry_count", ["max_retry_count"], ["max", "retry", "count"]),
        ("INV2024", ["inv2024"], ["inv", "2024"]),
        ("v2.3.1", ["v2.3.1", "v2"], []),
        ("SKU-88/A", ["sku-88/a", "sku-88"], ["sku", "88", "a"]),
        ("node.js", ["node.js"], ["node", "js"]),
        ("2026-05-04", ["2026-05-04"], ["2026", "05", "04"]),
        ("config.yaml:42", ["config.yaml:42", "config.yaml"], ["config", "yaml", "42"]),
        ("jane.doe@acme.com", ["jane.doe@acme.com", "jane.doe", "acme.com"], ["jane", "doe", "acme", "com"]),
        ("std::vector", ["std::vector"], ["std", "vector"]),
        ("C++", ["c++"], []),
        ("C#", ["c#"], []),
        ("_private_name", ["_private_name"], ["private", "name"]),
    ],
)
def test_identifiers_are_kept_whole_and_in_parts(text: str, whole: list[str], parts: list[str]) -> None:
    assert (exact(text), words(text)) == (whole, parts)
    assert exact(f"see ({text}), please") == whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the company's plan", ["the", "company", "plan"]),
        ("l’entreprise", ["entreprise"]),
        ("APIs and URLs", ["apis", "and", "urls"]),
        ("Straße", ["strasse"]),
        ("plan B", ["plan", "b"]),
        ("error=42, done.", ["error", "42", "done"]),
        ("co\u00adopera\u200btion", ["cooperation"]),
        ("Ｆｕｌｌ ｗｉｄｔｈ １２", ["full", "width", "12"]),
        ("ﬁnance", ["finance"]),
        ("ZŁOTY řízení Ősz", ["złoty", "řízení", "ősz"]),
        ("छुट्टी की नीति।", ["छुट्टी", "की", "नीति"]),
    ],
)
def test_plain_words_are_folded(text: str, expected: list[str]) -> None:
    assert words(text) == expected
    assert exact(text) == []


def test_a_word_in_capitals_stands_out_unless_all_are() -> None:
    shouted = {piece.text for piece in pieces("Ask IT about it") if isinstance(piece, Word) and piece.shouted}
    assert shouted == {"it"}
    assert not any(piece.shouted for piece in pieces("ASK IT ABOUT IT") if isinstance(piece, Word))


def test_writing_without_spaces_becomes_runs() -> None:
    assert list(pieces("报销flow図書館")) == [Run("报销"), Word("flow", shouted=False), Run("図書館")]


def test_an_identifier_longer_than_any_is_kept_in_parts_alone() -> None:
    name = "ab_" * EXACT_CHARACTERS_MAX + "ab"
    assert exact(name) == []
    assert set(words(name)) == {"ab"}


@given(st.text(max_size=200))
def test_any_text_gives_folded_pieces_that_are_not_empty(text: str) -> None:
    for piece in pieces(text):
        match piece:
            case Exact(term):
                assert term
                assert term == fold(term)
            case Word(word, _):
                assert word
            case Run(run):
                assert run


@given(st.text(alphabet="ab_-.'@/:C12你カ ", max_size=60))
def test_full_width_forms_are_equal_to_plain_ones(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert list(pieces(wide)) == list(pieces(text))


def test_a_long_text_takes_linear_time() -> None:
    assert sum(1 for _ in pieces("a-" * 100_000 + "-._" * 100_000 + "x" * 100_000)) < 400_000
