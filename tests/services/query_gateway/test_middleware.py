"""Host and Origin, the size of bodies, headers of every answer."""

from collections.abc import AsyncIterator

import pytest

from services.query_gateway.settings import Settings
from tests.services.query_gateway.world import World

SAFE = frozenset(
    [
        "content-security-policy",
        "cross-origin-opener-policy",
        "cross-origin-resource-policy",
        "permissions-policy",
        "referrer-policy",
        "x-content-type-options",
        "x-frame-options",
        "x-trace-id",
    ]
)
LOCAL = Settings(allowed_hosts=frozenset(["127.0.0.1", "localhost", "[::1]"]))


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080"])
async def test_our_own_names_are_answered(host: str) -> None:
    async with World(LOCAL).client() as client:
        response = await client.get("/healthz", headers={"Host": host})
    assert response.status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "[::1"])
async def test_other_names_are_refused_whatever_they_resolve_to(host: str) -> None:
    async with World(LOCAL).client() as client:
        response = await client.get("/healthz", headers={"Host": host})
    assert response.status_code == 421
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("origin", "status"), [("http://localhost:8080", 200), ("https://evil.example", 421), ("null", 421)]
)
async def test_foreign_pages_are_refused(origin: str, status: int) -> None:
    async with World(LOCAL).client() as client:
        response = await client.get("/healthz", headers={"Origin": origin})
    assert response.status_code == status


async def test_behind_an_ingress_any_name_will_do() -> None:
    async with World().client() as client:
        assert (await client.get("/healthz", headers={"Host": "cortex.acme.example"})).status_code == 200


async def pieces(count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b" " * 1000


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_that_is_too_large_is_refused(declared: bool) -> None:
    world = World(Settings(body_bytes_max=5_000))
    content = b" " * 6_000 if declared else pieces(6)
    async with world.client() as client:
        response = await client.post("/v1/search", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    assert world.index.requests == []


async def test_a_length_beside_chunks_is_not_believed() -> None:
    world = World(Settings(body_bytes_max=5_000))
    headers = {"Content-Type": "application/json", "Content-Length": "2", "Transfer-Encoding": "chunked"}
    async with world.client() as client:
        response = await client.post("/v1/search", content=pieces(6), headers=headers)
    assert response.status_code == 413


async def test_a_body_without_a_length_is_read_within_the_bound() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b'{"query": '
        yield b'"text"}'

    async with World().client() as client:
        response = await client.post("/v1/search", content=body(), headers={"Content-Type": "application/json"})
    assert response.status_code == 200


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "+2"])
async def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    async with World().client() as client:
        response = await client.post("/v1/search", content=b"{}", headers={"Content-Length": length})
    assert response.status_code == 413


@pytest.mark.parametrize("address", ["/v1/shares/a%00", "/v1/suggest?q=%00", "/v1/answers/%00/explain", "/%00"])
async def test_an_address_with_nul_is_refused(address: str) -> None:
    async with World().client() as client:
        refused = await client.get(address)
    assert (refused.status_code, refused.json()["type"]) == (400, "urn:cortex:problem:malformed")
    assert refused.headers["content-type"] == "application/problem+json"


async def test_every_answer_carries_a_trace_id_and_safe_headers() -> None:
    async with World().client() as client:
        for response in (await client.get("/healthz"), await client.get("/v1/nothing")):
            assert len(response.headers["x-trace-id"]) == 32
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-store"
            assert response.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/healthz", {}, 200),
        ("/openapi.json", {}, 200),
        ("/nowhere", {}, 404),
        ("/v1/search", {}, 405),
        ("/healthz", {"Host": "evil.example"}, 421),
        ("/v1/documents/x", {"Authorization": ""}, 401),
    ],
)
async def test_every_answer_has_the_safe_headers(path: str, headers: dict[str, str], status: int) -> None:
    async with World(LOCAL).client() as client:
        response = await client.get(path, headers={"Host": "localhost", **headers})
    assert response.status_code == status
    assert SAFE - response.headers.keys() == set()
    assert response.headers["content-security-policy"].startswith("default-src 'none'")


async def test_a_bug_is_answered_with_them_too_and_tells_the_log_where_and_not_what(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    world.index.failing = ZeroDivisionError("content of a document")
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": "a question"})
    assert response.status_code == 500
    assert SAFE - response.headers.keys() == set()
    assert "POST /v1/search: ZeroDivisionError" in caplog.text
    assert 'retrieve.py", line' in caplog.text
    assert not any(told in caplog.text for told in ("content of a document", "a question"))
