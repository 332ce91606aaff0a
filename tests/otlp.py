"""A collector for tests: takes spans over OTLP/gRPC, as any real one would, and keeps them."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from cortex.adapters.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class Received:
    """One exported span, and everything in it that is text."""

    span: Span

    @property
    def name(self) -> str:
        return self.span.name

    @property
    def kind(self) -> str:
        return Span.SpanKind.Name(self.span.kind).removeprefix("SPAN_KIND_").lower()

    @property
    def attributes(self) -> dict[str, str | int]:
        values = ((entry.key, entry.value) for entry in self.span.attributes)
        return {key: value.string_value or value.int_value for key, value in values}

    @property
    def whole(self) -> str:
        return str(self.span)


@dataclass
class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """`spans` gives one trace once the exporter has been flushed."""

    telemetry: Telemetry | None = None
    received: list[Received] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def Export(
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        found = [
            Received(span)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        with self._lock:
            self.received += found
        return trace_service_pb2.ExportTraceServiceResponse()

    def spans(self, trace_id: str) -> dict[str, Received]:
        """By name; each name of the trace must be there once."""
        every = self.every(trace_id)
        found = {received.name: received for received in every}
        assert len(found) == len(every), sorted(received.name for received in every)
        return found

    def texts(self) -> list[str]:
        """Every span that has come, whatever trace it is of, as text."""
        with self._lock:
            return [received.whole for received in self.received]

    def every(self, trace_id: str) -> list[Received]:
        if self.telemetry is not None:
            self.telemetry.flush()
        with self._lock:
            return [received for received in self.received if received.span.trace_id.hex() == trace_id]


def is_child(child: Received, parent: Received) -> bool:
    return child.span.parent_span_id == parent.span.span_id


@contextmanager
def listening() -> Iterator[tuple[Collector, str]]:
    """A collector, and the address at which other processes send it their spans."""
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield collector, f"http://127.0.0.1:{port}"
    finally:
        server.stop(grace=1).wait()


@contextmanager
def collecting() -> Iterator[Collector]:
    """The spans of this process go to the collector. One a process: OpenTelemetry keeps its first provider."""
    with listening() as (collector, url), Telemetry("test", url) as telemetry:
        collector.telemetry = telemetry
        yield collector
