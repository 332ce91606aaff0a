"""The report of what was tried against permissions: one JSON file, and the table that the documents show."""

import json
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

Figures = dict[str, int | float]

ROOT = Path(__file__).resolve().parents[1]
REPORT = ROOT / "eval" / "reports" / "permissions.json"
PAGE = ROOT / "docs" / "reference" / "permissions.md"
_TABLE = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)


def record(part: str, figures: Figures, *, report: Path = REPORT, page: Path = PAGE) -> None:
    """Replaces that part of the report, and the table made from the whole."""
    parts = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    parts[part] = figures | {"commit": _commit(), "at": datetime.now(UTC).strftime("%Y-%m-%d")}
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(parts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    if page.exists():
        shown = _TABLE.sub(lambda _: table(parts), page.read_text(encoding="utf-8"))
        page.write_text(shown, encoding="utf-8")


def table(parts: Mapping[str, Mapping[str, int | float | str]]) -> str:
    """Markdown; a part that has not been run is left out."""
    lines = ["| what | how many | leaks | hidden wrongly | seed | commit |", "|---|---|---|---|---|---|"]
    if found := parts.get("verdicts"):
        wrong = int(found["hidden"]) + int(found["tighter"])
        lines.append(_row("verdicts of engine, filter and plain reading", found, f"{found['verdicts']:,}", wrong))
    if found := parts.get("surfaces"):
        lines.append(_row("verdicts through the routes", found, f"{found['verdicts']:,}", found["hidden"]))
        lines.append(_row("further answers read for what they must not tell", found, f"{found['looks']:,}", "-"))
    if found := parts.get("races"):
        lines.append(_row("requests begun after a revocation", found, f"{found['after']:,}", "-"))
    if found := parts.get("breaches"):
        caught = f"{found['caught']} of {found['tried']} caught"
        lines.append(f"| deliberate breaches | {caught} | - | - | {found['seed']} | {found['commit']} |")
    if found := parts.get("races"):
        lines += ["", _times(found)]
    return "\n".join(lines) + "\n"


def _row(what: str, found: Mapping[str, int | float | str], many: str, hidden: int | float | str) -> str:
    return f"| {what} | {many} | {found['leaks']} | {hidden} | {found['seed']} | {found['commit']} |"


def _times(found: Mapping[str, int | float | str]) -> str:
    return (
        f"A revocation is answered after {found['revocation_ms_p50']} ms in the middle and {found['revocation_ms_p95']}"
        f" ms at the 95th percentile ({found['revocations']} of them, each with six askers at once on the same two"
        " cores), and holds from then on."
    )


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
