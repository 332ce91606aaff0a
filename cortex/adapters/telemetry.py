"""OpenTelemetry: one trace spans fetch to index, another question to citation. Ids and tenants, never content."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType

from opentelemetry import context, propagate, trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

NAME = "cortex"


class Telemetry:
    """Exports spans over OTLP/gRPC for as long as it is open. Without a url, spans are made and dropped."""

    def __init__(self, service: str, url: str | None, *, exporter: SpanExporter | None = None) -> None:
        self._provider = TracerProvider(resource=Resource.create({"service.name": f"cortex-{service}"}))
        if exporter is None and url:
            exporter = OTLPSpanExporter(endpoint=url, insecure=not url.startswith("https://"))
        if exporter is not None:
            self._provider.add_span_processor(BatchSpanProcessor(exporter))

    def __enter__(self) -> "Telemetry":
        propagate.set_global_textmap(TraceContextTextMapPropagator())
        trace.set_tracer_provider(self._provider)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._provider.shutdown()


@contextmanager
def span(name: str, *, kind: SpanKind = SpanKind.INTERNAL, **attributes: str | int) -> Iterator[Span]:
    """A span under the current one; an exception marks it."""
    with trace.get_tracer(NAME).start_as_current_span(name, kind=kind, attributes=dict(attributes)) as current:
        yield current


def carried() -> dict[str, str]:
    """Headers that carry the current trace to the next process."""
    headers: dict[str, str] = {}
    propagate.inject(headers)
    return headers


def traceparent() -> str:
    """The current trace in one line; empty without one."""
    return carried().get("traceparent", "")


@contextmanager
def span_from(headers: Mapping[str, str], name: str, *, kind: SpanKind, **attributes: str | int) -> Iterator[Span]:
    """A span that goes on with the trace that `headers` carry."""
    token = context.attach(propagate.extract(dict(headers)))
    try:
        with span(name, kind=kind, **attributes) as current:
            yield current
    finally:
        context.detach(token)


def trace_id() -> str | None:
    """The current trace's id in hexadecimal; None outside a trace."""
    current = trace.get_current_span().get_span_context()
    return f"{current.trace_id:032x}" if current.is_valid else None
