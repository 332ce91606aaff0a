"""Events survive the wire, and bytes that are none are refused."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.adapters.event_wire import content_bytes, content_event, on_content, on_stage, stage_bytes, stage_event
from cortex.domain.errors import Invalid
from cortex.domain.event import ContentEvent, StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.revision import Counters, EventKind
from cortex.ports.event_bus import Message

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
uuids = st.uuids()
texts = st.text(max_size=30)
numbers = st.integers(0, 2**62)
contents = st.builds(
    ContentEvent,
    tenant_id=uuids.map(TenantId),
    source_id=uuids.map(SourceId),
    document_id=uuids.map(DocumentId),
    counters=st.builds(Counters, numbers, numbers, numbers),
    kind=st.sampled_from(EventKind),
    raw_key=texts,
    content_sha256=texts,
    metadata_sha256=texts,
    mime=texts,
    pipeline_version=texts,
    occurred_at=st.integers(0, 7 * 10**15).map(lambda microseconds: EPOCH + timedelta(microseconds=microseconds)),
    traceparent=texts,
)
stages = st.builds(
    StageEvent,
    stage=st.sampled_from(["parsed", "chunked", "indexed"]),
    tenant_id=uuids.map(TenantId),
    source_id=uuids.map(SourceId),
    document_id=uuids.map(DocumentId),
    revision=numbers,
    traceparent=texts,
)


@given(contents)
def test_a_content_event_comes_back_as_it_was(event: ContentEvent) -> None:
    assert content_event(content_bytes(event)) == event


@given(stages)
def test_a_stage_event_comes_back_as_it_was(event: StageEvent) -> None:
    assert stage_event(stage_bytes(event)) == event


@pytest.mark.parametrize("data", [b"", b"\xff\xff", b"{}", uuid.UUID(int=1).bytes])
async def test_bytes_that_are_no_event_are_refused(data: bytes) -> None:
    """At the bus as well, where Invalid means the dead letters."""

    async def never(_event: ContentEvent | StageEvent) -> None:
        raise AssertionError("handled")

    for read in (content_event, stage_event):
        with pytest.raises(Invalid):
            read(data)
    for handler in (on_content(never), on_stage(never)):
        with pytest.raises(Invalid):
            await handler(Message("cortex.content.x.UPSERT", data))
