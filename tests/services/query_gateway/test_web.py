"""The browser application's files, as the gateway serves them."""

import gzip
from pathlib import Path

import httpx
import pytest

from services.query_gateway.settings import Settings
from tests.services.query_gateway.world import World

PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SCRIPT = "console.log(1);\n" * 100


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Cortex</title>", encoding="utf-8")
    (tmp_path / "favicon.svg").write_text("<svg/>", encoding="utf-8")
    script = tmp_path / "assets" / "index-a1b2.js"
    script.write_text(SCRIPT, encoding="utf-8")
    script.with_name("index-a1b2.js.gz").write_bytes(gzip.compress(SCRIPT.encode(), mtime=0))
    script.with_name("index-a1b2.js.br").write_bytes(b"as small as it gets")
    return tmp_path


def serving(folder: Path) -> World:
    return World(Settings(web_folder=folder))


@pytest.mark.parametrize("path", ["/", "/chat/7b0c", "/search?q=dogs", "/documents/x", "/no/such/page"])
async def test_an_address_of_the_application_is_its_page(built: Path, path: str) -> None:
    async with serving(built).client() as client:
        response = await client.get(path, headers=PAGE)
    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert response.headers["cache-control"] == "no-cache"


async def test_the_page_may_load_from_nowhere_else_and_run_nothing_inline(built: Path) -> None:
    async with serving(built).client() as client:
        response = await client.get("/", headers=PAGE)
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == policy["font-src"] == "'self'"
    assert "unsafe" not in str(policy)
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"


@pytest.mark.parametrize(
    "path", ["/v1/nothing", "/auth/x", "/admin/v1/x", "/scim/v2/x", "/assets/gone.js", "/metricsx"]
)
async def test_other_addresses_are_problems_as_before(built: Path, path: str) -> None:
    async with serving(built).client() as client:
        response = await client.get(path, headers=PAGE if path != "/metricsx" else {"Accept": "application/json"})
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")


async def test_nothing_but_reading_is_the_application_s(built: Path) -> None:
    async with serving(built).client() as client:
        assert (await client.post("/chat/7b0c", headers=PAGE)).status_code == 404
        assert (await client.get("/v1/search", headers=PAGE)).status_code == 405


@pytest.mark.parametrize(
    ("accepted", "coding", "content"),
    [
        ("gzip, deflate, br", "br", b"as small as it gets"),
        ("gzip", "gzip", gzip.compress(SCRIPT.encode(), mtime=0)),  # without a date, which workers would differ in
        ("identity", None, SCRIPT.encode()),
    ],
)
async def test_a_file_comes_in_the_best_coding_and_is_kept(
    built: Path, accepted: str, coding: str | None, content: bytes
) -> None:
    async with (
        serving(built).client() as client,
        client.stream("GET", "/assets/index-a1b2.js", headers={"Accept-Encoding": accepted}) as response,
    ):
        raw = b"".join([piece async for piece in response.aiter_raw()])
    assert response.headers.get("content-encoding") == coding
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["vary"] == "Accept-Encoding"
    assert response.headers["content-type"].startswith("text/javascript")
    assert raw[10:] == content[10:]


async def test_what_is_known_is_not_sent_again(built: Path) -> None:
    async with serving(built).client() as client:
        first = await client.get("/", headers=PAGE)
        again = await client.get("/", headers=PAGE | {"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/../index.html", "/assets/../../pyproject.toml", "/%2e%2e/x", "/assets/%2e%2e/x"])
async def test_there_is_no_way_out_of_the_folder(built: Path, path: str) -> None:
    async with serving(built).client() as client:
        response = await client.get(httpx.URL("http://127.0.0.1").copy_with(raw_path=path.encode()))
    assert response.status_code == 404


async def test_where_nothing_was_built_a_page_says_what_to_do(tmp_path: Path) -> None:
    async with serving(tmp_path).client() as client:
        response = await client.get("/", headers=PAGE)
        program = await client.get("/", headers={"Accept": "application/json"})
    assert (response.status_code, "make setup" in response.text) == (503, True)
    assert program.status_code == 404
