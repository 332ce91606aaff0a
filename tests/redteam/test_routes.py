"""Every route of the API is attacked in some way, and what is foreign looks like what has never been."""

import itertools
import re
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest

from cortex.domain.identity import container_id
from tests.e2e.company import EVERYONE, PUSHED, Company, Someone, whole
from tests.redteam.arena import Arenas
from tests.redteam.foreign import Foreign, make_foreign
from tests.redteam.looking import QUERY, QUESTION
from tests.redteam.routes import ROUTES, How, Route

THREADS = 4
_OF_THE_REQUEST = frozenset({"date", "x-trace-id", "content-length"})


@pytest.fixture
def ours(make_company: Callable[[], Company]) -> Company:
    company = make_company()
    company.pushed("own", "# Own\n\nThe crane of our own is greased on Mondays.")
    return company


@pytest.fixture
def theirs(make_company: Callable[[], Company]) -> Company:
    return make_company()


def test_every_route_of_the_api_has_an_entry(ours: Company) -> None:
    paths = ours.admin.get("/openapi.json").json()["paths"]
    served = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    unattacked = served - ROUTES.keys()
    assert unattacked == set(), "say in tests/redteam/routes.py how these are attacked"
    assert ROUTES.keys() - served == set(), "these are gone"


def test_every_id_in_a_path_is_attacked() -> None:
    """Names that a tenant gives itself are no ids."""
    unattacked = {
        route
        for route, entry in ROUTES.items()
        if entry.how is How.ID and not set(re.findall(r"{(\w+)}", route)) <= entry.ids.keys() | {"kind"}
    }
    assert unattacked == set()


def test_what_is_foreign_looks_like_what_never_was(ours: Company, theirs: Company) -> None:
    foreign, asker, scim = make_foreign(ours, theirs), ours.person("ann"), _provisioner(ours)
    try:
        for name, route in ROUTES.items():
            if route.how is not How.ID:
                continue
            someone = scim if "/scim/" in name else ours.admin if route.admin else asker
            absent = {kind: _absent(kind) for kind in route.ids.values()}
            expected = _told(_call(someone, name, route, absent), absent)
            assert expected[0] == 404, (name, expected)
            for ids in _attempts(route, foreign):
                assert _told(_call(someone, name, route, ids), ids) == expected, (name, ids)
    finally:
        scim.close()
    _is_untouched(theirs)


def test_foreign_ids_narrow_to_nothing_like_ids_of_nothing(ours: Company, theirs: Company) -> None:
    """In the filters of search and chat, where no path names them."""
    theirs.folder("vault", acl=EVERYONE)
    theirs.pushed("own", "# Theirs\n\nThe crane of theirs is greased on Tuesdays.", container="vault")
    author = whole(theirs.admin.get("/admin/v1/people"))["items"][0]["id"]
    foreign = {
        "source_ids": str(theirs.source_id(PUSHED)),
        "container_ids": str(container_id(theirs.tenant, theirs.source_id(PUSHED), "vault")),
        "author_ids": author,
    }
    asker = ours.person("ann")
    for field, identifier in foreign.items():
        told = []
        for named in (identifier, str(uuid.uuid4())):
            filters = {field: [named]}
            found = asker.search("crane", filters=filters, facets=["source_id", "container_id", "author"])
            asked = {"question": QUESTION, "filters": filters}
            answer = whole(asker.post("/v1/chat", asked, Accept="application/json"))
            told.append((found["results"], found["facets"], answer["abstained"], answer["answer"], answer["sources"]))
        assert told[0] == told[1], field
        assert told[0][0] == [], field


@pytest.mark.parametrize("nonsense", ["nonsense", "0", "%00", "..", "' OR 1=1", "*", "ff" * 600])
def test_what_is_no_id_is_not_there(arenas: Arenas, nonsense: str) -> None:
    someone = arenas.ours.person(next(iter(arenas.ours.source.people)))
    for path in (
        "/v1/documents/{}",
        "/v1/documents/{}/original",
        "/v1/answers/{}",
        "/v1/answers/{}/stream",
        "/v1/answers/{}/explain",
        "/v1/conversations/{}",
        "/v1/conversations/{}/export",
        "/v1/shares/{}",
    ):
        expected = (400,) if nonsense == "%00" else (404, 405)
        assert someone.get(path.format(nonsense)).status_code in expected, path


