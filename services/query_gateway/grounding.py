"""Whether a generated sentence is supported by what it cites. What is not is dropped, and counted.

Whoever wrote it is not believed: its quotes must be exact, and say what it says.
"""

from collections.abc import Sequence

from cortex.domain.answer import Citation, Passage, Sentence
from cortex.domain.dated import undated
from cortex.domain.query import source_numbers
from cortex.domain.support import SUPPORTED, said, support


class Grounding:
    """Checks against the passages that the generator was given."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = {passage.chunk_id: passage for passage in passages}
        self._numbers = source_numbers(passages)

    def supported(self, sentence: Sentence) -> bool:
        """Every citation is exact, there is one at least, and they say what the sentence says."""
        given = bool(sentence.text.strip()) and bool(sentence.citations)
        return given and all(map(self._exact, sentence.citations)) and self._says(sentence)

    def _says(self, sentence: Sentence) -> bool:
        """A sentence that stands in its quote needs no other proof. The day of the cited text may stand before it."""
        cited = [self._passages[citation.chunk_id] for citation in sentence.citations]
        text = undated(sentence.text, cited[0].updated_at, cited[0].language)
        if text and any(text in citation.quote for citation in sentence.citations):
            return True
        quotes = [
            said(citation.quote, passage.language) for citation, passage in zip(sentence.citations, cited, strict=True)
        ]
        above = [said(" ".join((passage.title, *passage.heading_path)), passage.language) for passage in cited]
        return support(said(text, cited[0].language), quotes, above) >= SUPPORTED

    def _exact(self, citation: Citation) -> bool:
        passage = self._passages.get(citation.chunk_id)
        if passage is None or passage.document_id != citation.document_id:
            return False
        return self._numbers[passage.document_id] == citation.n and quoted(passage, citation)


def quoted(passage: Passage, citation: Citation) -> bool:
    """Whether the quote stands in the passage exactly where its anchor says."""
    position = 0
    for anchor in passage.anchors:
        length = anchor.end - anchor.start
        same = (anchor.revision, anchor.block_id) == (citation.anchor.revision, citation.anchor.block_id)
        if same and anchor.start <= citation.anchor.start and citation.anchor.end <= anchor.end:
            start = position + citation.anchor.start - anchor.start
            return (
                bool(citation.quote)
                and passage.text[start : start + len(citation.quote)] == citation.quote
                and (citation.anchor.end - citation.anchor.start == len(citation.quote))
            )
        position += length + 1
    return False
