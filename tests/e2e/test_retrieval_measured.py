"""`cortex eval retrieval` against a whole platform: a small set pushed, found and measured, and nothing left of it."""

import asyncio
import json
from pathlib import Path

import pytest

from cortex.cli.gateway import Gateway
from cortex.cli.source import mappings
from cortex.domain.errors import Invalid
from eval.retrieval.command import run
from eval.retrieval.evaluate import evaluate, pushed
from eval.retrieval.platforms import Site
from eval.retrieval_sets import RetrievalSet, SetDocument, read
from tests.e2e.running import Platform
from tests.e2e.waiting import eventually

DOCUMENTS = {
    "tides": ("Tides", "High water comes twice a day and follows the moon."),
    "bees": ("Bees", "A colony of bees has one queen and many workers."),
    "rails": ("Rails", "Trains on this line run on a narrow gauge."),
}
QUESTIONS = {"q1": ("How many queens does a colony have?", "bees"), "q2": ("When is high water?", "tides")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = [json.dumps({"_id": name, "title": one[0], "text": one[1]}) for name, one in DOCUMENTS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(corpus), encoding="utf-8")
    questions = [json.dumps({"_id": name, "text": one[0]}) for name, one in QUESTIONS.items()]
    (tmp_path / "queries.jsonl").write_text("\n".join(questions), encoding="utf-8")
    judged = [f"{name}\t{one[1]}\t1" for name, one in QUESTIONS.items()]
    (tmp_path / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), encoding="utf-8")
    return tmp_path


def measure(platform: Platform, folder: Path, **options: object) -> dict[str, object]:
    found: dict[str, object] = {"mode": "hybrid", "limit": None, "out": None, **options}
    return asyncio.run(
        run(folder, platform=platform.data, environment={}, observe=lambda _: None, **found)  # type: ignore[arg-type]
    )


def test_a_set_is_measured_through_the_running_platform(platform: Platform, folder: Path, tmp_path: Path) -> None:
    figures = measure(platform, folder, out=tmp_path / "kept")
    assert (figures["ndcg@10"], figures["mrr@10"], figures["questions"], figures["documents"]) == (1.0, 1.0, 2, 3)
    assert float(str(figures["docs_per_s"])) > 0
    assert figures["degraded"] == {}
    rows = [json.loads(line) for line in (tmp_path / "kept" / "questions.jsonl").read_text().splitlines()]
    assert {row["id"]: row["found"][0]["document"] for row in rows} == {"q1": "bees", "q2": "tides"}
    assert rows[0]["found"][0]["made_of"].keys() == {"fused", "dense", "bm25", "maxsim"}


def test_a_limit_asks_fewer_questions(platform: Platform, folder: Path) -> None:
    assert measure(platform, folder, mode="lexical", limit=1)["questions"] == 1


def test_an_unknown_mode_is_refused_before_anything_is_pushed(platform: Platform, folder: Path) -> None:
    with pytest.raises(Invalid, match="hybrid, dense, lexical, rrf, dbsf"):
        measure(platform, folder, mode="magic")


def test_every_mode_after_one_ingestion(platform: Platform, folder: Path) -> None:
    depths = {"hybrid": 100, "dense": 60, "lexical": 10, "rrf": 10, "dbsf": 10}
    outcomes = evaluate(Site(platform.url, platform.data), read(folder), depths=depths)
    assert [outcome.mode for outcome in outcomes] == list(depths)
    assert {outcome.scores["q1"]["recall@10"] for outcome in outcomes} == {1.0}


def test_pages_reach_as_deep_as_a_measure_looks(platform: Platform) -> None:
    documents = {f"n{n:03}": SetDocument("", f"Lighthouse number {n} stands by the sea.") for n in range(70)}
    some = RetrievalSet("lights", documents, {"q": "lighthouse by the sea"}, {"q": {"n042": 1}})
    (outcome,) = evaluate(Site(platform.url, platform.data), some, depths={"hybrid": 100})
    found = outcome.asked.rankings["q"]
    assert (len(found), len(set(found))) == (70, 70)


def test_nothing_stays_behind(platform: Platform, folder: Path) -> None:
    site = Site(platform.url, platform.data)
    with pushed(site, read(folder)) as (tenant, _), site.administrator(tenant) as gateway:
        assert states(gateway) == {"set": "active"}

    def gone() -> None:
        with site.administrator(tenant) as gateway:
            assert states(gateway) in ({}, {"set": "removing"})

    eventually(gone)


def states(gateway: Gateway) -> dict[str, str]:
    return {str(one["name"]): str(one["state"]) for one in mappings(gateway.get("/admin/v1/sources")["items"])}
