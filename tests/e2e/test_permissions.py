"""Who gets to see what: every mode of the algebra, and revocations that hold from the answer to the write on."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.e2e.company import EVERYONE, PUSHED, Company, Someone, done
from tests.e2e.waiting import eventually

PEOPLE = ("ann", "bob", "cid", "dan", "gus")
MEMBERS = {"ann", "bob", "cid", "dan"}
ROOM = {"allow": ["user:ann@acme.example", "user:bob@acme.example"]}
QUERY = "cupboard key hook"
LIMIT = 50


def allowing(*people: str, **more: object) -> dict[str, object]:
    return {"allow": [f"user:{name}@acme.example" for name in people], **more}


@dataclass(frozen=True)
class Case:
    """A document in a room that ann and bob may see; gus is a guest; cid and bob are the crew."""

    acl: Mapping[str, object] | None
    seen_by: set[str]
    opened_by: set[str] | None = None


CREW = [[f"user:{name}@acme.example" for name in ("bob", "cid")]]
CASES = {
    "restrict-nothing": Case(None, {"ann", "bob"}),
    "restrict-own": Case(allowing("bob", "cid"), {"bob"}),
    "restrict-public": Case({"public": "tenant"}, {"ann", "bob"}),
    "restrict-deny": Case({"deny": ["user:bob@acme.example"]}, {"ann"}),
    "extend-own": Case(allowing("cid", inherit="extend"), {"ann", "bob", "cid"}),
    "extend-public": Case({"public": "tenant", "inherit": "extend"}, MEMBERS),
    "extend-guest": Case(allowing("gus", inherit="extend"), {"ann", "bob", "gus"}),
    "extend-all-of": Case(allowing("dan", inherit="extend", all_of=CREW), {"bob"}),
    "extend-deny": Case(allowing("cid", inherit="extend", deny=["user:cid@acme.example"]), {"ann", "bob"}),
    "none-own": Case(allowing("cid", inherit="none"), {"cid"}),
    "none-nothing": Case({"inherit": "none"}, set()),
    "none-public": Case({"public": "tenant", "inherit": "none"}, MEMBERS),
    "incomplete": Case(allowing("ann", inherit="none", complete=False), set()),
    "link": Case(allowing("bob", inherit="none", public="link"), {"bob"}, MEMBERS),
    "link-denied": Case(
        {"public": "link", "inherit": "none", "deny": ["user:dan@acme.example"]}, set(), MEMBERS - {"dan"}
    ),
    "link-incomplete": Case({"public": "link", "inherit": "none", "complete": False}, set()),
}


def text_of(name: str) -> str:
    return f"# Cupboard {name}\n\nThe key of the cupboard hangs on the hook called {name}.\n"


def check(company: Company, source: str, external: Callable[[str], str], cases: Mapping[str, Case]) -> None:
    """By search and by id, for everyone: exactly what the table says."""
    names = {company.document_id(external(name), source=source): name for name in cases}
    for person in PEOPLE:
        someone = company.person(person)
        found = {names[document] for document in someone.found(QUERY, limit=LIMIT)}
        assert found == {name for name, case in cases.items() if person in case.seen_by}, person
        opened = {name for document, name in names.items() if someone.opens(document)}
        expected = {n for n, c in cases.items() if person in (c.seen_by if c.opened_by is None else c.opened_by)}
        assert opened == expected, person


def test_each_mode_of_inheritance_through_push(company: Company) -> None:
    company.make_guest("gus")
    company.folder("room", acl=ROOM)
    cases = CASES | {"viewers": Case({"allow": [f"viewers:{PUSHED}/room"], "inherit": "none"}, {"ann", "bob"})}
    for name, case in cases.items():
        own: dict[str, Any] = {} if case.acl is None else {"acl": case.acl}
        company.push(name, text_of(name), container="room", **own)
    company.indexed()
    check(company, PUSHED, lambda name: name, cases)


def test_each_mode_of_inheritance_through_files(company: Company, tmp_path: Path) -> None:
    company.make_guest("gus")
    room = tmp_path / "docs" / "room"
    room.mkdir(parents=True)
    (room.parent / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    entries = {f"{name}.md": dict(case.acl) for name, case in CASES.items() if case.acl is not None}
    described = json.loads(json.dumps({**ROOM, "files": entries}))
    (room / "acl.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    for name in CASES:
        (room / f"{name}.md").write_text(text_of(name), encoding="utf-8")
    company.add_files("docs", {"path": str(room.parent)})
    assert company.synced("docs")["failures"] == []
    check(company, "docs", lambda name: f"room/{name}.md", CASES)


def test_what_lies_below_an_incomplete_or_unknown_container_is_hidden(company: Company) -> None:
    company.folder("outer", acl=EVERYONE)
    company.folder("inner", parent="outer", acl=allowing("ann", inherit="extend"))
    deep = company.push("deep", text_of("deep"), container="inner", acl=allowing("bob", inherit="extend"))
    alone = company.push("alone", text_of("alone"), container="inner", acl=allowing("bob", inherit="none"))
    lost = company.push("lost", text_of("lost"), container="nowhere", acl=allowing("bob", inherit="extend"))
    company.indexed()
    ann, bob = company.person("ann"), company.person("bob")
    assert (set(ann.found(QUERY)), set(bob.found(QUERY))) == ({deep}, {deep, alone})
    company.folder("outer", acl={"public": "tenant", "complete": False})
    assert (set(ann.found(QUERY)), set(bob.found(QUERY))) == (set(), {alone})
    assert not bob.opens(deep)
    company.folder("outer", acl=EVERYONE)
    company.folder("nowhere", acl=EVERYONE)
    eventually(lambda: _finds(bob, {deep, alone, lost}))


def test_a_new_member_of_a_group_sees_what_is_open_to_it(company: Company) -> None:
    """Ann asked last, so that her groups are cached."""
    company.group("crew", "bob")
    document = company.pushed("rota", text_of("rota"), acl={"allow": [f"group:{PUSHED}/crew"]})
    ann = company.person("ann")
    assert company.person("bob").found(QUERY) == [document]
    assert ann.found(QUERY) == []
    assert ann.found(QUERY) == []
    company.group("crew", "bob", "ann")
    eventually(lambda: _finds(ann, {document}))


def test_members_of_nested_groups_see_what_is_open_to_the_outer_one(company: Company) -> None:
    company.group("inner", "ann")
    source = f"/v1/sources/{PUSHED}"
    done(company.admin.put(f"{source}/groups/outer", {"members": [f"group:{PUSHED}/inner"]}))
    directory = {"name": "All", "members": [f"group:{PUSHED}/outer"]}
    done(company.admin.put("/admin/v1/groups/all", directory))
    document = company.pushed("nested", text_of("nested"), acl={"allow": ["group:all"]})
    assert company.person("ann").found(QUERY) == [document]
    assert company.person("bob").found(QUERY) == []
    company.group("inner")
    assert company.person("ann").found(QUERY) == []


VAULT = "# Vault\n\nThe vault combination is seven four two one."
QUESTION = "What is the vault combination?"
Revoke = Callable[[Company], httpx.Response]


def put(path: str, body: object) -> Revoke:
    return lambda company: company.admin.put(path, body)


SOURCE = f"/v1/sources/{PUSHED}"
CLOSED = allowing("bob")
BY_CONTAINER: dict[str, Any] = {"container": "room"}
REVOCATIONS: dict[str, tuple[dict[str, Any], Revoke]] = {
    "group": ({"acl": {"allow": [f"group:{PUSHED}/crew"]}}, put(f"{SOURCE}/groups/crew", {"members": []})),
    "denied group": (
        {"acl": {**EVERYONE, "deny": [f"group:{PUSHED}/suspects"]}},
        put(f"{SOURCE}/groups/suspects", {"members": ["user:ann@acme.example"]}),
    ),
    "acl": ({"acl": EVERYONE}, put(f"{SOURCE}/documents/vault", {"content": VAULT, "acl": CLOSED})),
    "container": (BY_CONTAINER, put(f"{SOURCE}/containers/room", {"acl": CLOSED})),
    "container above": (BY_CONTAINER, put(f"{SOURCE}/containers/house", {"acl": CLOSED})),
    "container deleted": (BY_CONTAINER, lambda company: company.admin.delete(f"{SOURCE}/containers/room")),
    "moved": (BY_CONTAINER, put(f"{SOURCE}/documents/vault", {"content": VAULT, "container": "cellar"})),
    "viewers": ({"acl": {"allow": [f"viewers:{PUSHED}/room"]}}, put(f"{SOURCE}/containers/room", {"acl": CLOSED})),
    "incomplete": (
        {"acl": EVERYONE},
        put(f"{SOURCE}/documents/vault", {"content": VAULT, "acl": {**EVERYONE, "complete": False}}),
    ),
    "deleted": ({"acl": EVERYONE}, lambda company: company.admin.delete(f"{SOURCE}/documents/vault")),
    "guest": (
        {"acl": EVERYONE},
        put("/admin/v1/people/ann@acme.example", {"name": "Ann", "guest": True}),
    ),
}


@pytest.mark.parametrize("way", REVOCATIONS)
def test_a_revocation_holds_from_the_answer_to_the_write_on(company: Company, way: str) -> None:
    where, revoke = REVOCATIONS[way]
    company.group("crew", "ann")
    company.group("suspects")
    company.folder("house", acl=EVERYONE)
    company.folder("room", parent="house", acl=allowing("ann", "bob"))
    company.folder("cellar", acl=CLOSED)
    document, ann = company.pushed("vault", VAULT, **where), company.person("ann")
    answer = ann.ask(QUESTION)
    assert "seven four two one" in answer["answer"]
    assert ann.found("vault combination") == [document]

    done(revoke(company))

    assert ann.found("vault combination") == []
    assert ann.search("vault", facets=["source_id"])["facets"]["source_id"]["values"] == []
    assert not ann.opens(document)
    assert ann.get(f"/v1/documents/{document}/original").status_code == 404
    shows_nothing(ann.ask(QUESTION), document)
    shows_nothing(ann.get(f"/v1/answers/{answer['answer_id']}").json(), document)
    replayed = ann.replayed(answer["answer_id"])
    assert [event.type for event in replayed] == ["meta", "sources", "done"]
    assert document not in json.dumps([event.data for event in replayed])
    assert "seven" not in json.dumps([event.data for event in replayed])


def shows_nothing(answer: dict[str, Any], document: str) -> None:
    assert (answer["answer"], answer["sources"], answer["citations"]) == ("", [], [])
    assert document not in json.dumps(answer)


def without_trace(response: httpx.Response) -> tuple[int, dict[str, Any]]:
    body: dict[str, Any] = response.json()
    return response.status_code, {key: value for key, value in body.items() if key != "trace_id"}


def test_a_foreign_id_is_like_one_that_is_nobodys(make_company: Callable[[], Company]) -> None:
    """For another tenant, for another person of the same tenant, and for the administrator."""
    ours, theirs = make_company(), make_company()
    document, ann = ours.pushed("vault", VAULT, acl=allowing("ann")), ours.person("ann")
    answer = ann.ask(QUESTION)["answer_id"]
    readers = [theirs.person("eve"), theirs.person("ann"), theirs.admin, ours.person("bob"), ours.admin]
    for reader in readers:
        for method, path in (
            ("GET", "/v1/documents/{}"),
            ("GET", "/v1/documents/{}/original"),
            ("GET", "/v1/answers/{}"),
            ("GET", "/v1/answers/{}/stream"),
            ("POST", "/v1/answers/{}/stop"),
        ):
            known = document if "documents" in path else answer
            foreign = reader.request(method, path.format(known))
            assert foreign.status_code == 404, path
            absent = reader.request(method, path.format(uuid.uuid4()))
            nonsense = reader.request(method, path.format("nonsense"))
            assert without_trace(foreign) == without_trace(absent) == without_trace(nonsense), path
    assert ann.opens(document)


def test_the_administration_of_another_tenant_is_not_there(make_company: Callable[[], Company], tmp_path: Path) -> None:
    ours, theirs = make_company(), make_company()
    (tmp_path / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    ours.add_files("docs", {"path": str(tmp_path)})
    run = ours.start_sync("docs")
    theirs.push("x", "text")
    for method, path in (
        ("GET", "/admin/v1/sources/docs"),
        ("GET", f"/admin/v1/sources/docs/runs/{run}"),
        ("GET", f"/admin/v1/sources/{PUSHED}/runs/{run}"),
        ("POST", "/admin/v1/sources/docs/sync"),
        ("DELETE", "/admin/v1/sources/docs"),
    ):
        body: dict[str, object] | None = {} if method == "POST" else None
        assert theirs.admin.request(method, path, json=body).status_code == 404, path
    assert [source["name"] for source in theirs.admin.get("/admin/v1/sources").json()["items"]] == [PUSHED]


def test_filters_of_another_tenant_find_nothing(make_company: Callable[[], Company]) -> None:
    ours, theirs = make_company(), make_company()
    ours.folder("room", acl=EVERYONE)
    ours.pushed("vault", VAULT, container="room", author="ann@acme.example")
    theirs.pushed("vault", VAULT)
    filters = {"source_ids": [str(ours.source_id())]}
    assert theirs.person("eve").found("vault", filters=filters) == []
    assert len(ours.person("ann").found("vault", filters=filters)) == 1


def _finds(person: Someone, documents: set[str]) -> None:
    assert set(person.found(QUERY)) == documents
