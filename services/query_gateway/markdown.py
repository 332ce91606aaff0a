"""A conversation as Markdown: pure. What came out of documents is text, and nothing in it is markup."""

import re
from collections.abc import Sequence

from services.query_gateway.wire import AnswerBody, AnswerSource

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)
_NUMBERS = re.compile(r"\\\[(\d+)\\\]")
_ADDRESS = re.compile(r"https?://[^\s<>()\"]+")


def exported(title: str, turns: Sequence[AnswerBody]) -> str:
    parts = [f"# {_line(title)}"]
    for turn in turns:
        parts += [f"## {_line(turn.question)}", f"*{turn.asked_at:%Y-%m-%d %H:%M} UTC*", _answer(turn)]
        if turn.answer and turn.sources:
            parts.append("\n".join(_source(source) for source in turn.sources))
    return "\n\n".join(parts) + "\n"


def _answer(turn: AnswerBody) -> str:
    if turn.answer:
        return escaped(turn.answer)
    return "*No answer was found in what you may open.*"


def escaped(text: str) -> str:
    """Every sign of markup is itself; the numbers of sources stay readable."""
    plain = _LINE_START.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", text))
    return _NUMBERS.sub(r"[\1]", plain)


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


def _source(source: AnswerSource) -> str:
    title = _line(source.title)
    named = f"[{title}]({source.url})" if _ADDRESS.fullmatch(source.url) else title
    when = f", {source.updated_at:%Y-%m-%d}" if source.updated_at else ""
    return f"- \\[{source.n}\\] {named} ({_line(source.source.name)}{when})"
