from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Anchor(_message.Message):
    __slots__ = ("revision", "block_id", "start", "end", "page", "line", "message_id", "second")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    BLOCK_ID_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    revision: int
    block_id: int
    start: int
    end: int
    page: int
    line: int
    message_id: str
    second: float
    def __init__(self, revision: _Optional[int] = ..., block_id: _Optional[int] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., page: _Optional[int] = ..., line: _Optional[int] = ..., message_id: _Optional[str] = ..., second: _Optional[float] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("id", "type", "name")
    ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    id: str
    type: str
    name: str
    def __init__(self, id: _Optional[str] = ..., type: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class Passage(_message.Message):
    __slots__ = ("chunk_id", "document_id", "revision", "title", "url", "source", "author", "updated_at_us", "language", "heading_path", "text", "anchors", "score", "scores")
    class ScoresEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ANCHORS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    chunk_id: str
    document_id: str
    revision: int
    title: str
    url: str
    source: Source
    author: str
    updated_at_us: int
    language: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    text: str
    anchors: _containers.RepeatedCompositeFieldContainer[Anchor]
    score: float
    scores: _containers.ScalarMap[str, float]
    def __init__(self, chunk_id: _Optional[str] = ..., document_id: _Optional[str] = ..., revision: _Optional[int] = ..., title: _Optional[str] = ..., url: _Optional[str] = ..., source: _Optional[_Union[Source, _Mapping]] = ..., author: _Optional[str] = ..., updated_at_us: _Optional[int] = ..., language: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ..., anchors: _Optional[_Iterable[_Union[Anchor, _Mapping]]] = ..., score: _Optional[float] = ..., scores: _Optional[_Mapping[str, float]] = ...) -> None: ...

class GenerateRequest(_message.Message):
    __slots__ = ("question", "passages")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    question: str
    passages: _containers.RepeatedCompositeFieldContainer[Passage]
    def __init__(self, question: _Optional[str] = ..., passages: _Optional[_Iterable[_Union[Passage, _Mapping]]] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("n", "quote", "document_id", "chunk_id", "anchor")
    N_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    n: int
    quote: str
    document_id: str
    chunk_id: str
    anchor: Anchor
    def __init__(self, n: _Optional[int] = ..., quote: _Optional[str] = ..., document_id: _Optional[str] = ..., chunk_id: _Optional[str] = ..., anchor: _Optional[_Union[Anchor, _Mapping]] = ...) -> None: ...

class Sentence(_message.Message):
    __slots__ = ("text", "citations")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    text: str
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    def __init__(self, text: _Optional[str] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ...) -> None: ...

class Ending(_message.Message):
    __slots__ = ("abstained", "reason", "prompt_tokens", "completion_tokens", "degraded", "engine", "confidence", "evidence")
    class EvidenceEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    ABSTAINED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    abstained: bool
    reason: str
    prompt_tokens: int
    completion_tokens: int
    degraded: _containers.RepeatedScalarFieldContainer[str]
    engine: str
    confidence: float
    evidence: _containers.ScalarMap[str, float]
    def __init__(self, abstained: bool = ..., reason: _Optional[str] = ..., prompt_tokens: _Optional[int] = ..., completion_tokens: _Optional[int] = ..., degraded: _Optional[_Iterable[str]] = ..., engine: _Optional[str] = ..., confidence: _Optional[float] = ..., evidence: _Optional[_Mapping[str, float]] = ...) -> None: ...

class GeneratedPart(_message.Message):
    __slots__ = ("sentence", "ending")
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    sentence: Sentence
    ending: Ending
    def __init__(self, sentence: _Optional[_Union[Sentence, _Mapping]] = ..., ending: _Optional[_Union[Ending, _Mapping]] = ...) -> None: ...

class ContextsRequest(_message.Message):
    __slots__ = ("title", "passages")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    title: str
    passages: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, title: _Optional[str] = ..., passages: _Optional[_Iterable[str]] = ...) -> None: ...

class ContextsResponse(_message.Message):
    __slots__ = ("contexts",)
    CONTEXTS_FIELD_NUMBER: _ClassVar[int]
    contexts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, contexts: _Optional[_Iterable[str]] = ...) -> None: ...
