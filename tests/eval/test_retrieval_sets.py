"""Reading retrieval sets."""

import json
from pathlib import Path

import pytest

from cortex.domain.errors import Invalid
from eval.retrieval_sets import SetDocument, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = [("1", "A title", "A title and more"), ("2", "Other", "text"), ("3", "", " ")]
    rows = [json.dumps({"_id": name, "title": title, "text": text}) for name, title, text in corpus]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    questions = [json.dumps({"_id": name, "text": f"question {name}"}) for name in ("q1", "q2")]
    (tmp_path / "queries.jsonl").write_text("\n".join(questions), encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t2\t1\nq1\t1\t0\n", encoding="utf-8")
    return tmp_path


def test_only_judged_questions_and_documents_with_text_are_read(folder: Path) -> None:
    retrieval = read(folder)
    assert retrieval.questions == {"q1": "question q1"}
    assert retrieval.grades == {"q1": {"2": 1}}
    assert retrieval.documents == {"1": SetDocument("A title", "A title and more"), "2": SetDocument("Other", "text")}
    assert retrieval.passages == {"1": "A title and more", "2": "Other\ntext"}


def test_the_first_questions_keep_every_document(folder: Path) -> None:
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t2\t1\nq2\t1\t3\n", encoding="utf-8")
    some = read(folder).first(1)
    assert (list(some.questions), dict(some.grades), len(some.documents)) == (["q1"], {"q1": {"2": 1}}, 2)
    assert list(read(folder).every(2).questions) == ["q1"]
    assert list(read(folder).every(1).questions) == ["q1", "q2"]


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("corpus.jsonl", None, "has no corpus.jsonl"),
        ("queries.jsonl", '{"text": "no id"}\n', "line 1"),
        ("corpus.jsonl", "[]\n", "line 1"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\t2\tmuch\n", "whole number"),
        ("qrels.tsv", "q1\t0\t2\t1\n", "none of its questions"),
    ],
)
def test_another_form_is_refused_with_its_place(folder: Path, file: str, text: str | None, problem: str) -> None:
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(Invalid, match=problem):
        read(folder)
