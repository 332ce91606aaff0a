"""From values of the domain to bodies. Texts and titles are data: they go out as they are, in JSON alone."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from cortex.domain.answer import Citation, Passage, Sentence, SourceLabel
from cortex.domain.document import Anchor, Block
from cortex.domain.identity import DocumentId
from cortex.domain.query import Found, source_numbers
from cortex.ports.document_reader import LiveDocument
from services.query_gateway.figures import ranked, told
from services.query_gateway.folding import Folded
from services.query_gateway.snippet import snippet
from services.query_gateway.wire import (
    AnchorBody,
    AnswerSource,
    BlockBody,
    CitationBody,
    Considered,
    CopyBody,
    DocumentBody,
    SearchResult,
    SentenceBody,
    SourceBody,
)

COPIES_SHOWN = 20
_SCRIPTS = frozenset(["javascript", "data", "vbscript"])


@dataclass(frozen=True, slots=True)
class Explained:
    """What ranked one result, among all that were looked at."""

    scores: dict[str, float]
    ranks: dict[str, int]


def explained(found: Sequence[Found]) -> dict[DocumentId, Explained]:
    """`found` are documents that the asker may open, by their best passages."""
    scores = [one.best.scores for one in found]
    made = map(Explained, told(scores), ranked(scores))
    return {one.document_id: each for one, each in zip(found, made, strict=True)}


def safe_url(url: str) -> str:
    """Empty where following the address would run something."""
    plain = "".join(character for character in url if ord(character) > 32)
    try:
        return "" if urlsplit(plain).scheme.lower() in _SCRIPTS else url
    except ValueError:
        return ""


def place_in_source(live: LiveDocument) -> str:
    """A file's path. Other sources' ids say nothing to people."""
    return live.external_id if live.source.type == "files" else ""


def anchor_body(anchor: Anchor) -> AnchorBody:
    return AnchorBody(**asdict(anchor))


def source_body(source: SourceLabel) -> SourceBody:
    return SourceBody(id=source.id, type=source.type, name=source.name)


def result(folded: Folded, question: str, explained: Explained | None) -> SearchResult:
    found = folded.found
    best = found.best
    shown = snippet(best, question)
    return SearchResult(
        document_id=found.document_id,
        chunk_id=best.chunk_id,
        title=best.title,
        snippet=shown.text,
        highlights=list(shown.highlights),
        anchor=anchor_body(shown.anchor),
        url=safe_url(best.url),
        place=best.place,
        source=source_body(best.source),
        author=best.author,
        updated_at=best.updated_at,
        score=round(best.score, 6),
        scores=explained.scores if explained else None,
        ranks=explained.ranks if explained else None,
        copies=[
            CopyBody(
                document_id=copy.document_id,
                title=copy.best.title,
                url=safe_url(copy.best.url),
                source=source_body(copy.best.source),
            )
            for copy in folded.copies[:COPIES_SHOWN]
        ],
    )


def answer_sources(passages: Sequence[Passage]) -> list[AnswerSource]:
    """One a document, numbered as sentences cite it."""
    numbers = source_numbers(passages)
    first = {passage.document_id: passage for passage in reversed(passages)}
    return [
        AnswerSource(
            n=n,
            document_id=document,
            revision=first[document].revision,
            title=first[document].title,
            url=safe_url(first[document].url),
            place=first[document].place,
            source=source_body(first[document].source),
            updated_at=first[document].updated_at,
        )
        for document, n in numbers.items()
    ]


def considered(found: Sequence[Found], used: Sequence[Passage]) -> list[Considered]:
    """Every passage that was found, with what ranked it; `used` are those that the answer could rest on."""
    chosen = {passage.chunk_id for passage in used}
    return [
        Considered(
            document_id=passage.document_id,
            revision=passage.revision,
            chunk_id=passage.chunk_id,
            title=passage.title,
            url=safe_url(passage.url),
            source=source_body(passage.source),
            updated_at=passage.updated_at,
            scores=dict(passage.scores),
            used=passage.chunk_id in chosen,
        )
        for document in found
        for passage in document.passages
    ]


def citation_body(citation: Citation) -> CitationBody:
    return CitationBody(
        n=citation.n,
        quote=citation.quote,
        document_id=citation.document_id,
        chunk_id=citation.chunk_id,
        anchor=anchor_body(citation.anchor),
    )


def sentence_body(sentence: Sentence) -> SentenceBody:
    return SentenceBody(text=sentence.text, citations=[citation_body(citation) for citation in sentence.citations])


def document_body(live: LiveDocument, blocks: Sequence[Block]) -> DocumentBody:
    return DocumentBody(
        document_id=live.document_id,
        title=live.title,
        url=safe_url(live.url),
        source=source_body(live.source),
        author=live.author,
        mime=live.mime,
        created_at=live.created_at,
        updated_at=live.updated_at,
        revision=live.indexed_revision,
        blocks=[_block(block, live.indexed_revision) for block in blocks],
    )


def _block(block: Block, revision: int) -> BlockBody:
    anchor = AnchorBody(
        revision=revision,
        block_id=block.block_id,
        start=0,
        end=len(block.text),
        page=block.page,
        line=block.line,
        message_id=block.message_id,
        second=block.second,
    )
    return BlockBody(block_id=block.block_id, kind=block.kind.value, text=block.text, level=block.level, anchor=anchor)
