"""Messages of proto/cortex/rpc/generation/v1/generation.proto as values, and back."""

import uuid
from datetime import UTC, datetime, timedelta

from cortex.domain.answer import Citation, Passage, Sentence, SourceLabel
from cortex.domain.document import Anchor
from cortex.domain.errors import Bug, Invalid
from cortex.domain.identity import ChunkId, DocumentId, SourceId
from cortex.ports.generator import Ending, Usage
from cortex.rpc.generation.v1 import generation_pb2

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def passage_message(passage: Passage) -> generation_pb2.Passage:
    updated_at = passage.updated_at
    return generation_pb2.Passage(
        chunk_id=str(passage.chunk_id),
        document_id=str(passage.document_id),
        revision=passage.revision,
        title=passage.title,
        url=passage.url,
        source=generation_pb2.Source(id=str(passage.source.id), type=passage.source.type, name=passage.source.name),
        author=passage.author,
        updated_at_us=None if updated_at is None else (updated_at - _EPOCH) // _MICROSECOND,
        language=passage.language,
        heading_path=passage.heading_path,
        text=passage.text,
        anchors=[anchor_message(anchor) for anchor in passage.anchors],
        score=passage.score,
        scores=dict(passage.scores),
    )


def anchor_message(anchor: Anchor) -> generation_pb2.Anchor:
    return generation_pb2.Anchor(
        revision=anchor.revision,
        block_id=anchor.block_id,
        start=anchor.start,
        end=anchor.end,
        page=anchor.page,
        line=anchor.line,
        message_id=anchor.message_id,
        second=anchor.second,
    )


def part_of(message: generation_pb2.GeneratedPart) -> Sentence | Ending:
    match message.WhichOneof("part"):
        case "sentence":
            return Sentence(message.sentence.text, tuple(citation_of(one) for one in message.sentence.citations))
        case "ending":
            ending = message.ending
            return Ending(
                abstained=ending.abstained,
                reason=ending.reason if ending.HasField("reason") else None,
                usage=Usage(ending.prompt_tokens, ending.completion_tokens),
                degraded=tuple(ending.degraded),
                engine=ending.engine,
                confidence=ending.confidence if ending.HasField("confidence") else None,
                evidence=dict(ending.evidence),
            )
    raise Bug("the llm_gateway sent a part of an unknown kind")


def citation_of(message: generation_pb2.Citation) -> Citation:
    return Citation(
        n=message.n,
        quote=message.quote,
        document_id=DocumentId(uuid.UUID(message.document_id)),
        chunk_id=ChunkId(uuid.UUID(message.chunk_id)),
        anchor=anchor_of(message.anchor),
    )


def anchor_of(message: generation_pb2.Anchor) -> Anchor:
    return Anchor(
        revision=message.revision,
        block_id=message.block_id,
        start=message.start,
        end=message.end,
        page=message.page if message.HasField("page") else None,
        line=message.line if message.HasField("line") else None,
        message_id=message.message_id if message.HasField("message_id") else None,
        second=message.second if message.HasField("second") else None,
    )


def passages_of(request: generation_pb2.GenerateRequest) -> list[Passage]:
    """Raises Invalid for what is no id."""
    try:
        return [passage_of(message) for message in request.passages]
    except ValueError as error:
        raise Invalid("passages: expected ids as UUIDs") from error


def passage_of(message: generation_pb2.Passage) -> Passage:
    updated_at = None
    if message.HasField("updated_at_us"):
        updated_at = _EPOCH + timedelta(microseconds=message.updated_at_us)
    return Passage(
        chunk_id=ChunkId(uuid.UUID(message.chunk_id)),
        document_id=DocumentId(uuid.UUID(message.document_id)),
        revision=message.revision,
        title=message.title,
        url=message.url,
        source=SourceLabel(SourceId(uuid.UUID(message.source.id)), message.source.type, message.source.name),
        author=message.author if message.HasField("author") else None,
        updated_at=updated_at,
        language=message.language,
        heading_path=tuple(message.heading_path),
        text=message.text,
        anchors=tuple(anchor_of(anchor) for anchor in message.anchors),
        score=message.score,
        scores=dict(message.scores),
    )


def part_message(part: Sentence | Ending) -> generation_pb2.GeneratedPart:
    if isinstance(part, Sentence):
        citations = [citation_message(citation) for citation in part.citations]
        return generation_pb2.GeneratedPart(sentence=generation_pb2.Sentence(text=part.text, citations=citations))
    ending = generation_pb2.Ending(
        abstained=part.abstained,
        reason=part.reason,
        prompt_tokens=part.usage.prompt_tokens,
        completion_tokens=part.usage.completion_tokens,
        degraded=part.degraded,
        engine=part.engine,
        confidence=part.confidence,
        evidence=dict(part.evidence),
    )
    return generation_pb2.GeneratedPart(ending=ending)


def citation_message(citation: Citation) -> generation_pb2.Citation:
    return generation_pb2.Citation(
        n=citation.n,
        quote=citation.quote,
        document_id=str(citation.document_id),
        chunk_id=str(citation.chunk_id),
        anchor=anchor_message(citation.anchor),
    )
