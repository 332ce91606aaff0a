"""The report on permissions: parts are replaced one by one, and the page shows what the file holds."""

import json
from pathlib import Path

import pytest

from eval.permissions_report import PAGE, REPORT, Figures, record, table


def test_a_part_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    report, page = tmp_path / "reports" / "permissions.json", tmp_path / "page.md"
    page.write_text("before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n", encoding="utf-8")
    record("breaches", {"tried": 12, "caught": 11, "seed": 1}, report=report, page=page)
    record("breaches", {"tried": 12, "caught": 12, "seed": 1}, report=report, page=page)
    surfaces: Figures = {"verdicts": 20_000, "allowed": 5_000, "leaks": 0, "hidden": 0, "looks": 900, "seed": 2}
    record("surfaces", surfaces, report=report, page=page)
    assert json.loads(report.read_text(encoding="utf-8")).keys() == {"breaches", "surfaces"}
    shown = page.read_text(encoding="utf-8")
    assert (shown.startswith("before\n"), shown.endswith("\nafter\n"), "old" in shown) == (True, True, False)
    assert "12 of 12 caught" in shown
    assert "20,000" in shown


def test_the_page_shows_the_report() -> None:
    if not REPORT.exists():
        pytest.skip("nothing has been measured")
    assert table(json.loads(REPORT.read_text(encoding="utf-8"))) in PAGE.read_text(encoding="utf-8")
