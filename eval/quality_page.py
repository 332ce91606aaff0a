"""The tables of docs/reference/quality.md, made from the report of `eval.quality`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from eval.retrieval.intervals import Interval, paired

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "quality.md"
RANKINGS = {
    "hybrid": "Cortex",
    "lexical": "terms",
    "dense": "dense",
    "rrf": "RRF",
    "dbsf": "DBSF",
    "rrf of the arms' lists": "RRF of documents",
    "bm25s": "bm25s",
}
"""As the report names them, and as the page does."""
FINAL = "hybrid"
POOLED = "all questions"

FIGURES, ENGINES, LANGUAGES = "figures", "engines", "languages"
"""Names of the places on the page that programs fill."""

Headlines = Mapping[str, Mapping[str, Mapping[str, float]]]
"""nDCG@10 by set, ranking and question."""


def headlines(reports: Mapping[str, object]) -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, report in reports.items():
        assert isinstance(report, dict)
        found[name] = report["ndcg@10"]
    return found


def pooled(sets: Headlines) -> dict[str, dict[str, float]]:
    """Every set's questions as one."""
    rankings = next(iter(sets.values())).keys()
    return {
        ranking: {
            f"{name}/{question}": value
            for name, by_ranking in sets.items()
            for question, value in by_ranking[ranking].items()
        }
        for ranking in rankings
    }


def differences(by_ranking: Mapping[str, Mapping[str, float]]) -> dict[str, Interval]:
    """The final ranking minus each other one, question by question."""
    return {name: paired(by_ranking[FINAL], scores) for name, scores in by_ranking.items() if name != FINAL}


def tables(reports: Mapping[str, object]) -> str:
    sets = headlines(reports)
    everything = {**sets, POOLED: pooled(sets)}
    shown = [name for name in RANKINGS if name in everything[POOLED]]
    lines = [*_means(everything, shown), "", *_differences(everything, shown), "", *_figures(reports)]
    return "\n".join(lines) + "\n"


def _means(sets: Headlines, shown: list[str]) -> Iterator[str]:
    yield _row(["nDCG@10", "questions", *(RANKINGS[name] for name in shown)])
    yield _rule(2 + len(shown))
    for name, by_ranking in sets.items():
        values = [sum(scores.values()) / len(scores) for scores in (by_ranking[ranking] for ranking in shown)]
        yield _row([name, str(len(by_ranking[FINAL])), *(f"{value:.3f}" for value in values)])


def _differences(sets: Headlines, shown: list[str]) -> Iterator[str]:
    others = [name for name in shown if name != FINAL]
    yield _row(["Cortex minus", *(RANKINGS[name] for name in others)])
    yield _rule(1 + len(others))
    for name, by_ranking in sets.items():
        found = differences(by_ranking)
        yield _row([name, *(found[other].shown() for other in others)])


def _figures(reports: Mapping[str, object]) -> Iterator[str]:
    columns = ["recall@5", "recall@10", "recall@100", "mrr@10", "documents", "chunks"]
    yield _row(["Cortex", *columns])
    yield _rule(1 + len(columns))
    for name, report in reports.items():
        assert isinstance(report, dict)
        values = [report["figures"][column] for column in columns]
        yield _row(
            [
                name,
                *(f"{value:.3f}" if isinstance(value, float) and value <= 1 else f"{value:,.0f}" for value in values),
            ]
        )


def languages_table(reports: Mapping[str, Mapping[str, object]]) -> str:
    """By set and embedder: the report of `eval.languages`."""
    columns = ["Cortex", "terms", "dense", "bm25s", "Cortex minus bm25s"]
    lines = [_row(["nDCG@10", "embedder", "questions", *columns]), _rule(3 + len(columns))]
    for name in sorted({name for sets in reports.values() for name in sets}):
        for embedder, sets in sorted(reports.items()):
            if name in sets:
                lines.append(_row([name, embedder, *_in_language(sets[name])]))
    return "\n".join(lines) + "\n"


def _in_language(report: object) -> Iterator[str]:
    assert isinstance(report, dict)
    by_ranking = report["ndcg@10"]
    yield f"{len(by_ranking[FINAL]):,}"
    for ranking in (FINAL, "lexical", "dense", "bm25s"):
        scores = by_ranking.get(ranking)
        yield f"{sum(scores.values()) / len(scores):.3f}" if scores else ""
    yield paired(by_ranking[FINAL], by_ranking["bm25s"]).shown()


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(columns: int) -> str:
    return "|" + "---|" * columns


def write(shown: str, page: Path, *, place: str) -> None:
    """Replaces what stands between the marks of that place of the page."""
    between = re.compile(rf"(?<=<!-- {place} -->\n).*?(?=<!-- end of {place} -->)", re.DOTALL)
    text = page.read_text(encoding="utf-8")
    page.write_text(between.sub(lambda _: shown, text), encoding="utf-8")
