import pytest

from cortex.domain.errors import Invalid
from services.parse.sniff import Format, sniff
from tests.services.parse import samples


@pytest.mark.parametrize(
    ("name", "mime", "data", "found"),
    [
        ("a.md", None, samples.MARKDOWN, Format.MARKDOWN),
        ("a.txt", None, samples.PLAIN, Format.PLAIN),
        ("A.TXT", None, samples.HTML, Format.HTML),
        ("page", "text/html; charset=utf-8", b"<p>x", Format.HTML),
        ("page", None, samples.HTML, Format.HTML),
        ("a.csv", "text/plain", samples.CSV, Format.TABLE),
        ("notes.md", "application/octet-stream", b"# x", Format.MARKDOWN),
        ("notes.txt", "text/markdown", b"# x", Format.MARKDOWN),
        ("message", None, samples.mail(), Format.MAIL),
        ("a.py", None, b"import os", Format.CODE),
        ("Makefile", None, b"all:", Format.CODE),
        ("report", None, samples.pdf(), Format.PDF),
        ("report.pdf", "application/octet-stream", b"junk before\n" + samples.pdf(), Format.PDF),
        ("offer.docx", None, samples.word(), Format.DOCX),
        ("unknown.zzz", None, b"some words", Format.PLAIN),
    ],
)
def test_formats_are_told_by_bytes_then_mime_then_name(name: str, mime: str | None, data: bytes, found: Format) -> None:
    assert sniff(data, name=name, mime=mime) is found


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.md", b"", "is empty"),
        ("blank.txt", b" \r\n\t\n", "is empty"),
        ("report.pdf", samples.zipped({"a.txt": b"a"}), "ZIP archive"),
        ("report.pdf", samples.word(), "is called PDF but holds DOCX"),
        ("report.docx", samples.pdf(), "is called DOCX but holds PDF"),
        ("report.pdf", b"plain text", "is called PDF but holds no PDF"),
        ("offer.docx", b"PK\x03\x04 and nothing else", "broken ZIP"),
        ("slides.pptx", samples.zipped({"ppt/presentation.xml": b"<a/>"}), "save it as PDF"),
        ("sheet.xlsx", samples.zipped({"xl/workbook.xml": b"<a/>"}), "save its sheets as CSV"),
        ("book.epub", samples.zipped({"META-INF/container.xml": b"<a/>"}), "EPUB"),
        ("a.odt", samples.zipped({"content.xml": b"<a/>"}), "OpenDocument"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "password"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "before 2007"),
        ("a.txt", b"{\\rtf1 hello}", "RTF"),
        ("logo.md", b"\x89PNG\r\n\x1a\n....", "PNG"),
        ("film.txt", b"\0\0\0\x20ftypisom", "MP4"),
    ],
)
def test_what_is_not_read_is_refused_with_the_mend(name: str, data: bytes, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        sniff(data, name=name)
