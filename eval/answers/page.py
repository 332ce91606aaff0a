"""The report: one HTML file with tables, plots and every question, and nothing from elsewhere."""

from collections.abc import Sequence
from html import escape

from eval.answers import curve, plot
from eval.answers.curve import Interval
from eval.answers.given import Said
from eval.answers.judgement import Judgement
from eval.answers.summary import (
    SINGLE_SCORES,
    Asked,
    abstention,
    answerable,
    confidences,
    measures,
    single,
)

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:left;
vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}details{border-bottom:1px solid #eee;
padding:.35rem 0}summary{cursor:pointer}.bad{color:#a8281c}.good{color:#2d6a2d}.dim{color:#777}svg{max-width:36rem}
"""


def page(title: str, asked: Sequence[Asked], judgement: Judgement | None = None) -> str:
    flags = answerable(asked)
    curves = {"confidence": curve.points(confidences(asked), flags)}
    curves |= {f"best passage: {score}": curve.points(single(asked, score), flags) for score in SINGLE_SCORES}
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1><p>{len(asked)} questions, {sum(flags)} of them answerable for their asker.</p>",
        _measures(asked),
        _kinds(asked),
        "<h2>Abstention</h2>",
        _abstention(asked),
        plot.refusals(curves),
        plot.risks(curves),
        _judge(judgement),
        "<h2>Questions</h2>",
        *(_question(one) for one in asked),
        "</html>",
    ]
    return "\n".join(parts)


def _measures(asked: Sequence[Asked]) -> str:
    rows = []
    for name, found in measures(asked).items():
        value = "-" if found is None else f"{found.value:.3f}"
        between = "" if found is None else f"{found.low:.3f} to {found.high:.3f}"
        rows.append(f"<tr><td>{escape(name)}<td class=n>{value}<td>{between}")
    leaks = sum(len(one.marks.leaks) for one in asked)
    rows.append(f"<tr><td>leaks<td class=n>{leaks}<td>")
    return f"<table><tr><th>measure<th>mean<th>95 %{''.join(rows)}</table>"


def _kinds(asked: Sequence[Asked]) -> str:
    names = ("recall@5", "citation_precision", "citation_recall", "completeness", "answered", "abstained", "right")
    head = "".join(f"<th>{escape(name)}" for name in names)
    rows = []
    for kind in sorted({one.question.kind for one in asked}):
        chosen = [one for one in asked if one.question.kind == kind]
        found = measures(chosen)
        cells = "".join(f"<td class=n>{_cell(found[name])}" for name in names)
        rows.append(f"<tr><td>{escape(kind)}<td class=n>{len(chosen)}{cells}")
    return f"<h2>By kind</h2><table><tr><th>kind<th>questions{head}{''.join(rows)}</table>"


def _cell(found: Interval | None) -> str:
    return "" if found is None else f"{found.value:.2f}"


def _abstention(asked: Sequence[Asked]) -> str:
    found = abstention(asked)
    at_95, against = found["abstained_at_95"], found["against"]
    if not isinstance(at_95, dict) or not isinstance(against, dict):
        return ""
    rows = [
        f"<tr><td>confidence<td class=n>{at_95['value']:.2f}<td>{at_95['low']:.2f} to {at_95['high']:.2f}"
        f"<td class=n>{found['area']:.3f}<td>"
    ]
    for score, values in against.items():
        more = values["advantage"]
        rows.append(
            f"<tr><td>best passage: {escape(score)}<td class=n>{values['abstained_at_95']:.2f}<td>"
            f"<td class=n>{values['area']:.3f}<td>{more['value']:+.3f} ({more['low']:+.3f} to {more['high']:+.3f})"
        )
    head = "<th>score<th>refused at .95 answered<th>95 %<th>area<th>the confidence is better by (95 %)"
    return f"<table><tr>{head}{''.join(rows)}</table>"


def _judge(judgement: Judgement | None) -> str:
    if judgement is None:
        return ""
    rows = "".join(f"<tr><td>{escape(name)}<td>{escape(value)}" for name, value in judgement.rows())
    differing = "".join(
        f"<tr><td>{escape(one.id)}<td>{one.about}<td>{escape(one.text)}<td>{_yes(one.code)}<td>{_yes(one.judge)}"
        for one in judgement.disagreements
    )
    head = "<tr><th>question<th>about<th>sentence or fact<th>code<th>judge"
    return f"<h2>Judged by a language model</h2><table>{rows}</table><table>{head}{differing}</table>"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _sentence(said: Said) -> str:
    documents = ", ".join(citation.document for citation in said.citations)
    return f"<li>{escape(said.text)} <span class=dim>{escape(documents)}</span>"


def _question(one: Asked) -> str:
    marks, given = one.marks, one.given
    state = "good" if marks.right and not marks.leaks else "bad"
    said = "".join(map(_sentence, given.said))
    facts = [f"reason: {given.reason}"] if given.abstained else []
    facts += [f"missing: {', '.join(marks.missing)}"] if marks.missing else []
    facts += [f"leaks: {', '.join(marks.leaks)}"] if marks.leaks else []
    facts += [f"asked as: {given.asked_as}"] if given.asked_as != one.question.question else []
    facts += [f"expected: {', '.join(one.question.sources)}", f"found: {', '.join(given.found)}"]
    facts += [f"confidence: {given.confidence:.3f}"] if given.confidence is not None else []
    lines = "".join(f"<div class=dim>{escape(fact)}</div>" for fact in facts)
    return (
        f"<details><summary class={state}>{escape(one.question.id)} ({escape(one.question.kind)}): "
        f"{escape(one.question.question)}</summary><ol>{said}</ol>{lines}</details>"
    )
