"""No request is answered with an error of ours: every route of the OpenAPI file with what breaks servers.

The gateway's own routes stand on stores in memory here; the rest on real ones. The seed is fixed: each run is the same.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from cortex.domain.credential import Role
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers

SEED = 20_261_130
HOSTILE = (0.0, 0.15, 0.5, 1.0)
"""How likely each value of a request is one that breaks servers."""

DEEP = 10_000
TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "a@b\0c",
    "\udfff@acme.example",
    "user:\ud800@acme.example",
    "group:a/\0",
    "viewers:a/b",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-13-45",
    "-1",
    "1e400",
    str(10**30),
    "00000000-0000-0000-0000-000000000000",
    "../../etc/passwd",
    "%00",
    "%2500",
    "'\"; DROP TABLE documents; --",
    "\u202e\u0000\uffff",
    "x" * 5_000,
    "(" * 3_000,
    'userName eq "a\ud800"',
)
NUMBERS = (0, -1, 10**18, 10**30, -(10**30), 2**63, 1.5, 1e308)
WHOLE: tuple[bytes, ...] = (
    b"",
    b"null",
    b"[]",
    b'"\\ud800"',
    b'{"\\ud800": "\\u0000"}',
    b"\xff\xfe",
    b"[" * DEEP + b"]" * DEEP,
    b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    b"1" * 5_000,
    b"NaN",
    b'{"a": NaN, "b": 1e999, "c": -Infinity}',
)
MOMENTS = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00Z")
NESTED = "@nested@"
"""Stands for an array of 10,000 arrays, which is written by hand: json.dumps would recurse."""


@dataclass(frozen=True, slots=True)
class Sent:
    method: str
    address: str
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Invented:
    """Bodies and addresses after a schema, with a hostile value in one place or all."""

    def __init__(self, document: dict[str, object], chance: random.Random) -> None:
        self._schemas: dict[str, dict[str, object]] = document["components"]["schemas"]  # type: ignore[index]
        self._chance = chance

    def text(self) -> str:
        return self._chance.choice(TEXTS)

    def value(self, schema: Mapping[str, object], *, hostile: float, depth: int = 0) -> object:
        if self._chance.random() < hostile:
            return self._chance.choice((*TEXTS, *NUMBERS, None, True, [], {}, NESTED))
        if depth > 5:
            return None
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            return self.value(self._schemas[name], hostile=hostile, depth=depth + 1)
        if several := schema.get("anyOf") or schema.get("oneOf"):
            assert isinstance(several, list)
            return self.value(self._chance.choice(several), hostile=hostile, depth=depth + 1)
        if "enum" in schema:
            return self._chance.choice(schema["enum"])  # type: ignore[arg-type]
        return self._plain(schema, hostile=hostile, depth=depth)

    def _plain(self, schema: Mapping[str, object], *, hostile: float, depth: int) -> object:
        match schema.get("type"):
            case "object":
                properties = schema.get("properties", {})
                assert isinstance(properties, dict)
                return {name: self.value(one, hostile=hostile, depth=depth + 1) for name, one in properties.items()}
            case "array":
                items = schema.get("items", {})
                assert isinstance(items, dict)
                return [self.value(items, hostile=hostile, depth=depth + 1) for _ in range(2)]
            case "integer":
                return self._chance.choice((1, 20, *NUMBERS)) if self._chance.random() < hostile else 1
            case "number":
                return 0.5
            case "boolean":
                return True
            case "null":
                return None
        if schema.get("format") == "date-time":
            return self._chance.choice(MOMENTS)
        if schema.get("format") == "uuid":
            return "00000000-0000-0000-0000-000000000001"
        return self._chance.choice(("wiki", "ann@acme.example", "user:ann@acme.example", "member", "text"))


def written(body: object) -> bytes:
    return json.dumps(body).replace(f'"{NESTED}"', "[" * DEEP + "]" * DEEP).encode()


def in_path(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def requests(document: dict[str, object], chance: random.Random) -> Iterator[Sent]:
    """Of every route: its whole bodies, its bodies by schema, its parameters one hostile at a time and all."""
    invented = Invented(document, chance)
    paths: dict[str, dict[str, dict[str, object]]] = document["paths"]  # type: ignore[assignment]
    for path, methods in paths.items():
        for method, operation in methods.items():
            parameters: Sequence[dict[str, object]] = operation.get("parameters", [])  # type: ignore[assignment]
            for hostile in HOSTILE:
                address, query = path, list[str]()
                for one in parameters:
                    name = str(one["name"])
                    text = invented.text() if chance.random() < hostile else "wiki"
                    if one["in"] == "path":
                        address = address.replace(f"{{{name}}}", in_path(text) or "x")
                    elif one["in"] == "query" and chance.random() < 0.7:
                        query.append(f"{name}={in_path(invented.text())}")
                where = address + ("?" + "&".join(query) if query else "")
                schema = _schema(operation)
                if schema is None:
                    bodies = [chance.choice(WHOLE)] if method != "get" else [b""]
                else:
                    bodies = [written(invented.value(schema, hostile=hostile)) for _ in range(3)]
                    bodies.append(chance.choice(WHOLE))
                for body in bodies:
                    yield Sent(method.upper(), where, body)
            if method in ("post", "put", "patch"):
                plain = path.replace("{", "").replace("}", "")
                yield from (Sent(method.upper(), plain, body) for body in WHOLE)
            yield Sent(method.upper(), path.replace("{", "").replace("}", ""), b"{}", _headers(chance))


def _schema(operation: Mapping[str, object]) -> Mapping[str, object] | None:
    body = operation.get("requestBody")
    if not isinstance(body, dict):
        return None
    found: Mapping[str, object] = body["content"]["application/json"]["schema"]
    return found


def _headers(chance: random.Random) -> dict[str, str]:
    odd = ("", " ", "\xff\xfe", "9" * 50, 'W/"' + "9" * 18 + '"', '"x"', "a=b; c", "x" * 4_000)
    names = ("If-Match", "Last-Event-ID", "Accept", "Accept-Language", "traceparent", "Cookie", "X-CSRF-Token", "Range")
    return {name: chance.choice(odd) for name in names}


_MESSAGE, _SCHEMA = "urn:ietf:params:scim:api:messages:2.0", "urn:ietf:params:scim:schemas:core:2.0"
_ANN: dict[str, object] = {"schemas": [f"{_SCHEMA}:User"], "userName": "ann@acme.example"}
_PEOPLE: dict[str, object] = {"schemas": [f"{_SCHEMA}:Group"], "displayName": "People"}
SCIM: tuple[dict[str, object], ...] = (
    _ANN | {"userName": "a\0b@acme.example"},
    _ANN | {"userName": "\ud800@acme.example"},
    _ANN | {"externalId": "\udfff"},
    _ANN | {"name": {"formatted": "\0"}},
    _ANN | {"emails": [{"value": "a\0@b"}, {"value": "\ud800"}]},
    _PEOPLE | {"displayName": "\0"},
    _PEOPLE | {"members": [{"value": "\ud800"}]},
    _PEOPLE | {"members": [{"value": NESTED}]},
    {"schemas": [f"{_MESSAGE}:PatchOp"], "Operations": [{"op": "replace", "path": "(" * 3_000, "value": 1}]},
    {"schemas": [f"{_MESSAGE}:PatchOp"], "Operations": [{"op": "add", "path": "members", "value": NESTED}]},
    {"schemas": [f"{_MESSAGE}:SearchRequest"], "startIndex": 10**24},
    {"schemas": [f"{_MESSAGE}:SearchRequest"], "startIndex": 2**63 - 1, "count": 1},
    {"schemas": [f"{_MESSAGE}:SearchRequest"], "startIndex": 2**63, "count": -(2**63)},
    {"schemas": [f"{_MESSAGE}:SearchRequest"], "filter": "(" * 20_000},
    {"schemas": [f"{_MESSAGE}:SearchRequest"], "filter": 'userName eq "\ud800"'},
)


def of_scim(document: dict[str, object]) -> Iterator[Sent]:
    paths: dict[str, dict[str, object]] = document["paths"]  # type: ignore[assignment]
    for path, methods in paths.items():
        if path.startswith("/scim/"):
            address = path.replace("{identifier}", "00000000-0000-0000-0000-000000000001").replace("{name}", "User")
            for method in methods:
                yield from (Sent(method.upper(), address, written(body)) for body in SCIM if method != "get")
                if method == "get":
                    for text in TEXTS:
                        yield Sent("GET", f"{address}?filter={in_path(text)}&startIndex={in_path(text)}")
                        yield Sent(
                            "GET", f"{address}?filter=userName%20eq%20%22{in_path(text)}%22&attributes={in_path(text)}"
                        )


async def failures(app: FastAPI, token: str, sent: Iterator[Sent]) -> tuple[int, list[str]]:
    found, count = [], 0
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as client:
        for one in sent:
            headers = {"Content-Type": "application/json", **one.headers, "Authorization": f"Bearer {token}"}
            raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
            answer = await client.request(one.method, one.address, content=one.content, headers=raw)
            count += 1
            if answer.status_code == 500:
                found.append(f"{answer.status_code} {one.method} {one.address[:200]} {one.content[:300]!r}")
    return count, found


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ADMIN])
async def test_nothing_that_is_sent_is_answered_with_an_error_of_ours(
    whole_app: FastAPI, site: Site, role: Role, caplog: pytest.LogCaptureFixture
) -> None:
    print(f"seed {SEED}")
    document = json.loads(json.dumps(whole_app.openapi()))
    count, found = await failures(whole_app, site.token("eve", role), requests(document, random.Random(SEED)))
    assert count > 1_000
    assert found == [], "\n".join([*found, caplog.text[-8_000:]])


async def test_nothing_that_a_directory_sends_is_answered_with_an_error_of_ours(
    whole_app: FastAPI, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    document = json.loads(json.dumps(whole_app.openapi()))
    token = await site.key("scim", "read", "write", role="admin")
    count, found = await failures(whole_app, token, of_scim(document))
    assert count > 200
    assert found == [], "\n".join([*found, caplog.text[-8_000:]])
