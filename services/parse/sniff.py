"""What a file is: by its first bytes, then by what was declared, then by its name. Lies are refused."""

import enum
import io
import re
import zipfile
from pathlib import PurePosixPath

from cortex.domain.errors import Invalid


class Format(enum.StrEnum):
    """Each value is a module of `services.parse.formats`."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
    RST = "rst"
    HTML = "html"
    DOCX = "docx"
    PDF = "pdf"
    TABLE = "table"
    MAIL = "mail"
    CODE = "code"


_DOCX_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_BY_MIME = {
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
    "text/x-rst": Format.RST,
    "text/prs.fallenstein.rst": Format.RST,
    "text/html": Format.HTML,
    "application/xhtml+xml": Format.HTML,
    "text/csv": Format.TABLE,
    "text/tab-separated-values": Format.TABLE,
    "message/rfc822": Format.MAIL,
    "application/pdf": Format.PDF,
    _DOCX_MIME: Format.DOCX,
    "application/json": Format.CODE,
    "application/yaml": Format.CODE,
    "application/xml": Format.CODE,
    "text/xml": Format.CODE,
}
_CODE_EXTENSIONS = (
    "json jsonl yaml yml toml ini cfg conf xml svg py pyi js jsx ts tsx mjs go rs java kt scala c h cc cpp hpp cs rb "
    "php swift sh bash zsh ps1 sql r lua pl tf hcl proto graphql css scss ipynb dockerfile makefile gradle"
)
_BY_EXTENSION = {
    "md": Format.MARKDOWN,
    "markdown": Format.MARKDOWN,
    "mdx": Format.MARKDOWN,
    "txt": Format.PLAIN,
    "text": Format.PLAIN,
    "rst": Format.RST,
    "log": Format.PLAIN,
    "vtt": Format.PLAIN,
    "srt": Format.PLAIN,
    "html": Format.HTML,
    "htm": Format.HTML,
    "xhtml": Format.HTML,
    "docx": Format.DOCX,
    "pdf": Format.PDF,
    "csv": Format.TABLE,
    "tsv": Format.TABLE,
    "eml": Format.MAIL,
} | dict.fromkeys(_CODE_EXTENSIONS.split(), Format.CODE)
_BINARY = frozenset({Format.PDF, Format.DOCX})
_UNSUPPORTED = (
    (b"{\\rtf", "an RTF document; save it as DOCX or PDF"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image; images are not read"),
    (b"\xff\xd8\xff", "a JPEG image; images are not read"),
    (b"GIF8", "a GIF image; images are not read"),
    (b"II*\0", "a TIFF image; images are not read"),
    (b"MM\0*", "a TIFF image; images are not read"),
    (b"RIFF", "a RIFF media file (WAV, AVI or WebP); media are not read here"),
    (b"OggS", "an Ogg media file; media are not read here"),
    (b"ID3", "an MP3 file; media are not read here"),
    (b"\x1f\x8b", "a gzip archive; unpack it"),
    (b"BZh", "a bzip2 archive; unpack it"),
    (b"\xfd7zXZ\0", "an xz archive; unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it"),
    (b"Rar!", "a RAR archive; unpack it"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\0", "an SQLite database; export it as CSV"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_KINDS = (
    ("ppt/", "a PowerPoint file; save it as PDF"),
    ("xl/", "an Excel workbook; save its sheets as CSV"),
    ("META-INF/container.xml", "an EPUB book; save it as HTML or PDF"),
    ("content.xml", "an OpenDocument file; save it as DOCX or PDF"),
)
_HTML_START = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.I | re.S)
_MAIL_START = re.compile(
    rb"(?:[!-9;-~]+:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n)*(?:Received|Message-ID|MIME-Version):", re.I
)


def sniff(data: bytes, *, name: str, mime: str | None = None) -> Format:
    """Raises Invalid for what is empty, not supported, or not what its name and declared type say."""
    if not data.strip(b" \t\r\n\0"):
        raise Invalid("is empty; nothing to index")
    claims = _claims(name, mime)
    found = _by_magic(data, claims)
    if found in _BINARY:
        if claims and found not in claims and claims != {Format.PLAIN}:
            raise Invalid(f"is called {_listed(claims)} but holds {found.upper()}; correct its name or type")
        return found
    lies = claims & _BINARY
    if lies:
        raise Invalid(f"is called {_listed(lies)} but holds no {_listed(lies)}; send the real file or correct its name")
    return _text_format(data, claims)


def extension(name: str) -> str:
    """Lower case, without the dot; the whole name for `Makefile` and `Dockerfile`."""
    path = PurePosixPath(name.replace("\\", "/").lower())
    return path.suffix[1:] or path.name


def _claims(name: str, mime: str | None) -> set[Format]:
    essence = (mime or "").split(";")[0].strip().lower()
    claimed = (_BY_MIME.get(essence), _BY_EXTENSION.get(extension(name)))
    return {claim for claim in claimed if claim}


def _listed(formats: set[Format]) -> str:
    return " and ".join(sorted(item.upper() for item in formats))


def _by_magic(data: bytes, claims: set[Format]) -> Format | None:
    """PDF or DOCX, or None for what may be text. Raises Invalid for known formats that are not read."""
    if data.startswith(b"%PDF-") or (Format.PDF in claims and b"%PDF-" in data[:1024]):
        return Format.PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_format(data)
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Invalid("is protected with a password; remove the password and send it again")
        raise Invalid("is an Office file of before 2007, or an Outlook message; save it as DOCX, PDF or .eml")
    for magic, what in _UNSUPPORTED:
        if data.startswith(magic):
            raise Invalid(f"is {what}")
    if data[4:8] == b"ftyp":
        raise Invalid("is an MP4 media file; media are not read here")
    return None


def _zip_format(data: bytes) -> Format:
    """Only the list of entries is read here."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise Invalid("is a broken ZIP or DOCX file; send it again") from error
    if any(re.fullmatch(r"word/document\d*\.xml", entry) for entry in names):
        return Format.DOCX
    for start, what in _ZIP_KINDS:
        if any(entry.startswith(start) for entry in names):
            raise Invalid(f"is {what}")
    raise Invalid("is a ZIP archive, not a document; unpack it and correct its name")


def _text_format(data: bytes, claims: set[Format]) -> Format:
    """A precise claim wins; what claims to be plain, or nothing, may turn out as HTML or mail."""
    precise = sorted(claims - {Format.PLAIN})
    if len(precise) == 1:
        return precise[0]
    if _HTML_START.match(data[:4096]):
        return Format.HTML
    if not claims and _MAIL_START.match(data[:4096]):
        return Format.MAIL
    return precise[0] if precise else Format.PLAIN
