from datetime import UTC, datetime

import pytest

from cortex.domain.errors import Invalid
from cortex.domain.query_text import (
    KINDS,
    VALUES_MAX,
    Wanted,
    holds_excluded,
    holds_phrases,
    of_kind,
    parse,
)


@pytest.mark.parametrize(
    "text",
    [
        "how do we rotate keys",
        "1099-MISC E_CONN_42 SKU-77/b",
        "below -18 degrees",
        "note: from the top, in time",
        "e.g. foo:bar https://x.example/a-b",
        'an "unclosed phrase',
        "a - b -- c",
        "что это 冷链 -25",
        "from: nobody",
    ],
)
def test_what_is_no_operator_stays_as_it_is(text: str) -> None:
    read = parse(text)
    assert read.text == text
    assert not read.wanted
    assert (read.people, read.places, read.after, read.before) == ((), (), None, None)


def test_every_operator_is_read_and_leaves_the_words() -> None:
    read = parse('dry ice "cold  chain" from:priya FROM:"Ann Vogel" in:wiki -draft -"old stuff" type:PDF budget')
    assert read.text == "dry ice cold chain budget"
    assert read.wanted == Wanted(phrases=("cold chain",), excluded=("draft", "old stuff"), kinds=("pdf",))
    assert (read.people, read.places) == (("priya", "Ann Vogel"), ("wiki",))


def test_typographic_quotes_are_quotes() -> None:
    assert parse("„kalte Kette“ «froid» “cold”").wanted.phrases == ("kalte Kette", "froid", "cold")


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("x after:2026", "2026-01-01T00:00:00", None),
        ("x after:2026-02 after:2026-03-05", "2026-03-05T00:00:00", None),
        ("x before:2026-03", None, "2026-02-28T23:59:59.999999"),
        ("x after:2024-02-29 before:2025", "2024-02-29T00:00:00", "2024-12-31T23:59:59.999999"),
    ],
)
def test_dates_are_days_months_or_years(text: str, after: str | None, before: str | None) -> None:
    read = parse(text)
    assert read.after == (datetime.fromisoformat(after).replace(tzinfo=UTC) if after else None)
    assert read.before == (datetime.fromisoformat(before).replace(tzinfo=UTC) if before else None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x before:yesterday", "before: write a date"),
        ("x after:2026-13", "after: write a date"),
        ("x after:2026-02-30", "after: write a date"),
        ("x before:0000", "before: write a date"),
        ("x before:0001", "before: write a date"),
        ("x type:spreadsheet", "type: use one of"),
        ("-word", "at least one word"),
        ("before:2026", "at least one word"),
        ("x " + " ".join(f"from:p{n}" for n in range(VALUES_MAX + 1)), "at most"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_mend(text: str, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        parse(text)


def test_who_only_narrows_looks_for_what_is_named() -> None:
    assert parse("from:priya in:wiki").text == "priya wiki"


@pytest.mark.parametrize(
    ("phrase", "text", "stands"),
    [
        ("cold chain", "The COLD\n chain broke.", True),
        ("cold chain", "cold-chain", False),
        ("old chain", "the cold chain", False),
        ("chain", "chains", False),
        ("chain", "(chain)", True),
        ("1099-MISC", "form 1099-misc, please", True),
        ("静电", "防静电规范", True),
        ("ｗｉｄｅ", "wide", True),
    ],
)
def test_a_phrase_stands_as_whole_words(phrase: str, text: str, stands: bool) -> None:
    assert holds_phrases(Wanted(phrases=(phrase,)), [text]) is stands


def test_each_phrase_stands_somewhere() -> None:
    wanted = Wanted(phrases=("one two", "three"))
    assert holds_phrases(wanted, ["one two", "and three"])
    assert not holds_phrases(wanted, ["one two"])


@pytest.mark.parametrize(
    ("word", "text", "held"),
    [
        ("draft", "Two drafts were sent.", True),
        ("draft", "Nothing of the sort.", False),
        ("E_CONN_42", "it says e_conn_42", True),
        ("E_CONN_42", "it says E_CONN_43", False),
        ("old stuff", "some old stuff", True),
        ("old stuff", "old and stuff", False),
    ],
)
def test_a_word_is_left_out_in_every_ending(word: str, text: str, held: bool) -> None:
    assert holds_excluded(Wanted(excluded=(word,)), text, "en") is held


def test_kinds_are_told_by_the_media_type() -> None:
    assert of_kind("text/markdown; charset=utf-8", ["markdown"])
    assert of_kind("text/x-python", ["pdf", "code"])
    assert not of_kind("application/pdf", ["markdown"])
    assert all(starts for starts in KINDS.values())
