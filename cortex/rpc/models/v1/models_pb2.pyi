from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Model(_message.Message):
    __slots__ = ("name", "revision", "sha256", "dimensions", "tokens_max", "languages", "key")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_MAX_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    name: str
    revision: str
    sha256: str
    dimensions: int
    tokens_max: int
    languages: _containers.RepeatedScalarFieldContainer[str]
    key: str
    def __init__(self, name: _Optional[str] = ..., revision: _Optional[str] = ..., sha256: _Optional[str] = ..., dimensions: _Optional[int] = ..., tokens_max: _Optional[int] = ..., languages: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ...) -> None: ...

class SparseVector(_message.Message):
    __slots__ = ("indices", "values")
    INDICES_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    indices: _containers.RepeatedScalarFieldContainer[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, indices: _Optional[_Iterable[int]] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...

class QueryTokens(_message.Message):
    __slots__ = ("dense", "token_vectors", "token_ids")
    DENSE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_VECTORS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    dense: bytes
    token_vectors: bytes
    token_ids: bytes
    def __init__(self, dense: _Optional[bytes] = ..., token_vectors: _Optional[bytes] = ..., token_ids: _Optional[bytes] = ...) -> None: ...

class EncodeQueryRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class EncodeQueryResponse(_message.Message):
    __slots__ = ("model", "tokens", "sparse", "language", "languages", "supported")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    SPARSE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    model: Model
    tokens: QueryTokens
    sparse: SparseVector
    language: str
    languages: _containers.RepeatedScalarFieldContainer[str]
    supported: bool
    def __init__(self, model: _Optional[_Union[Model, _Mapping]] = ..., tokens: _Optional[_Union[QueryTokens, _Mapping]] = ..., sparse: _Optional[_Union[SparseVector, _Mapping]] = ..., language: _Optional[str] = ..., languages: _Optional[_Iterable[str]] = ..., supported: bool = ...) -> None: ...

class Passage(_message.Message):
    __slots__ = ("text", "language")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    text: str
    language: str
    def __init__(self, text: _Optional[str] = ..., language: _Optional[str] = ...) -> None: ...

class EncodePassagesRequest(_message.Message):
    __slots__ = ("passages",)
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    passages: _containers.RepeatedCompositeFieldContainer[Passage]
    def __init__(self, passages: _Optional[_Iterable[_Union[Passage, _Mapping]]] = ...) -> None: ...

class EncodedPassage(_message.Message):
    __slots__ = ("dense", "token_bits", "token_ids", "sparse", "language", "truncated")
    DENSE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BITS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_IDS_FIELD_NUMBER: _ClassVar[int]
    SPARSE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    dense: bytes
    token_bits: bytes
    token_ids: bytes
    sparse: SparseVector
    language: str
    truncated: bool
    def __init__(self, dense: _Optional[bytes] = ..., token_bits: _Optional[bytes] = ..., token_ids: _Optional[bytes] = ..., sparse: _Optional[_Union[SparseVector, _Mapping]] = ..., language: _Optional[str] = ..., truncated: bool = ...) -> None: ...

class ScoreRequest(_message.Message):
    __slots__ = ("query", "model_key", "embedded_sha256", "groups")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    MODEL_KEY_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_SHA256_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    query: QueryTokens
    model_key: str
    embedded_sha256: _containers.RepeatedScalarFieldContainer[str]
    groups: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, query: _Optional[_Union[QueryTokens, _Mapping]] = ..., model_key: _Optional[str] = ..., embedded_sha256: _Optional[_Iterable[str]] = ..., groups: _Optional[_Iterable[int]] = ...) -> None: ...

class ScoreResponse(_message.Message):
    __slots__ = ("scores", "neighbours")
    class Score(_message.Message):
        __slots__ = ("value",)
        VALUE_FIELD_NUMBER: _ClassVar[int]
        value: float
        def __init__(self, value: _Optional[float] = ...) -> None: ...
    class Neighbours(_message.Message):
        __slots__ = ("places", "weights")
        PLACES_FIELD_NUMBER: _ClassVar[int]
        WEIGHTS_FIELD_NUMBER: _ClassVar[int]
        places: _containers.RepeatedScalarFieldContainer[int]
        weights: _containers.RepeatedScalarFieldContainer[float]
        def __init__(self, places: _Optional[_Iterable[int]] = ..., weights: _Optional[_Iterable[float]] = ...) -> None: ...
    SCORES_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedCompositeFieldContainer[ScoreResponse.Score]
    neighbours: _containers.RepeatedCompositeFieldContainer[ScoreResponse.Neighbours]
    def __init__(self, scores: _Optional[_Iterable[_Union[ScoreResponse.Score, _Mapping]]] = ..., neighbours: _Optional[_Iterable[_Union[ScoreResponse.Neighbours, _Mapping]]] = ...) -> None: ...

class ScoreTextsRequest(_message.Message):
    __slots__ = ("query", "passages")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    query: str
    passages: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, query: _Optional[str] = ..., passages: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoreTextsResponse(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedCompositeFieldContainer[ScoreResponse.Score]
    def __init__(self, scores: _Optional[_Iterable[_Union[ScoreResponse.Score, _Mapping]]] = ...) -> None: ...
