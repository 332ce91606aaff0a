"""Counts over documents that the asker may open, and over nothing else."""

import enum
from collections import Counter
from collections.abc import Sequence

from cortex.domain.query import Found

VALUES_MAX = 20


class Facet(enum.StrEnum):
    SOURCE_TYPE = "source_type"
    SOURCE_ID = "source_id"
    CONTAINER_ID = "container_id"
    AUTHOR = "author"
    LANGUAGE = "language"


def count(found: Sequence[Found], facet: Facet) -> list[tuple[str, int]]:
    """The most frequent values, then by name."""
    counts = Counter(value for document in found for value in _values(document, facet))
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:VALUES_MAX]


def _values(document: Found, facet: Facet) -> list[str]:
    best = document.best
    match facet:
        case Facet.SOURCE_TYPE:
            return [best.source.type]
        case Facet.SOURCE_ID:
            return [str(best.source.id)]
        case Facet.CONTAINER_ID:
            return [str(container) for container in document.container_ids]
        case Facet.AUTHOR:
            return [best.author] if best.author else []
        case Facet.LANGUAGE:
            return [best.language]
