"""Search: the filter, the re-check, live revisions, the bounds of the walk, what is degraded, pages and facets."""

import asyncio
import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cortex.domain.errors import Exhausted
from cortex.domain.identity import ContainerId, GroupId, SourceId
from services.query_gateway.folders import NOWHERE
from services.query_gateway.settings import RetrievalSettings, Settings
from tests.services.query_gateway.fakes import NOON, SOURCE, TENANT, down, person
from tests.services.query_gateway.world import World


async def search(world: World, name: str = "ann", **body: object) -> dict[str, Any]:
    async with world.client(name) as client:
        response = await client.post("/v1/search", json={"query": "text number", **body})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def ids(answer: dict[str, Any]) -> list[str]:
    return [result["document_id"] for result in answer["results"]]


async def test_a_result_has_every_field_of_the_contract() -> None:
    world = World()
    document = world.add("deploys", "We deploy on Tuesdays. Text.")
    answer = await search(world, query="deploy tuesdays")
    (result,) = answer["results"]
    assert result["document_id"] == str(document)
    assert result["title"] == "deploys"
    assert result["snippet"] == "We deploy on Tuesdays. Text."
    assert [result["snippet"][a:b] for a, b in result["highlights"]] == ["deploy", "Tuesdays"]
    assert result["anchor"] | {"revision": 1, "block_id": 0, "start": 0, "end": 28} == result["anchor"]
    assert result["source"] == {"id": str(SOURCE.id), "type": "files", "name": "wiki"}
    assert (result["author"], result["superseded_by"], result["scores"]) == ("Ann", None, None)
    assert answer["degraded"] == []
    assert answer["next_cursor"] is None
    assert {"auth", "encode", "search", "rerank", "assemble"} <= answer["stages_ms"].keys()
    assert len(answer["trace_id"]) == 32


async def test_a_file_is_placed_by_its_path_and_nothing_else_is() -> None:
    world = World()
    world.add("hamburg/minutes", "Text number.", url="")
    world.add("talk", "Text number.", source=replace(SOURCE, id=SourceId(uuid.UUID(int=6)), type="chat"), score=0.1)
    found = (await search(world, fold=False))["results"]
    assert [result["place"] for result in found] == ["hamburg/minutes.md", ""]
    async with world.client() as client:
        body = {"question": "What number?"}
        answer = (await client.post("/v1/chat", json=body, headers={"Accept": "application/json"})).json()
        again = (await client.get(f"/v1/answers/{answer['answer_id']}")).json()
    for sources in (answer["sources"], again["sources"]):
        assert sources[0]["place"] == "hamburg/minutes.md"


async def test_explain_adds_scores_by_stage() -> None:
    world = World()
    world.add("a", "Text number.")
    (result,) = (await search(world, explain=True))["results"]
    assert result["scores"].keys() == {"fused", "dense", "bm25", "maxsim"}
    assert result["ranks"] == dict.fromkeys(("fused", "dense", "bm25", "maxsim"), 1)
    (plain,) = (await search(world))["results"]
    assert (plain["scores"], plain["ranks"]) == (None, None)


async def test_explain_tells_nothing_of_how_often_a_word_stands_in_hidden_documents() -> None:
    """Which weighs a term: all of its figures grow and shrink together. Nor does a hidden candidate move them."""
    told = []
    for weight, hidden in ((1.0, False), (3.0, False), (3.0, True)):
        world = World()
        for n, document in enumerate(world.many(3)):
            chunk = next(chunk for chunk, point in world.index.points.items() if point.scored.document_id == document)
            world.index.points[chunk] = replace(world.index.points[chunk], sparse=weight * (10 - n))
        if hidden:
            secret = world.add("secret", "Text number.", score=0.2)
            world.permissions.denied.add((secret, "view"))
        results = (await search(world, explain=True))["results"]
        told.append([(one["scores"]["bm25"], one["ranks"]["bm25"]) for one in results])
    assert told == [[(1.2247, 1), (0.0, 2), (-1.2247, 3)]] * 3


