"""Lines of a PDF's pages, and the paragraphs and headings that their sizes and distances make of them.

Lengths are in points.
"""

import ctypes
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pypdfium2.raw as pdfium
from pypdfium2 import PdfTextPage

from cortex.domain.document import BlockKind
from services.parse.text import flow

EDGE_LINES = 2
REPEATED_SHARE = 0.6
REPEATED_PAGES_MIN = 3
HEADING_RATIO = 1.15
HEADING_LEVELS = 4
HEADING_CHARACTERS_MAX = 150
GAP_RATIO = 1.45
BOLD_WEIGHT = 600

_HYPHEN = "\x02"
_LINE_ENDS = frozenset({10, 13, ord(_HYPHEN)})
_SPACES = " \t\xa0\x02"
_ITEM = re.compile(r"(?:[•‣◦▪●○–*-]|\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_SENTENCE_END = re.compile(r"[.!?:;。！？：]['\")\]”’]*$")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Line:
    """`baseline` grows upwards, as in PDF; `right` is where the text ends."""

    text: str
    page: int
    size: float
    baseline: float
    left: float
    right: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    page: int
    kind: BlockKind
    level: int | None


def read_lines(textpage: PdfTextPage, *, page: int) -> Iterator[Line]:
    """PDFium's own order of characters, broken where it breaks lines or marks a hyphen at a line's end."""
    start = 0
    characters: list[int] = []
    count = textpage.count_chars()
    for index in range(count + 1):
        code = pdfium.FPDFText_GetUnicode(textpage, index) if index < count else 10
        if code not in (10, 13):
            characters.append(code)
        if code in _LINE_ENDS:
            text = _from_codes(characters)
            if text.strip(_SPACES):
                yield _measured(textpage, text, page=page, first=start, last=index)
            start, characters = index + 1, []


def _from_codes(codes: list[int]) -> str:
    """PDFium gives UTF-16 units or code points, depending on the font's map."""
    text = "".join(chr(code) for code in codes if 0 < code < 0x110000)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _measured(textpage: PdfTextPage, text: str, *, page: int, first: int, last: int) -> Line:
    """By the first and last characters that are not spaces; spaces that PDFium made up have no box."""
    first += len(text) - len(text.lstrip(_SPACES))
    last = min(last, first + len(text.strip(_SPACES)) - 1)
    angle = max(0.0, float(pdfium.FPDFText_GetCharAngle(textpage, first)))
    left, _ = _extent(textpage, first, angle)
    _, right = _extent(textpage, max(first, last), angle)
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(textpage, first, ctypes.byref(x), ctypes.byref(y))
    _, baseline = _turned(x.value, y.value, angle)
    bold = all(pdfium.FPDFText_GetFontWeight(textpage, index) >= BOLD_WEIGHT for index in (first, last))
    return Line(text.strip(" \t"), page, _size(textpage, first), baseline, left, right, bold)


def _size(textpage: PdfTextPage, index: int) -> float:
    """The size of the font as it stands on the page: many programs set size 1 and enlarge by the matrix."""
    size = float(pdfium.FPDFText_GetFontSize(textpage, index))
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFText_GetMatrix(textpage, index, ctypes.byref(matrix)):
        return size
    return size * math.hypot(matrix.c, matrix.d)


def _extent(textpage: PdfTextPage, index: int, angle: float) -> tuple[float, float]:
    """Where one character begins and ends along its line."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(textpage, index, ctypes.byref(box)):
        return 0.0, 0.0
    one, other = _turned(box.left, box.bottom, angle), _turned(box.right, box.top, angle)
    return min(one[0], other[0]), max(one[0], other[0])


def _turned(x: float, y: float, angle: float) -> tuple[float, float]:
    """A point as seen by somebody who holds the page so that text at `angle` (radians) reads level."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return x * cosine + y * sine, y * cosine - x * sine


def without_repeated(lines: list[Line], *, pages: int) -> list[Line]:
    """Drops what stands at the same height at the top or bottom of most pages, page numbers aside."""
    if pages < REPEATED_PAGES_MIN:
        return lines
    by_page: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    edges: dict[int, dict[int, tuple[str, int]]] = {}
    for page, on_page in by_page.items():
        by_height = sorted(on_page, key=lambda line: line.baseline)
        edges[page] = {id(line): _shape(line) for line in by_height[:EDGE_LINES] + by_height[-EDGE_LINES:]}
    seen = Counter(shape for shapes in edges.values() for shape in set(shapes.values()))
    least = max(REPEATED_PAGES_MIN, REPEATED_SHARE * len(by_page))
    repeated = {shape for shape, count in seen.items() if count >= least}
    return [line for line in lines if edges[line.page].get(id(line)) not in repeated]


def _shape(line: Line) -> tuple[str, int]:
    return _DIGITS.sub("#", line.text.casefold().strip()), round(line.baseline)


def paragraphs(lines: list[Line]) -> Iterator[Paragraph]:
    """Headings are larger than most of the text, or bold where most is not; their level is the rank of their size."""
    weights: Counter[float] = Counter()
    characters_bold = 0
    for line in lines:
        weights[_rounded(line.size)] += len(line.text)
        characters_bold += len(line.text) * line.bold
    body = max(weights, key=lambda size: (weights[size], -size), default=0.0)
    larger = sorted((size for size in weights if size >= body * HEADING_RATIO), reverse=True)
    levels = {size: min(rank, HEADING_LEVELS) for rank, size in enumerate(larger, start=1)}
    bold_level = min(len(larger), HEADING_LEVELS) + 1 if characters_bold < 0.3 * weights.total() else None
    for group in _grouped(lines):
        text = join(line.text for line in group)
        bold = group[0].bold and group[-1].bold and not _SENTENCE_END.search(text)
        level = levels.get(_rounded(group[0].size)) or (bold_level if bold else None)
        if len(text) > HEADING_CHARACTERS_MAX or not any(character.isalpha() for character in text):
            level = None
        kind = BlockKind.LIST_ITEM if _ITEM.match(text) else BlockKind.PARAGRAPH
        yield Paragraph(text, group[0].page, BlockKind.HEADING if level else kind, level)


def join(lines: Iterable[str]) -> str:
    """Words that a line end divided are put together; PDFium marks such hyphens, others are told by small letters."""
    text = ""
    for line in lines:
        if text.endswith(_HYPHEN) or (re.search(r"[^\W\d_]-$", text) and line[:1].islower()):
            text = text[:-1] + line
        else:
            text = flow([text, line]) if text else line
    return text.replace(_HYPHEN, "-")


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _grouped(lines: list[Line]) -> Iterator[list[Line]]:
    group: list[Line] = []
    width = 0.0
    for line in lines:
        if group and _begins(group, line, width):
            yield group
            group = []
        group.append(line)
        width = line.right if len(group) == 1 else max(width, line.right)
    if group:
        yield group


def _begins(group: list[Line], line: Line, width: float) -> bool:
    """Whether a paragraph begins: another size or page, a gap, another column, a bullet, or a short line before."""
    last = group[-1]
    if abs(last.size - line.size) > 0.1 * max(last.size, line.size):
        return True
    if last.bold != line.bold or _ITEM.match(line.text):
        return True
    if last.page != line.page:
        return bool(_SENTENCE_END.search(last.text)) or not line.text[:1].islower()
    step = last.baseline - line.baseline
    if step < 0 or (step > 0 and step > GAP_RATIO * _usual_step(group, line)):
        return True
    short = last.right < last.left + 0.75 * (width - last.left)
    return short and bool(_SENTENCE_END.search(last.text)) and len(group) > 1


def _usual_step(group: list[Line], line: Line) -> float:
    """The distance of the group's lines; for its first, that of text set solid."""
    if len(group) > 1 and group[-1].page == group[-2].page:
        return max(group[-2].baseline - group[-1].baseline, line.size)
    return 1.25 * line.size
