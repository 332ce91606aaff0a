"""reStructuredText, as far as reading needs it: prose without its marks, code as code, nothing of what is not shown."""

import re
from collections.abc import Iterator

from cortex.domain.document import BlockKind, ParsedDocument
from services.parse.blocks import BlockList
from services.parse.fields import author_of, leading_fields, title_of
from services.parse.formats.plain import Lines, ParagraphWriter
from services.parse.settings import ParseLimits
from services.parse.text import clean, decode, flow

_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]+\| )?(?P<name>[\w:-]+)::(?:\s+(?P<argument>.*))?")
_FOOTNOTE = re.compile(r"\.\. (\[[^\]]+\](?:\s|$))")
_OPTION = re.compile(r":[\w-]+:(?:\s|$)")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "math", "prompt", "testcode", "doctest"})
_NOT_SHOWN = frozenset(
    {"highlight", "contents", "toctree", "include", "literalinclude", "raw", "image", "index", "meta"}
)
_RULER = re.compile(r"\s*(?:=+(?:\s+=+)+|\+[-=+]+\+)\s*")
_LINE_BLOCK = re.compile(r"\s*\|\s")
# Each keeps what a reader sees. The order matters: a role's backquotes are not those of a literal.
_INLINE = (
    (re.compile(r":(?:pep|rfc):`~?([^`<]+)`"), lambda found: f"{found[0][1:4].upper()} {found[1]}"),
    (re.compile(r"(?::[a-zA-Z][\w:-]*:)?`([^`<]+?)\s*<[^`>]*>`_{0,2}"), lambda found: found[1]),
    (re.compile(r":[a-zA-Z][\w:-]*:`[~!]?([^`]+)`"), lambda found: found[1]),
    (re.compile(r"``(.+?)``"), lambda found: found[1]),
    (re.compile(r"`([^`]+)`_{0,2}"), lambda found: found[1]),
    (re.compile(r"(?<![\w*])\*\*(?=\S)([^*]+?)(?<=\S)\*\*(?![\w*])"), lambda found: found[1]),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), lambda found: found[1]),
    (re.compile(r"(\[[#*\w]+\])_(?!\w)"), lambda found: found[1]),
)


def parse(data: bytes, *, name: str, limits: ParseLimits) -> ParsedDocument:
    decoded = decode(data)
    lines = clean(decoded.text).split("\n")
    blocks = BlockList(limits)
    fields = leading_fields(lines)
    reader = _Reader(blocks)
    for number, paragraph in enumerate(_paragraphs(lines)):
        if number == 0 and fields:
            shown = (f"{field}: {value}" for field, value in fields.items() if value)
            blocks.add(BlockKind.PARAGRAPH, inline("\n".join(shown)), line=paragraph[0][0])
        else:
            reader.read(paragraph)
    reader.end()
    title = title_of(fields) or blocks.title()
    return ParsedDocument(blocks.all(), title=title, author=author_of(fields), warnings=decoded.warnings)


def inline(text: str) -> str:
    """As it reads, without marks for roles, links, literals and emphasis."""
    for pattern, shown in _INLINE:
        text = pattern.sub(shown, text)
    return text


def _prose(lines: list[str]) -> str:
    """Paragraphs flow, whatever their lines' lengths; only a line block keeps its lines."""
    stripped = [line.strip() for line in lines]
    if all(_LINE_BLOCK.match(line) for line in lines):
        return inline("\n".join(line.removeprefix("|").strip() for line in stripped))
    return inline(flow(stripped))


def _paragraphs(lines: list[str]) -> Iterator[Lines]:
    """What blank lines part, and each explicit mark-up (`.. `) by itself."""
    paragraph: Lines = []
    for number, line in enumerate([*lines, ""], start=1):
        if paragraph and (not line.strip() or line.lstrip().startswith(".. ")):
            yield paragraph
            paragraph = []
        if line.strip():
            paragraph.append((number, line))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Reader:
    """`_inside` is the indentation of the mark-up whose indented body is code, or is dropped; None for prose."""

    def __init__(self, blocks: BlockList) -> None:
        self._blocks = blocks
        self._writer = ParagraphWriter(blocks, join=_prose)
        self._inside: int | None = None
        self._dropping = False
        self._code: Lines = []

    def read(self, lines: Lines) -> None:
        first = lines[0][1]
        if self._inside is not None and _indent(first) > self._inside:
            self._body(lines)
            return
        self.end()
        if first.lstrip().startswith(".. ") or first.strip() == "..":
            self._markup(lines)
        elif any(_RULER.fullmatch(line) for _, line in lines):
            rows = [line.rstrip() for _, line in lines if not _RULER.fullmatch(line)]
            self._blocks.add(BlockKind.TABLE, inline("\n".join(rows)), line=lines[0][0])
        elif first.lstrip().startswith(">>>"):
            self._blocks.add(BlockKind.CODE, "\n".join(line for _, line in lines), line=lines[0][0])
        else:
            self._paragraph(lines)

    def end(self) -> None:
        """Of the body that was read last."""
        if self._code:
            self._blocks.add(BlockKind.CODE, "\n".join(line for _, line in self._code), line=self._code[0][0])
        self._inside, self._dropping, self._code = None, False, []

    def _body(self, lines: Lines) -> None:
        if not self._dropping:
            between = [(lines[0][0] - 1, "")] if self._code else []
            self._code += between + lines

    def _open(self, at: int, *, dropping: bool) -> None:
        self._inside, self._dropping = at, dropping

    def _paragraph(self, lines: Lines) -> None:
        """One that ends with `::` is followed by code."""
        number, last = lines[-1]
        if last.rstrip().endswith("::"):
            lines = [*lines[:-1], (number, last.rstrip()[:-1])]
            self._open(_indent(lines[0][1]), dropping=False)
        if lines[-1][1].strip() != ":":
            self._writer.paragraph(lines)
        elif len(lines) > 1:
            self._writer.paragraph(lines[:-1])

    def _markup(self, lines: Lines) -> None:
        (number, line), rest = lines[0], lines[1:]
        at, mark = _indent(line), line.strip()
        directive, footnote = _DIRECTIVE.match(mark), _FOOTNOTE.match(mark)
        if footnote:
            self._writer.paragraph([(number, mark[3:]), *rest])
        elif directive is None or directive["name"] in _NOT_SHOWN or mark.startswith(".. |"):
            self._open(at, dropping=True)
        elif directive["name"] in _CODE:
            self._open(at, dropping=False)
            self._body_of(rest)
        else:
            argument = directive["argument"] or ""
            body = [*([(number, argument)] if argument else []), *_without_options(rest)]
            if body:
                self._writer.paragraph(body)

    def _body_of(self, rest: Lines) -> None:
        if body := _without_options(rest):
            self._body(body)


def _without_options(lines: Lines) -> Lines:
    return [(number, line) for number, line in lines if not _OPTION.match(line.strip())]
