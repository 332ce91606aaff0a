"""Retrieval sets in BEIR form. No server, no model."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cortex.domain.errors import Invalid

CORPUS, QUESTIONS, JUDGEMENTS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"

Grades = Mapping[str, Mapping[str, int]]
"""For each question the grade of its relevant documents, each above 0."""


@dataclass(frozen=True, slots=True)
class SetDocument:
    title: str
    text: str

    @property
    def passage(self) -> str:
        """As one text; a title that the text repeats comes once."""
        return self.text if self.text.startswith(self.title) else f"{self.title}\n{self.text}"


@dataclass(frozen=True)
class RetrievalSet:
    """Documents and questions by id."""

    name: str
    documents: Mapping[str, SetDocument]
    questions: Mapping[str, str]
    grades: Grades

    @cached_property
    def passages(self) -> dict[str, str]:
        return {name: document.passage for name, document in self.documents.items()}

    def first(self, questions: int) -> "RetrievalSet":
        """With that many questions, over all documents."""
        return self._with(dict(list(self.questions.items())[:questions]))

    def every(self, step: int) -> "RetrievalSet":
        """With the first question of every so many, over all documents."""
        return self._with(dict(list(self.questions.items())[::step]))

    def _with(self, questions: Mapping[str, str]) -> "RetrievalSet":
        grades = {question: self.grades[question] for question in questions}
        return RetrievalSet(self.name, self.documents, questions, grades)


def read(folder: Path, *, name: str = "") -> RetrievalSet:
    """Without questions that have no judged document, and documents without text. Raises Invalid for another form."""
    for file in (CORPUS, QUESTIONS, JUDGEMENTS):
        if not (folder / file).is_file():
            raise Invalid(f"{folder}: has no {file}; a set in BEIR form has {CORPUS}, {QUESTIONS} and {JUDGEMENTS}")
    grades = _grades(folder / JUDGEMENTS)
    questions = {row["_id"]: row["text"] for row in _rows(folder / QUESTIONS) if row["_id"] in grades}
    corpus = {row["_id"]: SetDocument(row.get("title", ""), row["text"]) for row in _rows(folder / CORPUS)}
    documents = {key: document for key, document in corpus.items() if document.passage.strip()}
    if not questions:
        raise Invalid(f"{folder}: none of its questions has a judged document")
    judged = {question: grades[question] for question in questions}
    return RetrievalSet(name or folder.name, documents, questions, judged)


def _grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            try:
                question, document, grade = row["query-id"], row["corpus-id"], int(row["score"])
            except (KeyError, TypeError, ValueError) as error:
                raise Invalid(f"{path}: expected the columns query-id, corpus-id and score, a whole number") from error
            if grade > 0:
                grades.setdefault(question, {})[document] = grade
    return grades


def _rows(path: Path) -> list[dict[str, str]]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
            rows.append({"_id": str(row["_id"]), "title": str(row.get("title") or ""), "text": str(row["text"])})
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise Invalid(f"{path}, line {number}: expected an object with _id and text") from error
    return rows