def test_a_tenant_that_a_request_names_is_not_believed(ours: Company, theirs: Company) -> None:
    document = theirs.pushed("vault", "# Vault\n\nThe harbour memo crane of the vault is greased by Zebulon.")
    assert document in theirs.person("eve").found(QUERY)
    person, tenant = ours.person("ann"), str(theirs.tenant)
    bodies: list[tuple[str, dict[str, object]]] = [
        ("/v1/search", {"query": QUERY}),
        ("/v1/chat", {"question": QUESTION}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": QUESTION}]}),
    ]
    asking = []
    for field in ("tenant", "tenant_id", "tenantId", "person_id", "as", "on_behalf_of", "groups", "acl", "principals"):
        for value, (path, body) in itertools.product((tenant, theirs.name), bodies):
            asking.append(partial(person.post, path, {**body, field: value}, Accept="application/json"))
            asking.append(partial(person.request, "POST", path, json=body, params={field: value}))
    with ThreadPoolExecutor(THREADS) as threads:
        for sent in [threads.submit(ask) for ask in asking]:
            assert document not in sent.result().text
            assert "Zebulon" not in sent.result().text
    for header in ("X-Tenant-Id", "X-Cortex-Tenant", "X-Forwarded-User", "X-Person-Id", "Cookie"):
        for value in (tenant, theirs.name, f"tenant={theirs.name}"):
            opened = person.request("GET", f"/v1/documents/{document}", headers={header: value})
            found = person.request("POST", "/v1/search", json={"query": QUERY}, headers={header: value})
            assert (opened.status_code, document in found.text) == (404, False), header


def _attempts(route: Route, foreign: Foreign) -> Iterator[dict[str, str]]:
    """Of the other tenant, and for readers of other people and of what is deleted."""
    yield {kind: foreign.theirs[kind] for kind in route.ids.values()}
    if not route.admin:
        for kind in route.ids.values():
            yield from ({kind: closed} for closed in foreign.closed.get(kind, []))


def _absent(kind: str) -> str:
    named = {"email": "nobody@acme.example", "source": "no-such-source", "thing": "no-such-thing", "run": "no-such-run"}
    return named.get(kind) or str(uuid.uuid4())


def _call(someone: Someone, name: str, route: Route, ids: dict[str, str]) -> httpx.Response:
    """A thing inside a source is asked for in a source that the asker's tenant has as well."""
    method, _, path = name.partition(" ")
    body = route.body
    inner = len(route.ids) > 1
    for place, kind in route.ids.items():
        if place.endswith(" in the body"):
            body = {**(body or {}), place.partition(" ")[0]: ids[kind]}
        path = path.replace(f"{{{place}}}", PUSHED if inner and kind == "source" else ids[kind])
    path = path.replace("{kind}", "document")
    content = {"json": dict(body)} if body is not None else {}
    return someone.request(method, path, **content)


def _told(response: httpx.Response, ids: dict[str, str]) -> tuple[int, str, dict[str, str]]:
    """What the answer tells: all of it but the id that was sent, and what differs with every request."""
    text = re.sub(r'"trace_id":"[^"]*"', "", response.text)
    for identifier in ids.values():
        text = text.replace(identifier, "ID")
    headers = {name: value for name, value in response.headers.items() if name not in _OF_THE_REQUEST}
    return response.status_code, text, headers


def _provisioner(company: Company) -> Someone:
    key = whole(company.admin.post("/admin/v1/keys", {"name": "scim", "scopes": ["scim"]}))["key"]
    return Someone(company.platform.url, str(key), "scim")


def _is_untouched(company: Company) -> None:
    """Nothing of what was tried had an effect on the other tenant."""
    admin = company.admin
    assert admin.get("/admin/v1/sources/only-theirs").json()["state"] == "active"
    assert company.person("only-theirs").opens(company.document_id("only-theirs"))
    assert admin.put(f"/v1/sources/{PUSHED}/containers/only-theirs", {"acl": EVERYONE}).status_code == 204
