"""Documents by id: opened only by who may, audited, and downloaded safely."""

import uuid

import pytest

from services.query_gateway.documents import disposition, media_type
from tests.services.query_gateway.fakes import down, person
from tests.services.query_gateway.world import World


async def test_blocks_come_with_anchors_and_the_reading_is_audited() -> None:
    world = World()
    document = world.add("page", "Grüße 👋 aus Hamburg.")
    async with world.client() as client:
        response = await client.get(f"/v1/documents/{document}")
    body = response.json()
    assert response.status_code == 200
    assert body["blocks"][0]["text"] == "Grüße 👋 aus Hamburg."
    assert (
        body["blocks"][0]["anchor"] | {"revision": 1, "block_id": 0, "start": 0, "end": 20}
        == body["blocks"][0]["anchor"]
    )
    (entry,) = world.audit.entries
    assert (entry.actor, entry.action, entry.object) == (str(person("ann")), "document.read", str(document))
    assert "Hamburg" not in str(entry)


async def test_opening_asks_for_the_permission_to_open_and_not_to_view() -> None:
    world = World()
    document = world.add("by-link", "Text.")
    world.permissions.denied.add((document, "view"))
    async with world.client() as client:
        assert (await client.get(f"/v1/documents/{document}")).status_code == 200
    assert world.permissions.calls[0][1][0].permission == "openable"


@pytest.mark.parametrize("route", ["", "/original"])
async def test_forbidden_absent_unindexed_and_malformed_ids_look_the_same(route: str) -> None:
    world = World()
    forbidden = world.add("forbidden", "Text.")
    world.permissions.denied.add((forbidden, "openable"))
    unindexed = world.add("unindexed", "Text.", indexed=0)
    bodies = []
    async with world.client() as client:
        for identifier in (forbidden, unindexed, uuid.uuid4(), "no-uuid"):
            response = await client.get(f"/v1/documents/{identifier}{route}")
            assert response.status_code == 404
            bodies.append({k: v for k, v in response.json().items() if k != "trace_id"})
            assert response.headers["content-type"] == "application/problem+json"
    assert all(body == bodies[0] for body in bodies)
    assert world.audit.entries == []


@pytest.mark.parametrize("route", ["", "/original"])
async def test_forbidden_and_absent_ids_take_the_same_work(route: str) -> None:
    """Else the time of the answer would tell them apart; tests/redteam/test_work.py counts on real servers."""
    world = World()
    forbidden = world.add("forbidden", "Text.")
    world.permissions.denied.add((forbidden, "openable"))
    async with world.client() as client:
        for n, identifier in enumerate((forbidden, uuid.uuid4()), start=1):
            assert (await client.get(f"/v1/documents/{identifier}{route}")).status_code == 404
            assert [len(checks) for _, checks, _ in world.permissions.calls] == [1] * n
            assert world.documents.token_reads == n


async def test_nothing_is_given_that_could_not_be_audited() -> None:
    world = World()
    document = world.add("page", "Secret text.")
    world.audit.failing = down()
    async with world.client() as client:
        for route in ("", "/original"):
            response = await client.get(f"/v1/documents/{document}{route}")
            assert response.status_code == 503
            assert "Secret" not in response.text


async def test_the_original_is_a_download_that_no_browser_runs() -> None:
    world = World()
    document = world.add("page", "<script>alert(1)</script>", mime="text/html")
    async with world.client() as client:
        response = await client.get(f"/v1/documents/{document}/original")
    assert response.content == b"<script>alert(1)</script>"
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["content-disposition"].startswith("attachment; ")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("external_id", "expected"),
    [
        ("a/b/report.pdf", "attachment; filename=\"report.pdf\"; filename*=UTF-8''report.pdf"),
        (
            'x"\r\nSet-Cookie: a',
            "attachment; filename=\"x___Set-Cookie__a\"; filename*=UTF-8''x%22%0D%0ASet-Cookie%3A%20a",
        ),
        ("计划.docx", "attachment; filename=\"__.docx\"; filename*=UTF-8''%E8%AE%A1%E5%88%92.docx"),
        ("..", "attachment; filename=\"document\"; filename*=UTF-8''document"),
    ],
)
def test_names_of_downloads_cannot_leave_their_header(external_id: str, expected: str) -> None:
    assert disposition(external_id) == expected


@pytest.mark.parametrize(
    ("mime", "expected"),
    [
        ("application/pdf", "application/pdf"),
        ("text/html; charset=utf-8", "application/octet-stream"),
        ("image/svg+xml", "application/octet-stream"),
        ("text/javascript", "application/octet-stream"),
        ("text/plain\r\nX: y", "application/octet-stream"),
        ("", "application/octet-stream"),
    ],
)
def test_types_that_run_are_not_declared(mime: str, expected: str) -> None:
    assert media_type(mime) == expected
