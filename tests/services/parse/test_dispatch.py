"""Bad input: one clear error each, of the right kind, within bounds."""

import random
from contextlib import suppress
from dataclasses import replace

import pytest

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import CortexError, Exhausted, Invalid
from services.parse.dispatch import parse
from services.parse.settings import ParseLimits
from tests.services.parse import samples

LIMITS = ParseLimits()
ROUNDS = 60


def test_a_message_begins_with_a_clean_name() -> None:
    with pytest.raises(Invalid, match=r"^evil\.md: is empty"):
        parse(b"", name="\u202eevil\0.md", limits=LIMITS)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.pdf", samples.pdf()[:200], "broken PDF"),
        ("a.pdf", samples.pdf(password="secret"), "password"),
        ("a.docx", samples.word()[:-200], "broken"),
        ("a.docx", samples.word_of(b"<w:document"), "not well-formed"),
        ("a.docx", samples.word_of(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "defines entities"),
        ("a.docx", samples.word_of(b"<w:document xmlns:w='w'><w:body/></w:document>"), "holds no text"),
        ("a.html", b"<html><script>only()</script></html>", "holds no text"),
        ("a.html", b"<!-- nothing -->", "holds no"),
        ("a.eml", b"just some words\n", "not an e-mail"),
        ("a.csv", b'a,b\n"' + b"x" * 200_000, "line 2: is not a row"),
    ],
)
def test_broken_and_locked_files_are_invalid(name: str, data: bytes, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        parse(data, name=name, limits=LIMITS)


@pytest.mark.parametrize(
    ("name", "data", "limit"),
    [
        ("a.md", b"x" * 2_001, "bytes_max"),
        ("a.txt", b"word " * 300, "characters_max"),
        ("a.md", b"x\n\n" * 200, "blocks_max"),
        ("a.html", b"<div>" * 300 + b"deep", "nested too deep"),
    ],
)
def test_what_is_too_large_names_its_limit(name: str, data: bytes, limit: str) -> None:
    small = replace(LIMITS, bytes_max=2_000, characters_max=1_000, blocks_max=100)
    with pytest.raises(Exhausted, match=limit):
        parse(data, name=name, limits=small)


def test_pages_and_parts_are_bounded() -> None:
    with pytest.raises(Exhausted, match="pages_max"):
        parse(samples.pdf(pages=3), name="a.pdf", limits=replace(LIMITS, pages_max=2))
    with pytest.raises(Exhausted, match="parts_max"):
        parse(samples.mail(), name="a.eml", limits=replace(LIMITS, parts_max=2))


def test_bombs_are_refused_before_they_are_inflated() -> None:
    bomb = samples.word_of(b" " * 50_000_000)
    with pytest.raises(Exhausted, match="zip_ratio_max"):
        parse(bomb, name="a.docx", limits=LIMITS)
    with pytest.raises(Exhausted, match="zip_bytes_max"):
        parse(bomb, name="a.docx", limits=replace(LIMITS, zip_bytes_max=1_000_000))
    with pytest.raises(Exhausted, match="zip_entries_max"):
        parse(samples.word(), name="a.docx", limits=replace(LIMITS, zip_entries_max=3))


def test_an_encrypted_entry_is_said_to_be_protected() -> None:
    data = bytearray(samples.word_of(b"<a/>"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(Invalid, match="password"):
        parse(bytes(data), name="a.docx", limits=LIMITS)


def test_nesting_ends_in_text_or_a_named_limit() -> None:
    deep = {
        "a.md": b">" * 5_000 + b" deep",
        "b.md": b"[" * 5_000 + b"deep",
        "c.md": b"---\n" + b"[" * 5_000 + b"\n---\nbody\n",
        "a.json": b"[" * 100_000,
        "a.docx": samples.word_of(b"<a>" * 5_000 + b"</a>" * 5_000),
        "a.eml": b"".join(
            b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (number, number) for number in range(2_000)
        )
        + b"Subject: x\n\ny",
    }
    for name, data in deep.items():
        with suppress(CortexError):
            assert parse(data, name=name, limits=LIMITS).blocks


@pytest.mark.parametrize(("name", "sample"), samples.every_sample().items())
def test_damaged_files_give_a_document_or_one_of_our_errors(name: str, sample: bytes) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(ROUNDS):
        data = damaged(sample, chance)
        try:
            document = parse(data, name=name, limits=LIMITS)
        except CortexError:
            continue
        assert isinstance(document, ParsedDocument)
        assert document.blocks
        for block in document.blocks:
            block.text.encode()


def damaged(sample: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, a piece cut out, doubled, or a piece of another file put in."""
    data = bytearray(sample)
    for _ in range(chance.choice([1, 3, 30])):
        place = chance.randrange(len(data))
        length = chance.choice([1, 2, 16, 200])
        match chance.randrange(5):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length]
            case 3:
                data[place:place] = chance.randbytes(length)
            case 4:
                data[place:place] = chance.choice([b"\0", b"\xff\xfe", b"<![CDATA[", b"=?x?q?=", b"]]>", b"&#0;", b'"'])
        if not data:
            data = bytearray(b"x")
    return bytes(data)
