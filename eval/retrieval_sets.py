"""Retrieval sets in BEIR form, and nDCG. No server, no model."""

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Texts by id, and for each question the grade of its relevant passages."""

    name: str
    passages: Mapping[str, str]
    questions: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]


def read(folder: Path) -> RetrievalSet:
    """Questions without a judged passage and empty passages are left out. A title that its text repeats comes once."""
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    questions = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl") if row["_id"] in grades}
    corpus = {row["_id"]: _passage(row.get("title", ""), row["text"]) for row in _rows(folder / "corpus.jsonl")}
    passages = {passage: text for passage, text in corpus.items() if text.strip()}
    return RetrievalSet(folder.name, passages, questions, grades)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _passage(title: str, text: str) -> str:
    return text if text.startswith(title) else f"{title}\n{text}"


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], *, at: int = 10) -> float:
    """Normalised discounted cumulative gain with linear gain."""
    gain = sum(grades.get(passage, 0) / math.log2(rank + 2) for rank, passage in enumerate(ranked[:at]))
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(sorted(grades.values(), reverse=True)[:at]))
    return gain / ideal if ideal else 0.0


def mean_ndcg(rankings: Mapping[str, Sequence[str]], grades: Mapping[str, Mapping[str, int]]) -> float:
    return sum(ndcg(ranked, grades[question]) for question, ranked in rankings.items()) / max(len(rankings), 1)
