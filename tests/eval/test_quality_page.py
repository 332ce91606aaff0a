"""The page about quality shows what the report says, and keeps the rest of its text."""

from pathlib import Path

import pytest

from eval.quality_page import ENGINES, FIGURES, POOLED, differences, headlines, languages_table, pooled, tables, write

COLUMNS = {"recall@5": 0.5, "recall@10": 0.75, "recall@100": 1.0, "mrr@10": 0.5, "documents": 1400, "chunks": 2000}
REPORTS: dict[str, object] = {
    name: {
        "figures": COLUMNS,
        "ndcg@10": {
            "hybrid": {"1": high, "2": high},
            "lexical": {"1": low, "2": low},
            "bm25s": {"1": low, "2": high},
        },
    }
    for name, high, low in (("shelf", 0.8, 0.6), ("attic", 0.4, 0.4))
}


def test_questions_of_equal_names_in_two_sets_stay_apart() -> None:
    together = pooled(headlines(REPORTS))
    assert sorted(together["hybrid"]) == ["attic/1", "attic/2", "shelf/1", "shelf/2"]
    assert differences(together)["lexical"].mean == pytest.approx(0.1)


def test_every_set_and_all_together_have_a_row() -> None:
    lines = tables(REPORTS).splitlines()
    assert "| nDCG@10 | questions | Cortex | terms | bm25s |" in lines
    assert "| shelf | 2 | 0.800 | 0.600 | 0.700 |" in lines
    assert f"| {POOLED} | 4 | 0.600 | 0.500 | 0.550 |" in lines
    assert "| shelf | +0.200 [+0.200, +0.200] | +0.100 [+0.000, +0.200] |" in lines
    assert "| shelf | 0.500 | 0.750 | 1.000 | 0.500 | 1,400 | 2,000 |" in lines


def test_a_set_has_a_row_for_each_embedder_that_it_was_asked_with() -> None:
    shelf = {"ndcg@10": {"hybrid": {"1": 0.8, "2": 0.8}, "dense": {"1": 0.6, "2": 0.8}, "bm25s": {"1": 0.7, "2": 0.8}}}
    attic = {"ndcg@10": {"hybrid": {"1": 0.5}, "bm25s": {"1": 0.6}}}
    lines = languages_table({"many": {"shelf": shelf}, "built in": {"shelf": attic, "attic": attic}}).splitlines()
    assert lines[2:] == [
        "| attic | built in | 1 | 0.500 |  |  | 0.600 | -0.100 [-0.100, -0.100] |",
        "| shelf | built in | 1 | 0.500 |  |  | 0.600 | -0.100 [-0.100, -0.100] |",
        "| shelf | many | 2 | 0.800 |  | 0.700 | 0.750 | +0.050 [+0.000, +0.100] |",
    ]


def test_only_the_named_place_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    marks = [f"<!-- {place} -->\nold\n<!-- end of {place} -->\n" for place in (FIGURES, ENGINES)]
    page.write_text("before\n" + "between\n".join(marks) + "after\n", encoding="utf-8")
    write("new\n", page, place=ENGINES)
    text = page.read_text(encoding="utf-8")
    assert text == "before\n" + marks[0] + "between\n" + marks[1].replace("old", "new") + "after\n"
