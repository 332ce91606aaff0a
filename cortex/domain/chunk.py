"""Chunks: what is embedded, found and quoted."""

import hashlib
from dataclasses import dataclass

TITLE_CHARACTERS_MAX = 160


@dataclass(frozen=True, slots=True)
class Span:
    """Code points `start` to `end` (exclusive) of block `block_id`'s stored text."""

    block_id: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of one revision. `text` joins its spans with newlines; `heading_path` runs from the outermost heading.

    `tokens` counts the embedded text by the embedder's tokenizer, special tokens included. `context` is what a language
    model says of the passage's place in its document: it is embedded and searched, and never shown or quoted.
    """

    ordinal: int
    text: str
    spans: tuple[Span, ...]
    heading_path: tuple[str, ...]
    language: str
    tokens: int
    context: str = ""


def embedded_text(title: str, heading_path: tuple[str, ...], text: str, context: str = "") -> str:
    """What the encoders see: title, heading path, context, then the passage (architecture section 1.3).

    A long title is cut here, so that it leaves room for the passage.
    """
    headings = " > ".join(heading for heading in heading_path if heading != title)
    return "\n".join(part for part in (title[:TITLE_CHARACTERS_MAX], headings, context, text) if part)


def embedded_sha256(embedded: str) -> str:
    """The key under which vectors are cached, with the tenant and the model."""
    return hashlib.sha256(embedded.encode()).hexdigest()
