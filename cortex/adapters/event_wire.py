"""Events as protobuf bytes, and back."""

import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC

from google.protobuf.message import DecodeError

from cortex.adapters.telemetry import note
from cortex.domain.errors import Invalid
from cortex.domain.event import ContentEvent, StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.revision import Counters, EventKind
from cortex.ports.event_bus import Handler, Message
from cortex.rpc.events.v1 import events_pb2


def content_bytes(event: ContentEvent) -> bytes:
    message = events_pb2.ContentEvent(
        event_id=event.event_id,
        tenant_id=str(event.tenant_id),
        source_id=str(event.source_id),
        document_id=str(event.document_id),
        revision=event.counters.revision,
        metadata_revision=event.counters.metadata_revision,
        acl_revision=event.counters.acl_revision,
        kind=event.kind.value,
        raw_key=event.raw_key,
        content_sha256=event.content_sha256,
        metadata_sha256=event.metadata_sha256,
        mime=event.mime,
        pipeline_version=event.pipeline_version,
        traceparent=event.traceparent,
    )
    message.occurred_at.FromDatetime(event.occurred_at)
    return bytes(message.SerializeToString())


def stage_bytes(event: StageEvent) -> bytes:
    message = events_pb2.StageEvent(
        event_id=event.event_id,
        stage=event.stage,
        tenant_id=str(event.tenant_id),
        source_id=str(event.source_id),
        document_id=str(event.document_id),
        revision=event.revision,
        traceparent=event.traceparent,
    )
    return bytes(message.SerializeToString())


def content_event(data: bytes) -> ContentEvent:
    """Raises Invalid for bytes that are no such event."""
    try:
        message = events_pb2.ContentEvent.FromString(data)
        return ContentEvent(
            tenant_id=TenantId(uuid.UUID(message.tenant_id)),
            source_id=SourceId(uuid.UUID(message.source_id)),
            document_id=DocumentId(uuid.UUID(message.document_id)),
            counters=Counters(message.revision, message.metadata_revision, message.acl_revision),
            kind=EventKind(events_pb2.ContentEvent.Kind.Name(message.kind)),
            raw_key=message.raw_key,
            content_sha256=message.content_sha256,
            metadata_sha256=message.metadata_sha256,
            mime=message.mime,
            pipeline_version=message.pipeline_version,
            occurred_at=message.occurred_at.ToDatetime(UTC),
            traceparent=message.traceparent,
        )
    except (DecodeError, ValueError) as error:
        raise Invalid("not a ContentEvent") from error


def stage_event(data: bytes) -> StageEvent:
    """Raises Invalid for bytes that are no such event."""
    try:
        message = events_pb2.StageEvent.FromString(data)
        return StageEvent(
            stage=message.stage,
            tenant_id=TenantId(uuid.UUID(message.tenant_id)),
            source_id=SourceId(uuid.UUID(message.source_id)),
            document_id=DocumentId(uuid.UUID(message.document_id)),
            revision=message.revision,
            traceparent=message.traceparent,
        )
    except (DecodeError, ValueError) as error:
        raise Invalid("not a StageEvent") from error


def on_content(handle: Callable[[ContentEvent], Awaitable[None]]) -> Handler:
    """A bus handler from one that takes content events."""

    async def handler(message: Message) -> None:
        event = content_event(message.data)
        note(tenant_id=str(event.tenant_id), document_id=str(event.document_id), revision=event.counters.revision)
        await handle(event)

    return handler


def on_stage(handle: Callable[[StageEvent], Awaitable[None]]) -> Handler:
    """A bus handler from one that takes stage events."""

    async def handler(message: Message) -> None:
        event = stage_event(message.data)
        note(tenant_id=str(event.tenant_id), document_id=str(event.document_id), revision=event.revision)
        await handle(event)

    return handler
