import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.errors import Invalid
from services.parse.text import clean, decode, flow


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ("a\r\nb\rc\u2028d\x0ce", "a\nb\nc\nd\ne"),
        ("nul\0 bell\x07 escape\x1b[0m", "nul bell escape[0m"),
        ("\ufeffstart", "start"),
        ("user\u202efdp.exe\u202c", "userfdp.exe"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("Cafe\u0301", "Café"),
        ("tab\tstays", "tab\tstays"),
        ("x" + "\u0316" * 50, "x" + "\u0316" * 30),
        ("👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"),
    ],
)
def test_text_is_stored_without_what_cannot_be_read(raw: str, stored: str) -> None:
    assert clean(raw) == stored


@given(st.text(st.characters()))
def test_cleaning_twice_changes_nothing_and_leaves_text_that_encodes(text: str) -> None:
    once = clean(text)

    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once.encode().decode() == once


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "Grüße"),
        ("utf-16", "Grüße"),
        ("utf-16-le", "Most Latin text has zeros: Grüße"),
        ("utf-32", "Grüße"),
        ("shift_jis", "会議は月曜日の午前九時に始まります。資料を必ず読んでください。" * 5),
        ("cp1252", "Die Prüfung der Löhne für März ist über den Sommer abgeschlossen worden. " * 3),
    ],
)
def test_encodings_are_found(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_a_guess_is_told_to_the_administrator() -> None:
    assert "not declared" in decode("Prüfung der Löhne für März".encode("cp1252")).warnings[0]


def test_a_declared_encoding_is_used_for_what_is_not_utf8() -> None:
    assert decode("žluťoučký".encode("iso-8859-2"), declared="ISO-8859-2").text == "žluťoučký"


@pytest.mark.parametrize("declared", ["idna", "unicode_escape", "base64", "undefined", "no such", "a\0b"])
def test_a_declared_encoding_that_is_no_character_set_is_ignored(declared: str) -> None:
    assert decode(b"caf\xe9 au lait", declared=declared).text.startswith("caf")


def test_binary_is_refused() -> None:
    with pytest.raises(Invalid, match="binary"):
        decode(bytes(range(256)) * 10)


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    with suppress(Invalid):
        clean(decode(data).text).encode()


def test_lines_flow_with_spaces_but_not_between_chinese_characters() -> None:
    assert flow(["one", "two"]) == "one two"
    assert flow(["你好", "世界", "ok"]) == "你好世界 ok"


@pytest.mark.parametrize("raw", [b"\xff\xfe\0garbage", b"\xfe\xffno UTF-16, though", b"\xff\xfe" + b"\xfd\xff" * 9])
def test_a_mark_does_not_make_other_bytes_text(raw: bytes) -> None:
    with pytest.raises(Invalid, match="binary"):
        decode(raw)


@pytest.mark.parametrize(
    "text", ["汉", "中文文档的一个标题：说明，第二版。", "日本語の文書です。", "Grüße, Zoë", "한국어 문서"]
)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_behind_its_mark_is_read(text: str, encoding: str) -> None:
    assert decode(("\ufeff" + text).encode(encoding)).text == text
