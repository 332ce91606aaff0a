"""Words, their stems, codes and places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.words import is_exact, stem, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deploys", "deploy"),
        ("deployed", "deploying"),
        ("policies", "policy"),
        ("boxes", "box"),
        ("planned", "planning"),
        ("releases", "release"),
        ("won", "win"),
        ("kept", "keeping"),
        ("customer's", "customers"),
    ],
)
def test_forms_of_an_english_word_are_one(one: str, other: str) -> None:
    assert stem(one, "en") == stem(other, "en")


@pytest.mark.parametrize(("one", "other"), [("Prüfungen", "Prüfung"), ("Straße", "Strassen"), ("Verträge", "Vertrag")])
def test_forms_of_a_german_word_are_one(one: str, other: str) -> None:
    assert stem(one.casefold(), "de") == stem(other.casefold(), "de")


@pytest.mark.parametrize(("one", "other"), [("business", "busy"), ("bus", "bu")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one, "en") != stem(other, "en")


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("E_CONN_42", True),
        ("MX-1099-B", True),
        ("v2.3.1", True),
        ("2.7", True),
        ("4.500", False),
        ("a@b.example", True),
        ("2026", False),
        ("42", False),
        ("3rd", False),
        ("on-call", False),
        ("Hamburg", False),
    ],
)
def test_codes_are_exact_and_years_are_not(text: str, exact: bool) -> None:
    assert is_exact(text) is exact


def test_a_compound_is_found_whole_and_by_its_parts() -> None:
    assert [word.key for word in words("on-call")] == ["on-call", "on", "call"]


def test_chinese_words_of_grammar_are_stop_words() -> None:
    found = words("老化测试的时间是多少", "zh")
    assert [word.key for word in found if not word.stop] == ["老化", "化测", "测试", "时间"]


@given(st.text(max_size=200), st.sampled_from(["en", "de", "zh", "ja"]))
def test_every_word_lies_where_it_says(text: str, language: str) -> None:
    for word in words(text, language):
        assert 0 <= word.start < word.end <= len(text)
        assert word.key
