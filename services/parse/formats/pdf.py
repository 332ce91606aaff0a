"""PDF: paragraphs by the layout of lines, page by page. Repeated page headers and footers are left out."""

import re
from collections.abc import Iterator

import pypdfium2
from pypdfium2 import PdfDocument, PdfiumError

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import Exhausted, Invalid
from services.parse.blocks import BlockList
from services.parse.formats.pdf_layout import Line, paragraphs, read_lines, without_repeated
from services.parse.settings import ParseLimits
from services.parse.text import clean, collapse
from services.parse.times import rfc3339

_NO_TITLE = re.compile(r"untitled.*|microsoft word - .*|.*\.(?:docx?|pdf|indd|tex|rtf|odt)|\(anonymous\)|unknown", re.I)


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    document = _open(data)
    try:
        pages = len(document)
        if pages > limits.pages_max:
            raise Exhausted(f"has {pages:,} pages, more than {limits.pages_max:,} (pages_max); split it")
        warnings: list[str] = []
        lines = list(_lines(document, warnings, limits))
        properties = _properties(document)
    finally:
        document.close()
    blocks = BlockList(limits)
    for paragraph in paragraphs(without_repeated(lines, pages=pages)):
        blocks.add(paragraph.kind, paragraph.text, level=paragraph.level, page=paragraph.page)
    if not blocks and warnings:
        raise Invalid(f"none of its {pages:,} pages can be read; save it anew")
    title = properties.get("Title", "")
    return ParsedDocument(
        blocks.all(),
        title=title if title and not _NO_TITLE.fullmatch(title) else blocks.title(),
        author=properties.get("Author"),
        created_at=rfc3339(properties.get("CreationDate")),
        updated_at=rfc3339(properties.get("ModDate")),
        warnings=tuple(warnings),
    )


def _open(data: bytes) -> PdfDocument:
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise Invalid("is protected with a password; remove the password and send it again") from error
        raise Invalid("is a broken PDF; save it anew and send it again") from error


def _lines(document: PdfDocument, warnings: list[str], limits: ParseLimits) -> Iterator[Line]:
    """One page in memory at a time. A page that cannot be read costs that page, not the document."""
    characters = 0
    for index in range(len(document)):
        try:
            page = document[index]
        except PdfiumError:
            warnings.append(f"page {index + 1}: cannot be read and was left out")
            continue
        try:
            textpage = page.get_textpage()
            for line in read_lines(textpage, page=index + 1):
                characters += len(line.text)
                if characters > limits.characters_max:
                    raise Exhausted(f"has more than {limits.characters_max:,} characters (characters_max); split it")
                yield line
        except PdfiumError:
            warnings.append(f"page {index + 1}: its text cannot be read and was left out")
        finally:
            page.close()


def _properties(document: PdfDocument) -> dict[str, str]:
    try:
        found = document.get_metadata_dict(skip_empty=True)
    except (PdfiumError, UnicodeDecodeError):
        return {}
    return {name: collapse(clean(value)) for name, value in found.items()}
