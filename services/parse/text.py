"""Bytes to text, and text to the form in which it is stored."""

import codecs
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from cortex.domain.errors import Invalid

SAMPLE_BYTES = 64 * 1024
NUL_SHARE_MAX = 0.001
BINARY = "is binary of an unknown kind, not text; convert it to text, Markdown, HTML, DOCX or PDF"
UNITS_MIN = 4
UNASSIGNED_SHARE_MAX = 0.1
BYTES_OF_TEXT_SHARE_MAX = 0.9

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls but tab and newline; lone surrogates; soft hyphen, zero-width space and byte order mark; bidirectional
# overrides and isolates, which make text read as something else than it is; "tag" characters, which hide text.
_UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# As Unicode's stream-safe form has it; thousands of marks on one letter make normalising take for ever.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_EXCESS = re.compile(f"([{_MARKS}]{{30}})[{_MARKS}]+")
_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_UNWRITTEN = frozenset(["Cn", "Cs"])
_PRINTABLE = range(0x20, 0x7F)
_BLANK = b"\0\t\n\r"
_SPACES = re.compile(r"\s+")
# Python also knows codecs that are not character sets (idna, unicode_escape), and a file may ask for them.
_CHARACTER_SETS = re.compile(r"utf-|iso|cp\d|koi8|gb|big5|euc_|shift_jis|mac|ascii|hz$|johab|tis|ptcp|kz")


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str
    guessed: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        return (f"the encoding is not declared; read as {self.encoding}",) if self.guessed else ()


def clean(text: str) -> str:
    """The stored form: newlines as line ends, no control, hidden or overriding characters, composed (NFC),
    at most 30 marks on a letter.

    Idempotent. Joiners and left-to-right marks stay, since Persian, Indic scripts and emoji need them.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _UNWANTED.sub("", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", _EXCESS.sub(r"\1", text))


def collapse(text: str) -> str:
    """One line, single spaces: for titles, cells and flowing text whose white space has no meaning."""
    return _SPACES.sub(" ", text).strip()


def flow(lines: Iterable[str]) -> str:
    """Lines that a margin broke, as one: with a space between, or nothing between Chinese or Japanese characters."""
    parts: list[str] = []
    for line in lines:
        if parts and not (_WIDE.match(parts[-1][-1:]) and _WIDE.match(line[:1])):
            parts.append(" ")
        parts.append(line)
    return "".join(parts)


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """By byte order mark, as UTF-8, as declared, then by guess. Raises Invalid for what is not text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            if encoding.startswith("utf-16") and _is_no_utf_16(body[:SAMPLE_BYTES], encoding):
                raise Invalid(BINARY)
            return Decoded(body.decode(encoding, "replace"), encoding)
    wide = _wide_encoding(data)
    if wide:
        return Decoded(data.decode(wide, "replace"), wide, guessed=True)
    if data[:SAMPLE_BYTES].count(0) > NUL_SHARE_MAX * min(len(data), SAMPLE_BYTES):
        raise Invalid(BINARY)
    try:
        return Decoded(data.decode(), "utf-8")
    except UnicodeDecodeError:
        pass
    known = _known_encoding(declared)
    if known:
        return Decoded(data.decode(known, "replace"), known)
    return _guess(data)


def _known_encoding(declared: str | None) -> str | None:
    """Python's name of a declared character set, if it has it."""
    try:
        found = codecs.lookup(declared.strip()) if declared else None
    except (LookupError, ValueError):
        return None
    return found.name if found and _CHARACTER_SETS.match(found.name) else None


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 without a mark: mostly Latin text has zero in every other byte."""
    sample = data[: SAMPLE_BYTES // 2 * 2]
    pairs = len(sample) // 2
    if pairs < 2 or len(data) % 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.4 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return None


def _is_no_utf_16(sample: bytes, encoding: str) -> bool:
    """Other bytes behind what looks like a mark: code points that nobody writes, or single-byte text in pairs."""
    units = len(sample) // 2
    if units < UNITS_MIN:
        return False
    sample = sample[: units * 2]
    text = sample.decode(encoding, "replace")
    unwritten = sum(character == "\ufffd" or unicodedata.category(character) in _UNWRITTEN for character in text)
    high, low = (sample[1::2], sample[0::2]) if encoding == "utf-16-le" else (sample[0::2], sample[1::2])
    pairs = zip(high, low, strict=True)
    paired = sum(first in _PRINTABLE and (second in _PRINTABLE or second in _BLANK) for first, second in pairs)
    return unwritten > UNASSIGNED_SHARE_MAX * units or paired > BYTES_OF_TEXT_SHARE_MAX * units


def _guess(data: bytes) -> Decoded:
    """By statistics over a sample that ends at a line end, so that no character is cut."""
    import charset_normalizer

    sample = data[:SAMPLE_BYTES]
    if len(data) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample[: sample.rindex(b"\n") + 1]
    best = charset_normalizer.from_bytes(sample).best()
    encoding = best.encoding if best else "cp1252"
    return Decoded(data.decode(encoding, "replace"), encoding, guessed=True)
