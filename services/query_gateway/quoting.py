"""Answers without the llm_gateway, while it is another process and away: words of the passages, said to be no more.

The composer lives in that process; what stays is to show where the answer may stand.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from cortex.domain.answer import Citation, Passage, Sentence
from cortex.domain.errors import Transient
from cortex.domain.query import source_numbers
from cortex.domain.words import words
from cortex.ports.generator import Ending, GenerationRequest, Generator
from services.query_gateway.snippet import snippet

log = logging.getLogger(__name__)

AWAY = "llm_gateway"
PASSAGES_MAX = 2
COVERED_MIN = 0.5
"""Of the question's words, what a passage must hold to be shown."""


class Quoting:
    """Implements Generator around one that may be out of reach."""

    def __init__(self, inner: Generator) -> None:
        self._inner = inner

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        said = 0
        try:
            async with aclosing(self._inner.generate(request)) as parts:
                async for part in parts:
                    said += isinstance(part, Sentence)
                    yield part
        except Transient as error:
            log.warning("%s", error)
        else:
            return
        quotes = [] if said else quoted(request)
        for quote in quotes:
            yield quote
        silent = not said and not quotes
        yield Ending(abstained=silent, reason="not_found" if silent else None, degraded=(AWAY,))


def quoted(request: GenerationRequest) -> list[Sentence]:
    """The best part of each of the best passages, best first."""
    best = sorted(request.passages, key=lambda passage: -covered(passage, request.question))
    numbers = source_numbers(request.passages)
    return [
        _sentence(passage, request.question, numbers[passage.document_id])
        for passage in best[:PASSAGES_MAX]
        if covered(passage, request.question) >= COVERED_MIN
    ]


def covered(passage: Passage, question: str) -> float:
    """The share of the question's words that the passage, its title or its headings hold."""
    above = " ".join((passage.title, *passage.heading_path))
    held = {word.key for word in words(f"{above}\n{passage.text}", passage.language)}
    wanted = {word.key for word in words(question, passage.language) if not word.stop}
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _sentence(passage: Passage, question: str, n: int) -> Sentence:
    anchor = snippet(passage, question).anchor
    text = _text(passage, anchor.block_id, anchor.start, anchor.end)
    stripped = text.strip()
    start = anchor.start + text.index(stripped)
    exact = replace(anchor, start=start, end=start + len(stripped))
    return Sentence(stripped, (Citation(n, stripped, passage.document_id, passage.chunk_id, exact),))


def _text(passage: Passage, block: int, start: int, end: int) -> str:
    """Of the block, as far as the passage holds it."""
    position = 0
    for anchor in passage.anchors:
        if anchor.block_id == block and anchor.start <= start and end <= anchor.end:
            at = position + start - anchor.start
            return passage.text[at : at + end - start]
        position += anchor.end - anchor.start + 1
    return ""
