"""Reads every document of the demo company into plain text, each with the library of its kind."""

import csv
import email
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from email import policy
from email.message import EmailMessage
from pathlib import Path

import docx
import lxml.html
import pypdfium2
import yaml

CHAT_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d)\] ([^:]+): (.+)")
HAN = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,]*")
GERMAN = re.compile(r"\b(?:der|die|das|und|nicht|ist|wird|werden|für|mit|ein|eine|wir)\b", re.IGNORECASE)
HAN_A_WORD = 1.6


@dataclass(frozen=True, slots=True)
class FrontMatter:
    title: str
    author: str
    created: date
    updated: date
    url: str


@dataclass(frozen=True, slots=True)
class ChatLine:
    at: datetime
    speaker: str
    text: str


def text_of(path: Path) -> str:
    return READERS[path.suffix](path)


def words_of(text: str) -> list[str]:
    return WORD.findall(HAN.sub(" ", text))


def word_count(text: str) -> int:
    return len(words_of(text)) + round(len(HAN.findall(text)) / HAN_A_WORD)


def language_of(text: str) -> str:
    words = len(words_of(text))
    if len(HAN.findall(text)) > words:
        return "zh"
    return "de" if len(GERMAN.findall(text)) > 0.08 * words else "en"


def front_matter(path: Path) -> FrontMatter:
    _, head, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    return FrontMatter(**yaml.safe_load(head))


def chat_lines(path: Path) -> Iterator[ChatLine]:
    heading, _, *lines = path.read_text(encoding="utf-8").splitlines()
    if heading != f"# {path.parent.name}":
        raise ValueError(f"{path}: begins with {heading!r} and not with the name of its channel")
    for line in lines:
        match = CHAT_LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{path}: not a chat line: {line!r}")
        yield ChatLine(datetime.fromisoformat(match[1]), match[2], match[3])


def mail(path: Path) -> EmailMessage:
    return email.message_from_bytes(path.read_bytes(), policy=policy.default)


def _markdown(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("---\n", 2)[2]


def _plain(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _html(path: Path) -> str:
    return "".join(str(text) for text in lxml.html.document_fromstring(path.read_text(encoding="utf-8")).itertext())


def _mail(path: Path) -> str:
    body = mail(path).get_body(preferencelist=("plain",))
    if body is None:
        raise ValueError(f"{path}: no plain text")
    return str(body.get_content())


def _csv(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"{path}: rows of different lengths")
    return "\n".join(" ".join(row) for row in rows)


def _docx(path: Path) -> str:
    document = docx.Document(str(path))
    cells = (cell.text for table in document.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def _pdf(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()


READERS: dict[str, Callable[[Path], str]] = {
    ".md": _markdown,
    ".txt": _plain,
    ".html": _html,
    ".eml": _mail,
    ".csv": _csv,
    ".docx": _docx,
    ".pdf": _pdf,
}
