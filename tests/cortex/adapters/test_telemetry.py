"""Spans as a collector receives them over OTLP/gRPC: their parents, their marks, and what is never in them."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from opentelemetry import baggage, context
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.models_rpc import ModelsClient, models_channel, plain_metadata
from cortex.adapters.telemetry import (
    OpenTelemetryTracer,
    Telemetry,
    carried,
    consumer_span,
    note,
    server_span,
    span,
    traceparent,
)
from cortex.domain.encoding import ModelCard
from cortex.domain.errors import Invalid
from cortex.domain.query import EncodedQuery
from cortex.rpc.models.v1 import models_pb2, models_pb2_grpc
from services.embed.rpc import query_message
from tests.otlp import Collector, is_child
from tests.services.query_gateway.fakes import ENGLISH, TENANT, TERMS, TOKENS
from tests.services.query_gateway.world import World

QUESTION, TEXT = "When is the moonshot launched?", "The moonshot is launched in May."
CALLERS_TRACE, CALLERS_SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{CALLERS_TRACE}-{CALLERS_SPAN}-01"
CARD = ModelCard("model", "1", "0" * 64, dimensions=8, tokens_max=64, languages=frozenset(["en"]))


class Encoding:
    async def EncodeQuery(
        self, request: models_pb2.EncodeQueryRequest, context: grpc.aio.ServicerContext
    ) -> models_pb2.EncodeQueryResponse:
        if not request.text.strip():
            raise Invalid(f"{QUESTION} is not asked")
        return query_message(EncodedQuery(TERMS, ENGLISH, TOKENS, CARD.key, supported=True), CARD)

    async def EncodePassages(
        self, request: models_pb2.EncodePassagesRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[models_pb2.EncodedPassage]:
        for _ in request.passages:
            yield models_pb2.EncodedPassage()


class Scoring:
    async def Score(
        self, request: models_pb2.ScoreRequest, context: grpc.aio.ServicerContext
    ) -> models_pb2.ScoreResponse:
        return models_pb2.ScoreResponse(
            scores=[models_pb2.ScoreResponse.Score(value=0.5) for _ in request.embedded_sha256]
        )

    async def ScoreTexts(
        self, request: models_pb2.ScoreTextsRequest, context: grpc.aio.ServicerContext
    ) -> models_pb2.ScoreTextsResponse:
        return models_pb2.ScoreTextsResponse()


@asynccontextmanager
async def models_process() -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server that is wired as the models process is."""

    def register(server: grpc.aio.Server) -> None:
        models_pb2_grpc.add_EmbedServiceServicer_to_server(Encoding(), server)  # type: ignore[no-untyped-call]
        models_pb2_grpc.add_RerankServiceServicer_to_server(Scoring(), server)  # type: ignore[no-untyped-call]

    settings = GrpcServerSettings(address="127.0.0.1:0")
    async with serving(settings, [register]) as port, models_channel(f"127.0.0.1:{port}") as channel:
        yield channel


async def test_a_question_is_one_trace_from_the_caller_to_the_models_process(collector: Collector) -> None:
    async with models_process() as channel:
        world = World(tracer=OpenTelemetryTracer(), models=ModelsClient(channel))  # type: ignore[arg-type]
        world.add("plan", TEXT, title="Moonshot")
        async with world.client() as client:
            headers = {"traceparent": TRACEPARENT, "Accept": "application/json"}
            response = await client.post("/v1/chat", json={"question": QUESTION}, headers=headers)
    assert response.json()["answer"] or response.json()["sentences"]
    assert response.headers["x-trace-id"] == response.json()["trace_id"] == CALLERS_TRACE
    every = collector.every(CALLERS_TRACE)
    named = {one.name: one for one in every}
    assert len(named) == len(every) - 1, "only the models process is asked twice"
    request = named["POST /v1/chat"]
    assert (request.kind, request.span.parent_span_id.hex()) == ("server", CALLERS_SPAN)
    for stage in ("auth", "encode", "search", "rerank", "recheck", "assemble", "generate"):
        assert is_child(named[stage], request), stage
    for stage, call in (("encode", "EmbedService/EncodeQuery"), ("rerank", "RerankService/Score")):
        [asked] = [one for one in every if one.kind == "client" and is_child(one, named[stage])]
        assert is_child(named[call], asked), call
        assert named[call].kind == "server"
    assert not [one.name for one in every if "moonshot" in one.whole.lower()]


