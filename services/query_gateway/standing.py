"""What of a stored answer still stands for whoever reads it: the one place where that is decided.

A citation stands where its reader may open the document and the document still says so: the cited revision is the live
one, or the live one holds the quote word for word. Titles, addresses and dates are those of the live document.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from cortex.domain.credential import Reader
from cortex.domain.dated import undated_of_any_day
from cortex.domain.document import Block, BlockKind
from cortex.domain.identity import DocumentId
from cortex.domain.words import words
from cortex.ports.document_reader import LiveDocument, Quotation
from services.query_gateway.present import place_in_source, safe_url, source_body
from services.query_gateway.visibility import Visibility
from services.query_gateway.wire import (
    AnchorBody,
    AnswerSource,
    CitationBody,
    Considered,
    SentenceBody,
    StoredAnswer,
)

_UNTOLD: dict[str, object] = {"confidence": None, "evidence": {}}
"""Both are measured over all sources, and would tell something of one that its reader may not open."""


async def standing(
    visibility: Visibility,
    reader: Reader,
    live: Mapping[DocumentId, LiveDocument],
    citations: Iterable[CitationBody],
) -> "Standing":
    """`live` are rows of what the reader may see now. One query for all citations, and none where nothing changed."""
    quotations = [
        Quotation(row.document_id, row.indexed_revision, citation.quote)
        for citation in citations
        for row in (live.get(DocumentId(citation.document_id)),)
        if row is not None and row.indexed_revision != citation.anchor.revision
    ]
    return Standing(live, await visibility.quoted(reader, quotations) if quotations else {})


@dataclass(frozen=True, slots=True)
class Standing:
    """`changed` holds, of documents that have another revision than was cited, what `DocumentReader.quoted` gives."""

    live: Mapping[DocumentId, LiveDocument]
    changed: Mapping[DocumentId, Sequence[Block]] = field(default_factory=dict)

    def answer(self, stored: StoredAnswer) -> StoredAnswer:
        """What is left of it. It does not show why anything is gone."""
        sentences = self.sentences(stored.sentences)
        cited = {citation.n for sentence in sentences for citation in sentence.citations}
        chunks = {citation.chunk_id for sentence in sentences for citation in sentence.citations}
        sources = self.sources(stored.sources, cited)
        shown = {source.n for source in sources}
        update: dict[str, object] = {
            "sentences": sentences,
            "sources": sources,
            "considered": self._considered(stored.considered, chunks),
            "nearest": [n for n in stored.nearest if n in shown],
        }
        return stored.model_copy(update=update | untold(shown, stored.sources))

    def sentences(self, stored: Iterable[SentenceBody]) -> list[SentenceBody]:
        return [sentence for one in stored for sentence in (self.sentence(one),) if sentence is not None]

    def sentence(self, stored: SentenceBody) -> SentenceBody | None:
        """It goes with any citation that does not stand, and where it says more than what is left of its documents."""
        placed = [self._placed(citation) for citation in stored.citations]
        citations = [citation for citation in placed if citation is not None]
        if len(citations) < len(placed) or not self._said(stored):
            return None
        return stored.model_copy(update={"citations": citations})

    def sources(self, stored: Iterable[AnswerSource], cited: Iterable[int]) -> list[AnswerSource]:
        """One that no sentence cites is there for the text it had then, and goes with it."""
        numbers = set(cited)
        return [
            source.model_copy(update=_described(live))
            for source in stored
            for live in (self._row(source.document_id),)
            if live is not None and (source.revision == live.indexed_revision or source.n in numbers)
        ]

    def _considered(self, stored: Iterable[Considered], cited: set[UUID]) -> list[Considered]:
        return [
            passage.model_copy(update=_described(live))
            for passage in stored
            for live in (self._row(passage.document_id),)
            if live is not None and (passage.revision == live.indexed_revision or passage.chunk_id in cited)
        ]

    def _row(self, document: UUID) -> LiveDocument | None:
        return self.live.get(DocumentId(document))

    def _unchanged(self, citation: CitationBody) -> bool:
        live = self._row(citation.document_id)
        return live is not None and citation.anchor.revision == live.indexed_revision

    def _placed(self, citation: CitationBody) -> CitationBody | None:
        """Where its quote stands now, at the old place rather than elsewhere; None where it does not."""
        live = self._row(citation.document_id)
        if live is None or self._unchanged(citation):
            return None if live is None else citation
        holding = [block for block in self._blocks(citation) if citation.quote and citation.quote in block.text]
        if not holding:
            return None
        block = min(holding, key=lambda one: one.block_id != citation.anchor.block_id)
        at = citation.anchor.start
        start = at if block.text.startswith(citation.quote, at) else block.text.index(citation.quote)
        anchor = AnchorBody(
            revision=live.indexed_revision,
            block_id=block.block_id,
            start=start,
            end=start + len(citation.quote),
            page=block.page,
            line=block.line,
            message_id=block.message_id,
            second=block.second,
        )
        return citation.model_copy(update={"anchor": anchor})

    def _blocks(self, citation: CitationBody) -> Sequence[Block]:
        return self.changed.get(DocumentId(citation.document_id), ())

    def _said(self, stored: SentenceBody) -> bool:
        """Whether what was cited still holds what the sentence says, in as many words.

        Whoever wrote it knew the title, the headings and the rest of a document that has changed since.
        """
        if all(map(self._unchanged, stored.citations)):
            return True
        text = undated_of_any_day(stored.text)
        if any(text in citation.quote for citation in stored.citations):
            return True
        held = {word.key for citation in stored.citations for part in self._held(citation) for word in words(part)}
        return all(word.key in held for word in words(text) if not word.stop or word.key.isnumeric())

    def _held(self, citation: CitationBody) -> list[str]:
        live = self._row(citation.document_id)
        around = [
            block.text
            for block in self._blocks(citation)
            if block.kind is BlockKind.HEADING or citation.quote in block.text
        ]
        return [citation.quote, *around, *([live.title] if live else [])]


def untold(shown: set[int], stored: Sequence[AnswerSource]) -> dict[str, object]:
    """What is not told where a source is missing."""
    return _UNTOLD if len(shown) < len(stored) else {}


def _described(live: LiveDocument) -> dict[str, object]:
    return {
        "revision": live.indexed_revision,
        "title": live.title,
        "url": safe_url(live.url),
        "place": place_in_source(live),
        "source": source_body(live.source),
        "updated_at": live.updated_at,
    }
