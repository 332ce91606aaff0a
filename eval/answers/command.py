"""The whole run: a platform, the questions, the marks, and what is kept of them."""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.cli.demo.company import load
from cortex.cli.demo.loading import load_company
from cortex.cli.gateway import TENANT
from cortex.cli.source import progress
from cortex.domain.credential import Role
from cortex.domain.errors import Invalid, NotFound
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.report import report
from eval.answers import plot
from eval.answers.asking import ask_all
from eval.answers.curve import points
from eval.answers.judge import judged_by
from eval.answers.judgement import Judgement
from eval.answers.marking import mark
from eval.answers.page import page
from eval.answers.summary import Asked, answerable, confidences, measures, summary
from eval.engines import named
from eval.golden_questions import GOLDEN, GoldenQuestion, counted
from eval.local_platform import started

PORT = 18082


@dataclass(frozen=True, slots=True)
class Request:
    """`questions` names another file than the half of the golden set; `out` is the data folder's `eval` by default.

    `judge` is an engine in CORTEX_ENGINES_FILE; without it no model is asked to judge.
    """

    data: Path
    half: str = "open"
    questions: Path | None = None
    out: Path | None = None
    port: int = PORT
    judge: str | None = None
    tenant: str = TENANT

    @property
    def path(self) -> Path:
        return self.questions or GOLDEN / f"{self.half}.jsonl"


def run(request: Request, *, environment: Mapping[str, str], console: Console) -> dict[str, object]:
    """Asks the demo platform that runs on the data folder, or one of its own that is thrown away."""
    judge = named(environment, request.judge) if request.judge else None
    counts = counted(request.path)
    if counts.left_out:
        console.print(counts.said)
    if not counts.questions:
        raise Invalid("; ".join(filter(None, (f"{request.path}: no question in it counts", counts.said))))
    if runs(request.data):
        found = asked(counts.questions, request.data, console, request.tenant)
    else:
        found = asyncio.run(asked_of_own(counts.questions, request.port, environment, console))
    judgement = asyncio.run(judged_by(judge, found)) if judge else None
    figures = summary(found) | {"left_out": counts.left_out}
    if judgement is not None:
        figures |= {"judge": judgement.figures()}
    folder, name = request.out or request.data / "eval", f"answers-{request.path.stem}"
    keep(folder, name, found, figures, judgement)
    show(console, found)
    if judgement is not None:
        show_judge(console, judgement)
    console.print(f"report: {folder / name}.html")
    return figures


def runs(data: Path) -> bool:
    try:
        return report(DataFolder(data.expanduser().absolute())).url is not None
    except NotFound:
        return False


async def asked_of_own(
    questions: Sequence[GoldenQuestion], port: int, environment: Mapping[str, str], console: Console
) -> list[Asked]:
    with tempfile.TemporaryDirectory(prefix="cortex-eval-") as scratch:
        data = Path(scratch) / "data"
        console.print("no platform runs there: starting one, and loading the demo company")
        async with started(data, port=port, environment=environment) as platform:
            with platform.gateway(role=Role.ADMIN) as gateway, progress(console) as bar:
                await asyncio.to_thread(load_company, gateway, load(), bar=bar)
            return await asyncio.to_thread(asked, questions, data, console)


def asked(questions: Sequence[GoldenQuestion], data: Path, console: Console, tenant: str = TENANT) -> list[Asked]:
    found = []
    with progress(console) as bar:
        task = bar.add_task("questions", total=len(questions))
        for question, given in zip(questions, ask_all(questions, data=data, tenant=tenant), strict=True):
            found.append(Asked(question, given, mark(question, given)))
            bar.advance(task)
    return found


def keep(
    folder: Path,
    name: str,
    found: Sequence[Asked],
    figures: Mapping[str, object],
    judgement: Judgement | None = None,
) -> None:
    """The figures, every question with its answer and marks, the report and its plot."""
    folder.mkdir(parents=True, exist_ok=True)
    judged = judgement.by_id() if judgement else {}
    lines = [json.dumps(asdict(one) | judged.get(one.question.id, {}), ensure_ascii=False) for one in found]
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.html").write_text(page(f"Answers: {name}", found, judgement), encoding="utf-8")
    curves = {"confidence": points(confidences(found), answerable(found))}
    (folder / f"{name}.svg").write_text(plot.refusals(curves), encoding="utf-8")


def show(console: Console, found: Sequence[Asked]) -> None:
    shown = Table("measure", "mean", "95 %")
    for name, interval in measures(found).items():
        if interval is not None:
            shown.add_row(name, f"{interval.value:.3f}", f"{interval.low:.3f} to {interval.high:.3f}")
    shown.add_row("leaks", str(sum(len(one.marks.leaks) for one in found)), "")
    console.print(shown)


def show_judge(console: Console, judgement: Judgement) -> None:
    """Beside the marks, and never instead of them."""
    shown = Table("judge", "value")
    for name, value in judgement.rows():
        shown.add_row(name, value)
    console.print(shown)
