"""What a model writes, cut into plain sentences with the numbers behind them, whatever the pieces it comes in."""

import random
import re

import pytest

from services.llm_gateway.llm.reading import UNFINISHED_CHARACTERS_MAX, Reader, Written


def whole(text: str, *, size: int = 1) -> list[Written]:
    reader = Reader()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [*(one for piece in pieces for one in reader.feed(piece)), *reader.end()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Everyone has 31 days. [1]", [("Everyone has 31 days.", (1,))]),
        ("Everyone has 31 days [1]. Ask Ann [2][3].", [("Everyone has 31 days.", (1,)), ("Ask Ann.", (2, 3))]),
        ("One. [1, 2] Two.【3】 Three. [passage 4]", [("One.", (1, 2)), ("Two.", (3,)), ("Three.", (4,))]),
        ("- First [1]\n- Second [2]\n", [("First", (1,)), ("Second", (2,))]),
        ("1. First [1]\n2) Second", [("First", (1,)), ("Second", ())]),
        ("It is 3.5 percent, e.g. for Dr. Meyer. [1]", [("It is 3.5 percent, e.g. for Dr. Meyer.", (1,))]),
        ("年假有31天。[1] 病假有5天。[2]", [("年假有31天。", (1,)), ("病假有5天。", (2,))]),
        ("**Bold** and `E_CONN_42` and _soft_. [1]", [("Bold and E_CONN_42 and soft.", (1,))]),
        ("<think>They ask. [9] Hm.\n</think>Yes. [1]", [("Yes.", (1,))]),
        ("<think>never ends. [1] ", []),
        ("[1] [2]", []),
        ("", []),
    ],
)
def test_sentences_and_their_numbers(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    for size in (1, 3, len(text) or 1):
        assert [(one.text, one.numbers) for one in whole(text, size=size)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [our wiki](https://evil.example/?q=secret). [1]", "See our wiki."),
        ("![x](https://evil.example/p.png?d=secret)Done. [1]", "Done."),
        ("Go to https://evil.example/login now. [1]", "Go to now."),
        ("Mail javascript:alert(1) or www.evil.example today. [1]", "Mail or today."),
        ("<img src=x onerror=alert(1)>Fine. [1]", "Fine."),
        ("&lt;script&gt;alert(1)&lt;/script&gt; Fine. [1]", "alert(1) Fine."),
    ],
)
def test_links_images_and_markup_are_never_the_models(text: str, expected: str) -> None:
    (one,) = whole(text)
    assert one.text == expected


def test_a_sentence_comes_as_soon_as_something_else_follows() -> None:
    reader = Reader()
    assert list(reader.feed("Everyone has 31 days. [1")) == []
    assert list(reader.feed("]")) == []
    assert [one.text for one in reader.feed(" A")] == ["Everyone has 31 days."]


def test_a_text_without_an_end_does_not_grow_for_ever() -> None:
    reader = Reader()
    for _ in range(20):
        assert list(reader.feed("word " * 400)) == []
    assert sum(len(one.text) for one in reader.end()) <= UNFINISHED_CHARACTERS_MAX


def test_no_text_breaks_it() -> None:
    seed = 20261130
    chance = random.Random(seed)
    alphabet = [*"ab .!?\n[]()<>*_`#1239【】。-&;:/\"'", "https://x ", "<think>", "</think>", "![", "]("]
    for _ in range(300):
        text = "".join(chance.choice(alphabet) for _ in range(120))
        for one in whole(text, size=chance.randint(1, 9)):
            assert "http" not in one.text, (seed, text)
            assert re.search(r"\[[^\]]*\]\([^)]*\)", one.text) is None, (seed, text)
