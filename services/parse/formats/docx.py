"""DOCX, read from its XML: headings, lists, quotes, code, tables, text boxes and footnotes, in their order.

Deleted text of tracked changes, page headers, footers and comments are left out. Elements are told by their local
names, since the transitional and the strict dialect differ only in namespaces.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from cortex.domain.document import BlockKind, ParsedDocument
from cortex.domain.errors import Invalid
from services.parse.archive import Archive
from services.parse.blocks import BlockList
from services.parse.settings import ParseLimits
from services.parse.tables import add_table, looks_like_header
from services.parse.text import clean, collapse
from services.parse.times import rfc3339
from services.parse.trees import read_tree

STYLE_DEPTH_MAX = 20

_DOCUMENT = re.compile(r"word/document\d*\.xml")
_HEADING = re.compile(r"(?:heading|überschrift|titre|标题) ?(\d)")
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOT_READ = frozenset({"Fallback", "del", "moveFrom", "txbxContent", "p"})


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    outline: int | None
    listed: bool
    parent: str | None


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    archive = Archive(data, limits)
    document = _read_xml(archive, archive.find(_DOCUMENT) or "word/document.xml")
    if document is None:
        raise Invalid("is a broken DOCX file without a main part; send it again")
    blocks = BlockList(limits)
    writer = _Writer(blocks, limits, _styles(_read_xml(archive, "word/styles.xml")))
    writer.write(document)
    notes = _read_xml(archive, "word/footnotes.xml")
    if notes is not None:
        writer.write(notes)
    properties = _properties(_read_xml(archive, "docProps/core.xml"))
    title = properties.get("title", "Word Document")
    return ParsedDocument(
        blocks.all(),
        title=title if title != "Word Document" else blocks.title(),
        author=properties.get("creator"),
        created_at=rfc3339(properties.get("created")),
        updated_at=rfc3339(properties.get("modified")),
    )


def _read_xml(archive: Archive, name: str) -> etree._Element | None:
    """None where the part is missing. Entities are not expanded and nothing is fetched."""
    data = archive.read(name)
    if data is None:
        return None
    if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data[:4096]:
        raise Invalid(f"part {name} defines entities, which Office never writes; save the document anew")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=False
    )
    return read_tree(data, parser, what=f"part {name}")


def _local(element: etree._Element) -> str:
    """An entity that was not expanded has no tag of its own."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _child(element: etree._Element | None, *path: str) -> etree._Element | None:
    for name in path:
        if element is None:
            return None
        element = next((child for child in element if _local(child) == name), None)
    return element


def _value(element: etree._Element | None) -> str | None:
    if element is None:
        return None
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == "val"), None)


def _number(element: etree._Element | None) -> int | None:
    value = _value(element)
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 4 else None


def _attribute(element: etree._Element, name: str) -> str | None:
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), None)


def _styles(root: etree._Element | None) -> dict[str, _Style]:
    styles = {}
    for element in root if root is not None else ():
        style_id = _attribute(element, "styleId")
        if _local(element) == "style" and style_id:
            styles[style_id] = _Style(
                name=(_value(_child(element, "name")) or "").lower(),
                outline=_number(_child(element, "pPr", "outlineLvl")),
                listed=_child(element, "pPr", "numPr") is not None,
                parent=_value(_child(element, "basedOn")),
            )
    return styles


def _properties(root: etree._Element | None) -> dict[str, str]:
    if root is None:
        return {}
    found = {_local(child): collapse(clean(child.text or "")) for child in root}
    return {name: value for name, value in found.items() if value}


class _Writer:
    def __init__(self, blocks: BlockList, limits: ParseLimits, styles: dict[str, _Style]) -> None:
        self._blocks = blocks
        self._limits = limits
        self._styles = styles

    def write(self, root: etree._Element) -> None:
        """Paragraphs and tables in document order; a text box follows the paragraph that holds it."""
        walk = etree.iterwalk(root, events=("start",))
        for _, element in walk:
            match _local(element):
                case "p":
                    self._paragraph(element)
                case "tbl":
                    self._table(element)
                    walk.skip_subtree()
                case "Fallback" | "del" | "moveFrom":
                    walk.skip_subtree()

    def _paragraph(self, element: etree._Element) -> None:
        kind, level = self._kind(element)
        self._blocks.add(kind, "".join(_text(element)), level=level)

    def _table(self, table: etree._Element) -> None:
        rows = [[_cell(cell) for cell in row if _local(cell) in ("tc", "sdt")] for row in table.iter("{*}tr")]
        rows = [row for row in rows if any(row)]
        has_header = len(rows) > 1 and looks_like_header(rows[0])
        lined = [(row, None) for row in rows[has_header:]]
        add_table(self._blocks, lined, header=rows[0] if has_header else [], limits=self._limits)

    def _kind(self, element: etree._Element) -> tuple[BlockKind, int | None]:
        """By the paragraph's own properties, then by its style and what that is based on."""
        outline = _number(_child(element, "pPr", "outlineLvl"))
        listed = _child(element, "pPr", "numPr") is not None
        for style in self._style_chain(_value(_child(element, "pPr", "pStyle"))):
            heading = _HEADING.fullmatch(style.name)
            if heading:
                return BlockKind.HEADING, max(1, min(int(heading.group(1)), 6))
            if style.name == "title":
                return BlockKind.HEADING, 1
            if "quote" in style.name:
                return BlockKind.QUOTE, None
            if "code" in style.name or "preformatted" in style.name:
                return BlockKind.CODE, None
            outline = style.outline if outline is None else outline
            listed = listed or style.listed or style.name.startswith("list")
        if outline is not None and outline < 9:
            return BlockKind.HEADING, min(outline + 1, 6)
        return (BlockKind.LIST_ITEM if listed else BlockKind.PARAGRAPH), None

    def _style_chain(self, style_id: str | None) -> Iterator[_Style]:
        for _ in range(STYLE_DEPTH_MAX):
            style = self._styles.get(style_id) if style_id else None
            if style is None:
                return
            yield style
            style_id = style.parent


def _text(element: etree._Element) -> Iterator[str]:
    """Runs of one paragraph. libxml2 refuses more than 256 levels, which bounds the recursion."""
    for child in element:
        name = _local(child)
        if name == "t":
            yield child.text or ""
        elif name in _MARKS:
            yield _MARKS[name]
        elif name not in _NOT_READ:
            yield from _text(child)


def _cell(cell: etree._Element) -> str:
    """All paragraphs of a cell, those of tables within it too."""
    return collapse(" ".join("".join(_text(paragraph)) for paragraph in cell.iter("{*}p")))
