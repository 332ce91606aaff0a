"""What was found, on disk: figures, every question's results, and a page with plots."""

import json
from collections.abc import Sequence
from pathlib import Path

from eval.retrieval.evaluate import Outcome
from eval.retrieval.page import page

FIGURES, QUESTIONS, PAGE = "figures.json", "questions.jsonl", "report.html"


def keep(folder: Path, outcomes: Sequence[Outcome]) -> None:
    """Replaces what an earlier run left there."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = json.dumps([outcome.figures() for outcome in outcomes], indent=2)
    (folder / FIGURES).write_text(figures + "\n", encoding="utf-8")
    with (folder / QUESTIONS).open("w", encoding="utf-8") as file:
        for outcome in outcomes:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in outcome.rows())
    (folder / PAGE).write_text(page(outcomes), encoding="utf-8")