async def test_every_read_of_the_index_carries_tenant_and_principals_of_the_asker() -> None:
    world = World()
    group = GroupId(uuid.UUID(int=9))
    world.directory.groups[person("ann")] = frozenset([group])
    world.many(3)
    await search(world)
    assert len(world.index.scopes) == 2
    for scope in world.index.scopes:
        assert scope.tenant_id == TENANT
        assert scope.principals == {f"p:{person('ann')}", f"g:{group}", "m", "t"}


async def test_what_the_permission_engine_denies_is_hidden_and_counted_for_administrators_alone() -> None:
    world = World()
    hidden, shown = world.many(2)
    world.permissions.denied.add((hidden, "view"))
    answer = await search(world, facets=["source_type"])
    assert ids(answer) == [str(shown)]
    assert answer["facets"]["source_type"] == {"values": [{"value": "files", "count": 1}], "of_top": 1}
    assert str(hidden) not in str(answer)
    assert world.dropped("permission") == 1


async def test_facets_name_folders_that_the_asker_may_see() -> None:
    """A document that stands alone may lie in one that they may not."""
    world, seen, unseen = World(), ContainerId(uuid.uuid4()), ContainerId(uuid.uuid4())
    world.add("a", "Text number one.", containers=(seen, unseen))
    world.permissions.denied.add((unseen, "view"))
    answer = await search(world, facets=["container_id"])
    assert answer["facets"]["container_id"]["values"] == [{"value": str(seen), "count": 1}]
    assert str(unseen) not in str(answer)


async def test_a_folder_that_may_not_be_seen_narrows_like_one_that_never_was() -> None:
    world, seen, unseen = World(), ContainerId(uuid.uuid4()), ContainerId(uuid.uuid4())
    world.add("a", "Text number one.", containers=(seen, unseen))
    world.permissions.denied.add((unseen, "view"))
    await search(world, filters={"container_ids": [str(seen), str(unseen)]})
    await search(world, filters={"container_ids": [str(unseen)]})
    first, second = (request.filters.container_ids for request in world.index.requests)
    assert (set(first), set(second)) == ({seen}, {NOWHERE})


async def test_the_time_tells_nothing_of_what_was_hidden() -> None:
    world = World(Settings(retrieval=RetrievalSettings(arm_limit=4, deep_arm_limit=40)))
    for document in world.many(4):
        world.permissions.denied.add((document, "view"))
    answer = await search(world)
    assert len(world.index.requests) == 2
    assert answer["stages_ms"].keys() == {"auth", "encode", "search", "rerank", "assemble", "present"}


async def test_the_recheck_is_at_least_as_fresh_as_the_last_permission_write() -> None:
    world = World()
    world.many(70)
    world.documents.token = "token-77"
    await search(world, limit=50)
    assert {token for _, _, token in world.permissions.calls} == {"token-77"}
    assert world.documents.token_reads == 1
    assert [len(checks) for _, checks, _ in world.permissions.calls] == [32, 32]


@pytest.mark.parametrize("failure", ["down", "late", "token"])
async def test_without_the_permission_engine_nothing_comes_but_a_clear_error(failure: str) -> None:
    world = World(Settings(retrieval=RetrievalSettings(permission_timeout_s=0.05)))
    world.add("secret-plan", "Text number secret.")
    if failure == "down":
        world.permissions.failing = down()
    elif failure == "late":
        world.permissions.hangs = True
    else:
        world.documents.failing = down()
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": "secret"})
    assert response.status_code == 503
    assert response.headers["content-type"] == "application/problem+json"
    assert int(response.headers["retry-after"]) >= 1
    assert response.json().keys() == {"type", "title", "status", "detail", "trace_id"}
    assert "secret" not in response.text


async def test_a_chunk_of_a_revision_that_is_not_live_is_hidden() -> None:
    world = World()
    world.add("old", "Text number old.", revision=1, indexed=2)
    assert ids(await search(world)) == []
    assert world.dropped("stale") == 1


