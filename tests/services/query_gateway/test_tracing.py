"""What a request leaves in its trace: where it went and how it ended, whose it was, and nothing of what was asked."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.services.query_gateway.fakes import TENANT, person
from tests.services.query_gateway.world import World

QUESTION = "When is the moonshot launched?"
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@dataclass
class Recorded:
    """A span as it was at its end."""

    name: str
    headers: Mapping[str, str] = field(default_factory=dict)
    attributes: dict[str, str | int] = field(default_factory=dict)
    trace_id: str = "5" * 32

    def rename(self, name: str) -> None:
        self.name = name

    def note(self, **attributes: str | int) -> None:
        self.attributes |= attributes


class Recorder:
    """Implements Tracer."""

    def __init__(self) -> None:
        self.spans: list[Recorded] = []
        self._requests: list[Recorded] = []

    @contextmanager
    def span(self, name: str, **attributes: str | int) -> Iterator[Recorded]:
        self.spans.append(Recorded(name, attributes=attributes))
        yield self.spans[-1]

    @contextmanager
    def serving(self, headers: Mapping[str, str], name: str, **attributes: str | int) -> Iterator[Recorded]:
        request = Recorded(name, headers=dict(headers), attributes=attributes)
        self.spans.append(request)
        self._requests.append(request)
        yield request

    @property
    def request(self) -> Recorded:
        [request] = self._requests
        return request


async def test_a_search_is_one_trace_of_its_stages() -> None:
    world = World(tracer=(tracer := Recorder()))
    world.add("plan", "The moonshot is launched in May.")
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": QUESTION})
    assert response.headers["x-trace-id"] == response.json()["trace_id"] == tracer.request.trace_id
    assert tracer.request.name == "POST /v1/search"
    assert tracer.request.attributes == {
        "method": "POST",
        "route": "/v1/search",
        "status": 200,
        "tenant_id": str(TENANT),
        "person_id": str(person("ann")),
    }
    stages = ["auth", "encode", "search", "rerank", "recheck", "assemble", "present"]
    assert [span.name for span in tracer.spans[1:]] == stages
    assert response.json()["stages_ms"].keys() <= {span.name for span in tracer.spans}


async def test_an_answer_is_generated_in_the_same_trace() -> None:
    world = World(tracer=(tracer := Recorder()))
    world.add("plan", "The moonshot is launched in May.")
    async with world.client() as client:
        response = await client.post("/v1/chat", json={"question": QUESTION}, headers={"Accept": "application/json"})
    assert response.json()["trace_id"] == tracer.request.trace_id
    assert "generate" in [span.name for span in tracer.spans]


async def test_a_callers_trace_goes_on() -> None:
    world = World(tracer=(tracer := Recorder()))
    async with world.client() as client:
        await client.post("/v1/search", json={"query": QUESTION}, headers={"traceparent": TRACEPARENT})
    assert tracer.request.headers["traceparent"] == TRACEPARENT


async def test_a_problem_shows_the_trace_that_it_belongs_to() -> None:
    world = World(tracer=(tracer := Recorder()))
    async with world.client("expired") as client:
        response = await client.post("/v1/search", json={"query": QUESTION})
    assert response.json()["trace_id"] == response.headers["x-trace-id"] == tracer.request.trace_id
    assert tracer.request.attributes["status"] == 401
    assert "person_id" not in tracer.request.attributes


async def test_ids_in_a_path_do_not_name_a_span() -> None:
    world = World(tracer=(tracer := Recorder()))
    document = world.add("plan", "The moonshot is launched in May.")
    async with world.client() as client:
        await client.get(f"/v1/documents/{document}")
    assert tracer.request.name == "GET /v1/documents/{document}"


async def test_probes_are_no_part_of_any_trace() -> None:
    world = World(tracer=(tracer := Recorder()))
    async with world.client() as client:
        for path in ("/healthz", "/readyz", "/metrics"):
            assert len((await client.get(path)).headers["x-trace-id"]) == 32
    assert tracer.spans == []


async def test_no_span_holds_what_was_asked_or_found() -> None:
    world = World(tracer=(tracer := Recorder()))
    world.add("plan", "The moonshot is launched in May.", title="Moonshot")
    async with world.client() as client:
        await client.post("/v1/search", json={"query": QUESTION, "facets": ["source_type"]})
        await client.post("/v1/chat", json={"question": QUESTION}, headers={"Accept": "application/json"})
    kept = " ".join(f"{span.name} {span.attributes}" for span in tracer.spans)
    assert "moonshot" not in kept.lower()
