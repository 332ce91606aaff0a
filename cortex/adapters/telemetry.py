"""OpenTelemetry: one trace spans fetch to index, another question to citation. Ids and tenants, never content."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from types import TracebackType

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

NAME = "cortex"
EXPORT_TIMEOUT_S = 5
# W3C trace context alone: baggage would carry whatever a caller likes.
PROPAGATOR = TraceContextTextMapPropagator()
# Plain words here, the semantic conventions of OpenTelemetry outside. Any other word becomes `cortex.<word>`.
CONVENTIONS = {
    "method": "http.request.method",
    "route": "http.route",
    "status": "http.response.status_code",
    "rpc": "rpc.method",
    "subject": "messaging.destination.name",
    "error": "error.type",
}


class Telemetry:
    """Exports spans over OTLP/gRPC for as long as it is open. Without a url, spans are made and dropped.

    One a process: OpenTelemetry keeps the first that is opened.
    """

    def __init__(self, service: str, url: str | None) -> None:
        self._provider = TracerProvider(resource=Resource.create({"service.name": f"cortex-{service}"}))
        if url:
            exporter = OTLPSpanExporter(endpoint=url, insecure=not url.startswith("https://"), timeout=EXPORT_TIMEOUT_S)
            self._provider.add_span_processor(BatchSpanProcessor(exporter))

    def __enter__(self) -> "Telemetry":
        trace.set_tracer_provider(self._provider)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._provider.shutdown()

    def flush(self) -> None:
        """Blocks until what has ended is exported, or could not be."""
        self._provider.force_flush()


@dataclass(frozen=True, slots=True)
class TracedSpan:
    """Implements cortex.ports.tracer.Span."""

    inner: OtelSpan

    @property
    def trace_id(self) -> str:
        return f"{self.inner.get_span_context().trace_id:032x}"

    def rename(self, name: str) -> None:
        self.inner.update_name(name)

    def note(self, **attributes: str | int) -> None:
        self.inner.set_attributes(_conventional(attributes))


class OpenTelemetryTracer:
    """Implements cortex.ports.tracer.Tracer. What it makes is exported while a Telemetry is open."""

    def span(self, name: str, **attributes: str | int) -> AbstractContextManager[TracedSpan]:
        return span(name, **attributes)

    def serving(
        self, headers: Mapping[str, str], name: str, **attributes: str | int
    ) -> AbstractContextManager[TracedSpan]:
        return server_span(headers, name, **attributes)


def span(name: str, **attributes: str | int) -> AbstractContextManager[TracedSpan]:
    """A span under the current one. An exception marks it by its type: its message may hold content."""
    return _current(name, SpanKind.INTERNAL, attributes)


def client_span(name: str, **attributes: str | int) -> AbstractContextManager[TracedSpan]:
    """The same around a call of another process."""
    return _current(name, SpanKind.CLIENT, attributes)


def server_span(headers: Mapping[str, str], name: str, **attributes: str | int) -> AbstractContextManager[TracedSpan]:
    """A request's span: goes on with the trace that `headers` (of lower-case names) carry, or begins one."""
    return _continued(headers, name, SpanKind.SERVER, attributes)


def consumer_span(headers: Mapping[str, str], name: str, **attributes: str | int) -> AbstractContextManager[TracedSpan]:
    """The same for one delivery of a message."""
    return _continued(headers, name, SpanKind.CONSUMER, attributes)


@contextmanager
def stream_span(headers: Mapping[str, str], name: str, **attributes: str | int) -> Iterator[TracedSpan]:
    """A request's span that is never the current one: for generators, which may be closed from another context."""
    begun = trace.get_tracer(NAME).start_span(
        name,
        context=PROPAGATOR.extract(dict(headers), context.Context()),
        kind=SpanKind.SERVER,
        attributes=_conventional(attributes),
    )
    with ExitStack() as stack:
        stack.callback(begun.end)
        stack.push(partial(_mark, begun))
        yield TracedSpan(begun)


@contextmanager
def _continued(
    headers: Mapping[str, str], name: str, kind: SpanKind, attributes: Mapping[str, str | int]
) -> Iterator[TracedSpan]:
    token = context.attach(PROPAGATOR.extract(dict(headers), context.Context()))
    try:
        with _current(name, kind, attributes) as current:
            yield current
    finally:
        context.detach(token)


@contextmanager
def _current(name: str, kind: SpanKind, attributes: Mapping[str, str | int]) -> Iterator[TracedSpan]:
    with ExitStack() as stack:
        started = stack.enter_context(
            trace.get_tracer(NAME).start_as_current_span(
                name,
                kind=kind,
                attributes=_conventional(attributes),
                record_exception=False,
                set_status_on_exception=False,
            )
        )
        stack.push(partial(_mark, started))
        yield TracedSpan(started)


def note(**attributes: str | int) -> None:
    """Attributes for the current span."""
    trace.get_current_span().set_attributes(_conventional(attributes))


def carried() -> dict[str, str]:
    """Headers that carry the current trace to the next process; none outside a trace."""
    headers: dict[str, str] = {}
    PROPAGATOR.inject(headers)
    return headers


def traceparent() -> str:
    """The current trace in one line; empty without one."""
    return carried().get("traceparent", "")


def _conventional(attributes: Mapping[str, str | int]) -> dict[str, str | int]:
    return {CONVENTIONS.get(name, f"cortex.{name}"): value for name, value in attributes.items()}


def _mark(
    span: OtelSpan, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
) -> None:
    """Being cancelled is no error."""
    if kind is not None and issubclass(kind, Exception):
        span.set_attribute(CONVENTIONS["error"], kind.__name__)
        span.set_status(StatusCode.ERROR)
