"""Figures kept in the repository, and the page made of them."""

import json
from pathlib import Path

from eval.answers.marking import mark
from eval.answers.record import record
from eval.answers.summary import Asked, summary
from tests.eval.answers.examples import given, question, said


def test_a_half_replaces_its_figures_and_leaves_the_other(tmp_path: Path) -> None:
    good, bad = question(), question(facts=(), sources=(), id="none")
    found = [Asked(good, given(said(), confidence=0.9), mark(good, given(said())))]
    found.append(Asked(bad, given(confidence=0.1), mark(bad, given())))
    page, report = tmp_path / "page.md", tmp_path / "reports" / "answers.json"
    page.write_text("# Page\n<!-- figures -->\nold\n<!-- end of figures -->\nrest\n", encoding="utf-8")
    for half in ("open", "sealed", "open"):
        record(half, summary(found), report=report, page=page)
    kept = json.loads(report.read_text(encoding="utf-8"))
    shown = page.read_text(encoding="utf-8")
    assert kept.keys() == {"open", "sealed"}
    assert "curve" not in kept["open"]["abstention"]
    assert shown.count("### ") == 2
    assert "old" not in shown
    assert shown.endswith("<!-- end of figures -->\nrest\n")
    assert "| completeness | 1.000 | 1.000 to 1.000 |" in shown