async def test_of_two_revisions_in_the_index_the_live_one_is_shown() -> None:
    world = World()
    world.add("page", "Text number before.", revision=1, indexed=2, score=0.9)
    world.add("page", "Text number after.", revision=2, indexed=2, score=0.4)
    (result,) = (await search(world))["results"]
    assert result["snippet"] == "Text number after."
    assert result["anchor"]["revision"] == 2


async def test_a_tombstoned_document_is_hidden_though_the_index_still_holds_it() -> None:
    world = World()
    document = world.add("gone", "Text number.")
    del world.documents.rows[document]
    assert ids(await search(world)) == []
    assert world.permissions.calls == []


async def test_a_point_that_left_the_scope_between_two_reads_is_dropped() -> None:
    world = World()
    world.add("moved", "Text number.")
    world.index.revoked_after_search = True
    assert ids(await search(world)) == []
    assert world.permissions.calls == []


async def test_one_deeper_query_where_the_first_runs_dry() -> None:
    world = World(Settings(retrieval=RetrievalSettings(arm_limit=10, deep_arm_limit=30)))
    documents = world.many(40)
    world.permissions.denied |= {(document, "view") for document in documents[:15]}
    answer = await search(world, limit=10)
    assert [request.limit for request in world.index.requests] == [10, 30]
    assert ids(answer) == [str(document) for document in documents[15:25]]


async def test_no_deeper_query_where_the_arms_held_everything() -> None:
    world = World(Settings(retrieval=RetrievalSettings(arm_limit=10, deep_arm_limit=30)))
    world.many(5)
    await search(world, limit=10)
    assert [request.limit for request in world.index.requests] == [10]


async def test_the_walk_stops_at_the_bound_of_candidates() -> None:
    world = World(
        Settings(retrieval=RetrievalSettings(arm_limit=100, deep_arm_limit=600, pool_max=1000, candidates_max=400))
    )
    documents = world.many(500)
    world.permissions.denied |= {(document, "view") for document in documents}
    assert ids(await search(world)) == []
    assert sum(len(checks) for _, checks, _ in world.permissions.calls) == 400
    checked = [check.id for _, checks, _ in world.permissions.calls for check in checks]
    assert len(set(checked)) == 400


@pytest.mark.parametrize("failure", [down(), Exhausted("too many candidates")])
async def test_without_the_reranker_the_answer_comes_and_says_so(failure: Exception) -> None:
    world = World()
    world.many(3)
    world.models.rerank_failing = failure
    answer = await search(world)
    assert len(answer["results"]) == 3
    assert answer["degraded"] == ["rerank"]


async def test_a_late_reranker_is_not_waited_for() -> None:
    world = World(Settings(retrieval=RetrievalSettings(rerank_timeout_s=0.02)))
    world.many(3)
    world.models.rerank_hangs = True
    assert (await search(world))["degraded"] == ["rerank"]


async def test_without_the_models_process_terms_alone_answer() -> None:
    world = World()
    world.many(3)
    world.models.failing = down()
    answer = await search(world)
    assert len(answer["results"]) == 3
    assert answer["degraded"] == ["dense"]
    assert world.index.requests[0].dense is None
    assert world.models.rerank_calls == 0


async def test_a_language_that_the_model_does_not_declare_leaves_its_vectors_out() -> None:
    world = World()
    world.many(3)
    world.models.supported = False
    answer = await search(world)
    assert (len(answer["results"]), answer["degraded"]) == (3, [])
    assert world.index.requests[0].dense is None
    assert world.models.rerank_calls == 0


