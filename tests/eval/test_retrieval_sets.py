"""Reading retrieval sets, and nDCG against values worked out by hand."""

import json
import math
from pathlib import Path

import pytest

from eval.retrieval_sets import mean_ndcg, ndcg, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = [("1", "A title", "A title and more"), ("2", "Other", "text"), ("3", "", " ")]
    rows = [json.dumps({"_id": name, "title": title, "text": text}) for name, title, text in corpus]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    questions = [json.dumps({"_id": name, "text": f"question {name}"}) for name in ("q1", "q2")]
    (tmp_path / "queries.jsonl").write_text("\n".join(questions), encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t2\t1\nq1\t1\t0\n", encoding="utf-8")
    return tmp_path


def test_only_judged_questions_and_passages_with_text_are_read(folder: Path) -> None:
    retrieval = read(folder)
    assert retrieval.questions == {"q1": "question q1"}
    assert retrieval.grades == {"q1": {"2": 1}}
    assert retrieval.passages == {"1": "A title and more", "2": "Other\ntext"}


def test_ndcg_counts_grades_by_rank() -> None:
    grades = {"a": 2, "b": 1}
    ideal = 2 + 1 / math.log2(3)
    assert ndcg(["a", "b"], grades) == pytest.approx(1.0)
    assert ndcg(["b", "x", "a"], grades) == pytest.approx((1 + 2 / 2) / ideal)
    assert ndcg(["x"] * 10 + ["a"], grades) == 0.0
    assert ndcg([], {}) == 0.0
    assert mean_ndcg({"q": ["a"], "r": ["x"]}, {"q": {"a": 1}, "r": {"a": 1}}) == 0.5
