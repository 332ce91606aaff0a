"""HTML: what a reader sees, block by block. Scripts, styles, navigation and hidden elements are left out."""

import re

from lxml import etree

from cortex.domain.document import BlockKind, ParsedDocument
from services.parse import trees
from services.parse.blocks import BlockList
from services.parse.settings import ParseLimits
from services.parse.tables import add_table, looks_like_header
from services.parse.text import collapse, decode
from services.parse.times import rfc3339

_CHARSET = re.compile(rb"""(?:<meta[^>]{0,200}?charset|<\?xml[^>]{0,100}?encoding)\s*=\s*["']?([\w.:-]{2,40})""", re.I)
_DROPPED = ("script", "style", "noscript", "template", "nav", "svg", "math", "iframe", "object", "select", "button")
_HIDDEN = (
    "//*[@hidden or @role='navigation' or contains(translate(@style, ' ', ''), 'display:none')"
    " or contains(translate(@style, ' ', ''), 'visibility:hidden')]"
)
_BLOCK_TAGS = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section summary table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_KINDS = {"li": BlockKind.LIST_ITEM, "blockquote": BlockKind.QUOTE, "pre": BlockKind.CODE}
_BREAK = "\x1e"


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    decoded = decode(data, declared=declared_charset(data))
    blocks = BlockList(limits)
    root = visible_tree(decoded.text)
    title = collapse(root.findtext(".//title") or "")
    add_tree(blocks, root, limits=limits, line_offset=0)
    return ParsedDocument(
        blocks.all(),
        title=title or blocks.title(),
        author=_meta(root, "author"),
        created_at=rfc3339(_meta(root, "article:published_time", "date", "dcterms.created")),
        updated_at=rfc3339(_meta(root, "article:modified_time", "last-modified", "dcterms.modified")),
        warnings=decoded.warnings,
    )


def declared_charset(data: bytes) -> str | None:
    found = _CHARSET.search(data[:4096])
    return found.group(1).decode("ascii") if found else None


def visible_tree(text: str) -> etree._Element:
    """The tree without what is not read. No network, no entities of the document's own."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, recover=True
    )
    root = trees.read_tree(text.encode("utf-8", "replace"), parser, what="HTML")
    hidden = root.xpath(_HIDDEN)
    for element in hidden if isinstance(hidden, list) else []:
        if isinstance(element, etree._Element) and element is not root:
            element.tag = _DROPPED[0]
    etree.strip_elements(root, *_DROPPED, with_tail=False)
    return root


def add_tree(blocks: BlockList, root: etree._Element, *, limits: ParseLimits, line_offset: int | None) -> None:
    """Walks without recursion. `line_offset` is added to the lines of the tree; None where they mean nothing."""
    writer = _Writer(blocks, line_offset)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            writer.leave(element)
            continue
        rows = _rows(element) if element.tag == "table" else None
        if rows is None and element.tag not in ("head", "title"):
            writer.enter(element)
            continue
        writer.flush()
        writer.skip(element)
        walk.skip_subtree()
        if rows:
            has_header = looks_like_header(rows[0]) and len(rows) > 1
            line = writer.line_of(element)
            lined = [(row, line) for row in rows[has_header:]]
            add_table(blocks, lined, header=rows[0] if has_header else [], limits=limits)


class _Writer:
    """Gathers inline text until a block element begins or ends."""

    def __init__(self, blocks: BlockList, line_offset: int | None) -> None:
        self._blocks = blocks
        self._line_offset = line_offset
        self._open: list[str] = []
        self._text: list[str] = []
        self._line: int | None = None

    def line_of(self, element: etree._Element) -> int | None:
        line: object = element.sourceline
        return line + self._line_offset if isinstance(line, int) and self._line_offset is not None else None

    def enter(self, element: etree._Element) -> None:
        if element.tag in _BLOCKS:
            self.flush()
            self._open.append(str(element.tag))
            self._line = self.line_of(element)
        elif element.tag == "br":
            self._text.append(_BREAK)
        self._add(element.text)

    def leave(self, element: etree._Element) -> None:
        if element.tag in _BLOCKS:
            self.flush()
            self._open.pop()
            self._line = self.line_of(element)
        self._add(element.tail)

    def skip(self, element: etree._Element) -> None:
        """An element that was read otherwise: keeps enter and leave even."""
        if element.tag in _BLOCKS:
            self._open.append(str(element.tag))

    def flush(self) -> None:
        """Headings within list items or quotes are headings all the same: the innermost element that says so wins."""
        text = "".join(self._text)
        self._text = []
        kind, level = self._kind()
        if kind is not BlockKind.CODE:
            text = "\n".join(collapse(line) for line in text.split(_BREAK))
        self._blocks.add(kind, text.replace(_BREAK, "\n"), level=level, line=self._line)

    def _kind(self) -> tuple[BlockKind, int | None]:
        for tag in reversed(self._open):
            if tag in _HEADINGS:
                return BlockKind.HEADING, _HEADINGS[tag]
            if tag in _KINDS:
                return _KINDS[tag], None
        return BlockKind.PARAGRAPH, None

    def _add(self, text: str | None) -> None:
        if text:
            self._text.append(text)


def _rows(table: etree._Element) -> list[list[str]] | None:
    """Cells of a table of data; None for one that only arranges a page."""
    if table.find(".//table") is not None:
        return None
    rows = [[_cell(cell) for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    rows = [row for row in rows if any(row)]
    return rows if len(rows) > 1 and max(len(row) for row in rows) > 1 else None


def _cell(cell: etree._Element) -> str:
    return collapse(" ".join(str(text) for text in cell.itertext()))


def _meta(root: etree._Element, *names: str) -> str | None:
    """The first `<meta>` with one of these names or properties."""
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        if name in names and meta.get("content"):
            return collapse(meta.get("content") or "") or None
    return None
