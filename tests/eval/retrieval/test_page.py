"""What is kept of a run: figures, every question, and a page that needs nothing else."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

from eval.retrieval.ask import Answer, Asked, Hit
from eval.retrieval.evaluate import Outcome
from eval.retrieval.ingest import Ingested
from eval.retrieval.keep import FIGURES, PAGE, QUESTIONS, keep
from eval.retrieval.measures import by_question
from eval.retrieval_sets import RetrievalSet, SetDocument

RETRIEVAL = RetrievalSet(
    "shelf",
    {"a": SetDocument("A", "first"), "b": SetDocument("B", "second")},
    {"q": "which <b>one</b>?", "r": "and the other?"},
    {"q": {"a": 1}, "r": {"b": 1}},
)


def outcome(mode: str, **found: list[str]) -> Outcome:
    times = iter([10.0, 30.0])
    answers = {
        question: Answer([Hit(name, 1.0 / n, {"bm25": 2.0}) for n, name in enumerate(names, 1)], next(times), ())
        for question, names in found.items()
    }
    asked = Asked(answers)
    ingested = Ingested("s", {"1": "a", "2": "b"}, 2, 3, 4.0)
    return Outcome(RETRIEVAL, mode, ingested, asked, by_question(asked.rankings, RETRIEVAL.grades))


def test_figures_have_the_names_of_the_contract() -> None:
    figures = outcome("hybrid", q=["a"], r=["a", "b"]).figures()
    contract = {
        "ndcg@10",
        "recall@5",
        "recall@10",
        "recall@100",
        "mrr@10",
        "docs_per_s",
        "p50_ms",
        "p95_ms",
        "questions",
    }
    assert contract <= figures.keys()
    assert (figures["mrr@10"], figures["docs_per_s"], figures["p50_ms"], figures["questions"]) == (0.75, 0.5, 20.0, 2)


def test_everything_is_kept(tmp_path: Path) -> None:
    keep(tmp_path, [outcome("hybrid", q=["a"], r=["b"]), outcome("lexical", q=["b"], r=["b"])])
    rows = [json.loads(line) for line in (tmp_path / QUESTIONS).read_text(encoding="utf-8").splitlines()]
    assert [(row["mode"], row["id"], row["scores"]["ndcg@10"]) for row in rows] == [
        ("hybrid", "q", 1.0),
        ("hybrid", "r", 1.0),
        ("lexical", "q", 0.0),
        ("lexical", "r", 1.0),
    ]
    assert rows[0]["found"] == [{"document": "a", "score": 1.0, "made_of": {"bm25": 2.0}}]
    assert [one["mode"] for one in json.loads((tmp_path / FIGURES).read_text(encoding="utf-8"))] == [
        "hybrid",
        "lexical",
    ]


def test_the_page_needs_nothing_else_and_its_plots_are_well_formed(tmp_path: Path) -> None:
    keep(tmp_path, [outcome("hybrid", q=["a"], r=["b"]), outcome("lexical", q=["b"], r=[])])
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert not re.search(r"https?://|src=|@import", page)
    assert "which &lt;b&gt;one&lt;/b&gt;?" in page
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(plots) == 1 + 1 + 2 * 2
    for plot in plots:
        ElementTree.fromstring(plot)
