"""A page about a run: one file that needs nothing else, with plots as SVG."""

from collections.abc import Iterator, Sequence
from html import escape

from eval.retrieval.evaluate import Outcome
from eval.retrieval.intervals import paired
from eval.retrieval.measures import HEADLINE, MEASURES, means
from eval.retrieval.plots import bars, histogram

QUESTIONS_SHOWN = 25
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --faint: #8896a4; --mark: #2f6fab; --paper: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --faint: #7d8b99; --mark: #6fb0ea; --paper: #14191e } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } td, th { padding: .2rem .8rem .2rem 0; text-align: left }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } svg { max-width: 100%; height: auto }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif } svg .faint { stroke: var(--faint); fill: none }
svg .mark { fill: var(--mark) } svg .whisker { stroke: var(--ink); stroke-width: 1.5 }
"""


def page(outcomes: Sequence[Outcome]) -> str:
    parts = ["<!doctype html>", '<html lang="en"><meta charset="utf-8"><title>Retrieval</title>']
    parts += [f"<style>{_STYLE}</style>", "<h1>Retrieval</h1>", _table(outcomes)]
    intervals = [(_name(outcome), outcome.interval()) for outcome in outcomes]
    parts += [f"<h2>{HEADLINE}, with 95 % intervals over questions</h2>", bars(intervals)]
    parts += _differences(outcomes)
    for outcome in outcomes:
        parts += _one(outcome)
    return "\n".join(parts) + "\n"


def _name(outcome: Outcome) -> str:
    return f"{outcome.retrieval.name}, {outcome.mode}"


def _table(outcomes: Sequence[Outcome]) -> str:
    columns = [*MEASURES, "docs/s", "p50 ms", "p95 ms", "questions"]
    rows = []
    for outcome in outcomes:
        values = [f"{value:.3f}" for value in means(outcome.scores).values()]
        speeds = (outcome.ingested.documents_per_s, outcome.percentile_ms(50), outcome.percentile_ms(95))
        values += [*(f"{value:.0f}" for value in speeds), str(len(outcome.scores))]
        rows.append((_name(outcome), values))
    return _rows(["set and mode", *columns], rows)


def _rows(head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    first, *others = head
    lines = ["<table><tr>", f"<th>{escape(first)}</th>"]
    lines += [f'<th class="number">{escape(name)}</th>' for name in others]
    for name, values in rows:
        numbers = "".join(f'<td class="number">{escape(value)}</td>' for value in values)
        lines.append(f"</tr><tr><td>{escape(name)}</td>{numbers}")
    return "".join([*lines, "</tr></table>"])


def _differences(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Each mode against the first of the same set, question by question."""
    rows = []
    for outcome in outcomes:
        base = next(one for one in outcomes if one.retrieval.name == outcome.retrieval.name)
        if base is not outcome:
            interval = paired(_headline(base), _headline(outcome))
            rows.append((f"{_name(base)} minus {outcome.mode}", interval))
    if rows:
        yield "<h2>Differences, question by question</h2>"
        yield bars(rows)


def _headline(outcome: Outcome) -> dict[str, float]:
    return {question: one[HEADLINE] for question, one in outcome.scores.items()}


def _one(outcome: Outcome) -> Iterator[str]:
    yield f"<h2>{escape(_name(outcome))}</h2>"
    yield f"<p>{HEADLINE} by question</p>"
    yield histogram(list(_headline(outcome).values()), low=0.0, high=1.0)
    yield "<p>Milliseconds a question, over HTTP</p>"
    yield histogram(outcome.asked.spent_ms, low=0.0, high=max(outcome.asked.spent_ms, default=1.0))
    worst = sorted(outcome.scores.items(), key=lambda item: (item[1][HEADLINE], item[0]))[:QUESTIONS_SHOWN]
    yield f"<p>The {len(worst)} questions that went worst</p>"
    rows = [
        (
            outcome.retrieval.questions[question][:160],
            [f"{one[HEADLINE]:.3f}", f"{one['recall@100']:.3f}", ", ".join(outcome.asked.rankings[question][:3])],
        )
        for question, one in worst
    ]
    yield _rows(["question", HEADLINE, "recall@100", "first found"], rows)
