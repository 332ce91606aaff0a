"""What a platform gave for one question: search results, sentences with their citations, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cited:
    """`opened`: the asker could open the document. `exact`: the quote stands there where its anchor says.

    `text` is the cited block as the asker reads it, under its document's title.
    """

    document: str
    quote: str
    opened: bool
    exact: bool
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence without its numbers, and what it cites."""

    text: str
    citations: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """Documents are paths `SOURCE/PATH`, or ids where the path is not known.

    `found` are the first search results in order, `scores` those of the first one; `shown` is every document that was
    named to the asker anywhere; `closed` those of them that the asker may not open. `confidence` is the platform's own,
    from 0 to 1, or None where it says none; `evidence` what it rests on.
    """

    id: str
    found: tuple[str, ...]
    scores: Mapping[str, float]
    said: tuple[Said, ...]
    abstained: bool
    reason: str
    shown: tuple[str, ...]
    closed: tuple[str, ...]
    confidence: float | None
    evidence: Mapping[str, float]
    asked_as: str
    took_ms: float
    generate_ms: float

    @property
    def text(self) -> str:
        return "\n".join(sentence.text for sentence in self.said)

    @property
    def cited(self) -> tuple[str, ...]:
        """Documents, each once, in order."""
        return tuple(dict.fromkeys(one.document for sentence in self.said for one in sentence.citations))
