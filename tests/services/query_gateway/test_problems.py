"""Wrong requests and failures: each gives one clear problem document."""

import pytest

from tests.services.query_gateway.fakes import person
from tests.services.query_gateway.world import World

WRONG = [
    ({"query": "a", "colour": "red"}, "colour", "unknown field"),
    ({}, "query", "is required"),
    ({"query": "   "}, "query", "blank"),
    ({"query": "a\x00b"}, "query", "NUL"),
    ({"query": "x" * 2001}, "query", "2000"),
    ({"query": "a", "limit": 51}, "limit", "50"),
    ({"query": "a", "limit": 0}, "limit", "1"),
    ({"query": "a", "limit": "ten"}, "limit", "integer"),
    ({"query": "a", "mode": "psychic"}, "mode", "lexical"),
    ({"query": "a", "filters": {"source_ids": ["no-uuid"]}}, "filters.source_ids[0]", "UUID"),
    ({"query": "a", "filters": {"tenant_id": "x"}}, "filters.tenant_id", "unknown field"),
    ({"query": "a", "filters": {"updated_after": "yesterday"}}, "filters.updated_after", "datetime"),
    ({"query": "a", "as_of": "2026-11-01T00:00:00"}, "as_of", "timezone"),
    ({"query": "a", "facets": ["salary"]}, "facets[0]", "source_type"),
    ({"query": "a", "tenant_id": "other"}, "tenant_id", "unknown field"),
]


@pytest.mark.parametrize(("body", "place", "mend"), WRONG)
async def test_a_wrong_body_is_answered_with_its_place_and_the_mend(
    body: dict[str, object], place: str, mend: str
) -> None:
    async with World().client() as client:
        response = await client.post("/v1/search", json=body)
    assert response.status_code == 422
    problem = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert problem["errors"][0]["place"] == place
    assert mend in problem["errors"][0]["message"]
    assert problem["trace_id"] == response.headers["x-trace-id"]


@pytest.mark.parametrize("raw", [b"{", b"query=a", b"\xff\xfe", b'{"query": "\\ud800"}'])
async def test_what_is_no_json_is_a_plain_problem(raw: bytes) -> None:
    async with World().client() as client:
        response = await client.post("/v1/search", content=raw, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.headers["content-type"] == "application/problem+json"


async def test_half_of_a_surrogate_pair_is_refused_before_anything_is_asked() -> None:
    world = World()
    async with world.client() as client:
        response = await client.post(
            "/v1/chat", content=b'{"question": "\\ud800 who"}', headers={"Content-Type": "application/json"}
        )
    assert response.status_code == 422
    assert world.index.requests == []


@pytest.mark.parametrize("token", [None, "Basic abc", "Bearer expired"])
async def test_without_a_credential_that_holds_nothing_is_said(token: str | None) -> None:
    async with World().client() as client:
        client.headers.pop("authorization")
        response = await client.post(
            "/v1/search", json={"query": "a"}, headers={"Authorization": token} if token else {}
        )
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json()["type"] == "urn:cortex:problem:unauthenticated"


async def test_an_inactive_person_is_as_good_as_no_credential() -> None:
    world = World()
    world.directory.inactive.add(person("ann"))
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": "a"})
    assert response.status_code == 401


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/v1/nothing", 404), ("GET", "/v1/search", 405)])
async def test_unknown_routes_and_methods_are_problems_too(method: str, path: str, status: int) -> None:
    async with World().client() as client:
        response = await client.request(method, path)
    assert (response.status_code, response.json()["status"]) == (status, status)
    assert response.headers["content-type"] == "application/problem+json"


async def test_a_bug_says_nothing_of_itself() -> None:
    world = World()
    world.index.failing = ZeroDivisionError("secret detail")
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": "a"})
    assert response.status_code == 500
    assert response.json()["type"] == "urn:cortex:problem:bug"
    assert "secret detail" not in response.text