@pytest.mark.parametrize(
    ("mode", "dense", "sparse"),
    [
        ("hybrid", True, True),
        ("dense", True, False),
        ("lexical", False, True),
        ("rrf", True, True),
        ("dbsf", True, True),
    ],
)
async def test_modes_ask_their_arms(mode: str, dense: bool, sparse: bool) -> None:
    world = World()
    world.many(2)
    answer = await search(world, mode=mode)
    request = world.index.requests[0]
    assert ((request.dense is not None), (request.sparse is not None)) == (dense, sparse)
    assert answer["degraded"] == []


async def test_modes_for_comparison_take_the_lists_as_they_are() -> None:
    """One round trip, no late interaction, and the score of the textbook."""
    world = World()
    world.many(2)
    answer = await search(world, mode="rrf", explain=True)
    assert [result["score"] for result in answer["results"]] == [round(2 / 61, 6), round(2 / 62, 6)]
    assert (len(world.index.scopes), world.models.rerank_calls) == (1, 0)
    assert answer["results"][0]["scores"].keys() == {"fused", "dense", "bm25"}


async def test_without_the_index_there_is_an_error() -> None:
    world = World()
    world.index.failing = down()
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": "text"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "3")


async def test_pages_hold_every_document_once_and_in_order() -> None:
    world = World()
    documents = world.many(25)
    seen, cursor = [], None
    while True:
        answer = await search(world, limit=10, **({"cursor": cursor} if cursor else {}))
        seen += ids(answer)
        cursor = answer["next_cursor"]
        if cursor is None:
            break
    assert seen == [str(document) for document in documents]


@pytest.mark.parametrize("cursor", ["nonsense", "W10", "WzEsMl0", "é"])
async def test_a_cursor_of_nobodys_making_is_refused(cursor: str) -> None:
    async with World().client() as client:
        response = await client.post("/v1/search", json={"query": "text", "cursor": cursor})
    assert response.status_code == 422
    assert "cursor" in response.json()["detail"]


async def test_a_cursor_of_another_query_is_refused() -> None:
    world = World()
    world.many(25)
    cursor = (await search(world, limit=10))["next_cursor"]
    async with world.client() as client:
        response = await client.post("/v1/search", json={"query": "other", "cursor": cursor})
    assert (response.status_code, "another query" in response.json()["detail"]) == (422, True)


async def test_as_of_hides_what_is_younger_or_of_unknown_age() -> None:
    world = World()
    world.add("younger", "Text number.", updated_at=NOON + timedelta(days=1))
    world.add("unknown", "Text number.", updated_at=None)
    older = world.add("older", "Text number.", updated_at=NOON - timedelta(days=1))
    assert ids(await search(world, as_of=NOON.isoformat())) == [str(older)]
    assert world.index.requests[0].filters.updated_before == NOON


async def test_filters_reach_the_index() -> None:
    world = World()
    world.many(1)
    container = str(uuid.uuid4())
    await search(world, filters={"container_ids": [container], "languages": ["de"], "source_types": ["files"]})
    filters = world.index.requests[0].filters
    assert filters.container_ids == {uuid.UUID(container)}
    assert (filters.languages, filters.source_types) == (frozenset(["de"]), frozenset(["files"]))


async def test_a_text_that_went_away_meanwhile_is_left_out() -> None:
    world = World()
    world.many(2)
    world.documents.stored.pop(next(iter(world.documents.stored)))
    assert len(ids(await search(world))) == 1


async def test_concurrent_searches_do_not_mix() -> None:
    world = World()
    world.add("shared", "Text number.")
    world.add("private", "Text number.", principals=frozenset([f"p:{person('ben')}"]))
    ann, ben = await asyncio.gather(
        search(World(index=world.index, documents=world.documents)),
        search(World(index=world.index, documents=world.documents), "ben"),
    )
    assert (len(ids(ann)), len(ids(ben))) == (1, 2)


async def test_a_script_as_an_address_is_not_passed_on() -> None:
    world = World()
    world.add("trap", "Text number <b>bold</b>.", url="java\nscript:alert(1)")
    (result,) = (await search(world))["results"]
    assert result["url"] == ""
    assert result["snippet"] == "Text number <b>bold</b>."