async def test_a_stream_goes_on_with_the_trace_too(collector: Collector) -> None:
    request = models_pb2.EncodePassagesRequest(passages=[models_pb2.Passage(text=TEXT)] * 3)
    async with models_process() as channel:
        with span("caller") as caller:
            metadata = (*plain_metadata(TENANT), *carried().items())
            stub = models_pb2_grpc.EmbedServiceStub(channel)  # type: ignore[no-untyped-call]
            assert len([answer async for answer in stub.EncodePassages(request, metadata=metadata)]) == 3
    spans = collector.spans(caller.trace_id)
    assert is_child(spans["EmbedService/EncodePassages"], spans["caller"])


async def test_an_error_marks_every_span_that_it_passes_by_its_type_alone(collector: Collector) -> None:
    async with models_process() as channel:
        client = ModelsClient(channel)
        with pytest.raises(Invalid), span("caller") as caller:
            await client.encode_query(TENANT, " ")
    spans = collector.spans(caller.trace_id)
    assert spans.keys() == {"caller", "models", "EmbedService/EncodeQuery"}
    for received in spans.values():
        assert received.span.status.code == Status.STATUS_CODE_ERROR
        assert received.attributes["error.type"] == "Invalid"
        assert "moonshot" not in received.whole


async def test_being_cancelled_is_no_error(collector: Collector) -> None:
    with pytest.raises(asyncio.CancelledError), span("cancelled") as cancelled:
        raise asyncio.CancelledError
    received = collector.spans(cancelled.trace_id)["cancelled"]
    assert received.span.status.code == Status.STATUS_CODE_UNSET


def test_a_trace_is_carried_in_headers_and_goes_on_from_them(collector: Collector) -> None:
    with span("writer") as writer:
        headers, line = carried(), traceparent()
    assert headers == {"traceparent": line}
    with consumer_span(headers, "consumer", subject="cortex.parsed.x") as consumer:
        note(document_id="42", pages=3)
    assert consumer.trace_id == writer.trace_id
    spans = collector.spans(writer.trace_id)
    assert is_child(spans["consumer"], spans["writer"])
    assert spans["consumer"].attributes == {
        "messaging.destination.name": "cortex.parsed.x",
        "cortex.document_id": "42",
        "cortex.pages": 3,
    }


@pytest.mark.parametrize("headers", [{}, {"traceparent": "moonshot"}, {"traceparent": "00-" + "0" * 32 + "-1-01"}])
def test_headers_without_a_trace_begin_one(collector: Collector, headers: dict[str, str]) -> None:
    with span("of something else") as other, server_span(headers, "request") as request:
        pass
    assert request.trace_id != other.trace_id
    assert not collector.spans(request.trace_id)["request"].span.parent_span_id


def test_baggage_goes_no_further(collector: Collector) -> None:
    token = context.attach(baggage.set_baggage("question", QUESTION))
    try:
        with span("caller"):
            assert carried().keys() == {"traceparent"}
    finally:
        context.detach(token)
    with server_span({"baggage": "question=moonshot"}, "request"):
        assert not baggage.get_all()


def test_outside_a_trace_nothing_is_carried() -> None:
    assert (carried(), traceparent()) == ({}, "")


def test_without_an_address_nothing_is_exported() -> None:
    """An exporter has a thread of its own."""
    before = threading.active_count()
    Telemetry("test", None)
    assert threading.active_count() == before
