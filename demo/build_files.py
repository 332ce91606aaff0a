"""Render the manuscripts beside this file to the DOCX and PDF documents of the demo company.

The results are committed; run this after a manuscript has changed. The bytes depend on the manuscripts
and on the versions of the two libraries alone: no clock, no random ids.
"""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path

import docx
import yaml
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table, TableStyle

DEMO = Path(__file__).resolve().parent
MARGIN = 20 * mm
GUTTER = 8 * mm


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Prose | Grid


@dataclass(frozen=True, slots=True)
class Manuscript:
    output: str
    title: str
    author: str
    created: datetime
    columns: int
    blocks: tuple[Block, ...]


def read_manuscript(path: Path) -> Manuscript:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    front = yaml.safe_load(head)
    created: date = front["created"]
    return Manuscript(
        output=front["output"],
        title=front["title"],
        author=front["author"],
        created=datetime.combine(created, time(9), tzinfo=UTC),
        columns=front.get("columns", 1),
        blocks=tuple(parse_blocks(body)),
    )


def parse_blocks(body: str) -> Iterator[Block]:
    """A heading is one line that starts with `## `; a table starts with `|`; blank lines part the rest."""
    for piece in body.strip().split("\n\n"):
        lines = piece.splitlines()
        if lines[0].startswith("## "):
            yield Heading(lines.pop(0).removeprefix("## "))
        if lines and lines[0].startswith("|"):
            cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
            yield Grid((cells[0], *cells[2:]))
        elif lines:
            yield Prose(" ".join(lines))


def render_docx(manuscript: Manuscript) -> bytes:
    document = docx.Document()
    properties = document.core_properties
    properties.title = manuscript.title
    properties.author = manuscript.author
    properties.last_modified_by = manuscript.author
    properties.comments = ""
    properties.created = properties.modified = manuscript.created.replace(tzinfo=None)
    document.add_heading(manuscript.title, level=1)
    for block in manuscript.blocks:
        match block:
            case Heading(text):
                document.add_heading(text, level=2)
            case Prose(text):
                document.add_paragraph(text)
            case Grid(rows):
                table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
                for row in rows:
                    for cell, text in zip(table.add_row().cells, row, strict=True):
                        cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return without_clock(buffer.getvalue())


def without_clock(archive: bytes) -> bytes:
    """The same archive with every entry stamped 1980-01-01, the earliest date that ZIP knows."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist(), key=lambda entry: (entry != "[Content_Types].xml", entry)):
            target.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), source.read(name), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def render_pdf(manuscript: Manuscript) -> bytes:
    buffer = io.BytesIO()
    template = BaseDocTemplate(
        buffer, pagesize=A4, title=manuscript.title, author=manuscript.author, creator="Kelvane", invariant=1
    )
    width = (A4[0] - 2 * MARGIN - (manuscript.columns - 1) * GUTTER) / manuscript.columns
    frames = [
        Frame(MARGIN + column * (width + GUTTER), MARGIN, width, A4[1] - 2 * MARGIN, id=f"column-{column}")
        for column in range(manuscript.columns)
    ]
    template.addPageTemplates([PageTemplate(id="page", frames=frames)])
    template.build(list(flowables(manuscript)))
    return buffer.getvalue()


def flowables(manuscript: Manuscript) -> Iterator[Flowable]:
    styles = getSampleStyleSheet()
    yield Paragraph(manuscript.title, styles["Title"])
    yield Paragraph(f"{manuscript.author}, {manuscript.created:%Y-%m-%d}", styles["Italic"])
    yield Spacer(1, 4 * mm)
    for block in manuscript.blocks:
        match block:
            case Heading(text):
                yield Paragraph(text, styles["Heading2"])
            case Prose(text):
                yield Paragraph(text, styles["BodyText"])
            case Grid(rows):
                cells = [[Paragraph(text, styles["BodyText"]) for text in row] for row in rows]
                grid = TableStyle([("GRID", (0, 0), (-1, -1), 0.4, "grey")])
                yield Table(cells, style=grid, spaceBefore=3 * mm, spaceAfter=3 * mm)


RENDERERS = {".docx": render_docx, ".pdf": render_pdf}


def render(manuscript: Manuscript) -> bytes:
    return RENDERERS[Path(manuscript.output).suffix](manuscript)


def manuscripts() -> list[Manuscript]:
    return [read_manuscript(path) for path in sorted((DEMO / "manuscripts").glob("*.md"))]


def main() -> None:
    for manuscript in manuscripts():
        target = DEMO / "sources" / manuscript.output
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(render(manuscript))


if __name__ == "__main__":
    main()
