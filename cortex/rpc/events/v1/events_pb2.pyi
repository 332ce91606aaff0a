import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContentEvent(_message.Message):
    __slots__ = ("event_id", "tenant_id", "source_id", "document_id", "revision", "metadata_revision", "acl_revision", "kind", "raw_key", "content_sha256", "metadata_sha256", "mime", "pipeline_version", "occurred_at", "traceparent")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[ContentEvent.Kind]
        UPSERT: _ClassVar[ContentEvent.Kind]
        METADATA: _ClassVar[ContentEvent.Kind]
        ACL: _ClassVar[ContentEvent.Kind]
        DELETE: _ClassVar[ContentEvent.Kind]
    KIND_UNSPECIFIED: ContentEvent.Kind
    UPSERT: ContentEvent.Kind
    METADATA: ContentEvent.Kind
    ACL: ContentEvent.Kind
    DELETE: ContentEvent.Kind
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    METADATA_REVISION_FIELD_NUMBER: _ClassVar[int]
    ACL_REVISION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RAW_KEY_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SHA256_FIELD_NUMBER: _ClassVar[int]
    METADATA_SHA256_FIELD_NUMBER: _ClassVar[int]
    MIME_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_VERSION_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    tenant_id: str
    source_id: str
    document_id: str
    revision: int
    metadata_revision: int
    acl_revision: int
    kind: ContentEvent.Kind
    raw_key: str
    content_sha256: str
    metadata_sha256: str
    mime: str
    pipeline_version: str
    occurred_at: _timestamp_pb2.Timestamp
    traceparent: str
    def __init__(self, event_id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., source_id: _Optional[str] = ..., document_id: _Optional[str] = ..., revision: _Optional[int] = ..., metadata_revision: _Optional[int] = ..., acl_revision: _Optional[int] = ..., kind: _Optional[_Union[ContentEvent.Kind, str]] = ..., raw_key: _Optional[str] = ..., content_sha256: _Optional[str] = ..., metadata_sha256: _Optional[str] = ..., mime: _Optional[str] = ..., pipeline_version: _Optional[str] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., traceparent: _Optional[str] = ...) -> None: ...

class StageEvent(_message.Message):
    __slots__ = ("event_id", "stage", "tenant_id", "source_id", "document_id", "revision", "traceparent")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    stage: str
    tenant_id: str
    source_id: str
    document_id: str
    revision: int
    traceparent: str
    def __init__(self, event_id: _Optional[str] = ..., stage: _Optional[str] = ..., tenant_id: _Optional[str] = ..., source_id: _Optional[str] = ..., document_id: _Optional[str] = ..., revision: _Optional[int] = ..., traceparent: _Optional[str] = ...) -> None: ...
