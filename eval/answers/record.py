"""Keeps the figures of answers in the repository, and the tables of the page that shows them.

cortex eval answers --half open --out DIR          then    python -m eval.answers.record DIR/answers-open.json
cortex eval answers --half sealed --out DIR        then    python -m eval.answers.record DIR/answers-sealed.json
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "eval" / "reports" / "answers.json"
PAGE = ROOT / "docs" / "reference" / "quality-answers.md"
_TABLES = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)

Figures = Mapping[str, object]


def record(name: str, figures: Figures, *, report: Path = REPORT, page: Path = PAGE) -> None:
    """Replaces that half's figures, and the tables made of all. The curve stays in the report of the run."""
    kept = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    abstention = dict(_mapping(figures["abstention"]))
    abstention.pop("curve", None)
    kept[name] = {**figures, "abstention": abstention, "commit": _commit(), "at": f"{datetime.now(UTC):%Y-%m-%d}"}
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    page.write_text(_TABLES.sub(lambda _: tables(kept), text), encoding="utf-8")


def tables(kept: Mapping[str, Figures]) -> str:
    return "\n".join(_table(name, kept[name]) for name in sorted(kept))


def _table(name: str, figures: Figures) -> str:
    lines = [
        f"### {name}\n",
        f"{figures['questions']} questions, {figures['answerable']} of them answerable; "
        f"commit `{figures.get('commit', '')}`, {figures.get('at', '')}.\n",
        "| measure | mean | 95 % |",
        "|---|---|---|",
    ]
    for measure, value in _mapping(figures["measures"]).items():
        if value is not None:
            lines.append(f"| {measure} | {_interval(value)} |")
    lines.append(f"| leaks | {figures['leaks']} | |")
    abstention = _mapping(figures["abstention"])
    lines += ["\n| abstention by | refused at .95 answered | area | the confidence is better by |", "|---|---|---|---|"]
    at_95 = _mapping(abstention["abstained_at_95"])
    low, high, area = at_95["low"], at_95["high"], abstention["area"]
    lines.append(f"| confidence | {at_95['value']:.2f} ({low:.2f} to {high:.2f}) | {area:.3f} | |")
    for score, found in _mapping(abstention["against"]).items():
        alone = _mapping(found)
        more = _mapping(alone["advantage"])
        better = f"{more['value']:+.3f} ({more['low']:+.3f} to {more['high']:+.3f})"
        lines.append(f"| best passage: {score} | {alone['abstained_at_95']:.2f} | {alone['area']:.3f} | {better} |")
    lines += ["", *_by_language(_mapping(figures["languages"]))]
    return "\n".join(lines) + "\n"


def _by_language(languages: Mapping[str, object]) -> Iterator[str]:
    columns = ("questions", "recall@5", "citation_precision", "completeness", "answered", "abstained_at_95")
    yield "| language | " + " | ".join(columns[:-1]) + " | refused at .95 answered |"
    yield "|---" * (len(columns) + 1) + "|"
    for language, found in languages.items():
        measured = [_mapping(found).get(column) for column in columns]
        yield f"| {language} | " + " | ".join(map(_plain, measured)) + " |"


def _plain(value: object) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _interval(value: object) -> str:
    found = _mapping(value)
    return f"{found['value']:.3f} | {found['low']:.3f} to {found['high']:.3f}"


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _commit() -> str:
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.answers.record", description=__doc__)
    parser.add_argument("report", type=Path, help="answers-HALF.json of a run")
    options = parser.parse_args()
    record(options.report.stem.removeprefix("answers-"), json.loads(options.report.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
