"""Texts to sparse vectors of terms."""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import PassageTerms, SparseVector


class SparseEncoder(Protocol):
    """Pure and deterministic across processes and releases of one `version`; safe to call from several threads.

    The product of a query's and a passage's vector is a score without inverse document frequency: the index multiplies
    that in, by tenant. Indices ascend. A text without a term gives an empty vector.
    """

    @property
    def version(self) -> str:
        """Changes whenever equal texts would give other terms: a new collection is due."""

    def encode_passage(self, text: str, language: str, *, average_terms: float = AVERAGE_TERMS) -> PassageTerms:
        """`language` is the passage's ISO 639-1 code; an unknown one indexes words as they stand.

        `average_terms` is the length of an average passage beside it: longer ones weigh less.
        """

    def encode_query(self, text: str, languages: Sequence[str]) -> SparseVector:
        """`languages` are those that the question may be in, likeliest first: its terms are those of each."""
