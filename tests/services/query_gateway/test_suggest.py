"""Suggestions, sources and oneself: nothing of what may not be seen."""

import uuid

import pytest

from cortex.domain.answer import SourceLabel
from cortex.domain.identity import SourceId
from services.query_gateway.suggest import CANDIDATES, arranged
from services.query_gateway.visibility import VIEW
from tests.services.query_gateway.fakes import TENANT, down, person
from tests.services.query_gateway.world import World


async def test_titles_and_authors_that_begin_so_are_suggested() -> None:
    world = World()
    world.add("a", "Text.", title="Annual report")
    world.add("b", "Text.", title="Budget")
    async with world.client() as client:
        items = (await client.get("/v1/suggest", params={"q": "an"})).json()["items"]
    assert [(item["kind"], item["text"]) for item in items] == [("person", "Ann"), ("document", "Annual report")]
    assert items[1]["source"]["name"] == "wiki"


async def test_what_may_not_be_seen_is_not_suggested_nor_its_author() -> None:
    world = World()
    secret = world.add("a", "Text.", title="Annual secret")
    world.permissions.denied.add((secret, VIEW))
    async with world.client() as client:
        assert (await client.get("/v1/suggest", params={"q": "an"})).json() == {"items": []}


@pytest.mark.parametrize("documents", [0, 1, 3 * CANDIDATES])
async def test_as_much_is_checked_whatever_begins_so(documents: int) -> None:
    world = World()
    world.permissions.denied |= {(document, VIEW) for document in world.many(documents)}
    async with world.client() as client:
        for q in ("doc", "doc-001", "ann", "nothing"):
            world.permissions.calls.clear()
            assert (await client.get("/v1/suggest", params={"q": q})).json() == {"items": []}
            assert sum(len(checks) for _, checks, _ in world.permissions.calls) == 2 * CANDIDATES


@pytest.mark.parametrize("q", ["", "  "])
async def test_nothing_begins_with_nothing(q: str) -> None:
    world = World()
    world.many(1)
    async with world.client() as client:
        assert (await client.get("/v1/suggest", params={"q": q})).json() == {"items": []}


async def test_without_the_permission_engine_nothing_is_suggested() -> None:
    world = World()
    world.many(1)
    world.permissions.failing = down()
    async with world.client() as client:
        assert (await client.get("/v1/suggest", params={"q": "doc"})).status_code == 503
        assert (await client.get("/v1/sources")).status_code == 503


def test_people_leave_places_to_titles_and_take_those_that_are_left() -> None:
    world = World()
    world.many(3)
    documents = list(world.documents.rows.values())
    people = ["Ann", "Bob", "Cem", "Dee"]
    assert [item.kind for item in arranged(documents, people, limit=4)] == ["person", "person", "document", "document"]
    assert [item.kind for item in arranged(documents[:1], people, limit=4)] == ["person"] * 3 + ["document"]
    assert [item.text for item in arranged(documents, [], limit=2)] == ["doc-000", "doc-001"]


async def test_a_source_is_named_once_something_of_it_may_be_opened() -> None:
    world = World()
    document = world.add("a", "Text.")
    world.documents.labels.append(SourceLabel(SourceId(uuid.UUID(int=9)), type="files", name="empty"))
    async with world.client() as client:
        assert [item["name"] for item in (await client.get("/v1/sources")).json()["items"]] == ["wiki"]
        world.models.failing = down()
        assert [item["name"] for item in (await client.get("/v1/sources")).json()["items"]] == ["wiki"]
        world.permissions.denied.add((document, VIEW))
        assert (await client.get("/v1/sources")).json() == {"items": []}


async def test_a_source_behind_what_is_refused_is_found_deeper() -> None:
    world = World()
    refused = world.many(150)
    world.permissions.denied |= {(document, VIEW) for document in refused}
    world.add("last", "Text.", score=0.01)
    async with world.client() as client:
        assert [item["name"] for item in (await client.get("/v1/sources")).json()["items"]] == ["wiki"]


async def test_me_is_whom_the_credential_names() -> None:
    async with World().client() as client:
        me = (await client.get("/v1/me")).json()
    assert me == {
        "person": {"id": str(person("ann")), "name": "Ann", "email": "ann@acme.example", "guest": False},
        "tenant": {"id": str(TENANT), "name": "acme", "title": "Acme"},
        "role": "member",
        "scopes": ["read", "write"],
    }
