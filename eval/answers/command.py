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
from eval.answers.marking import mark
from eval.answers.page import page
from eval.answers.summary import Asked, answerable, confidences, measures, summary
from eval.golden_questions import GOLDEN, GoldenQuestion, read
from eval.local_platform import started

PORT = 18082


@dataclass(frozen=True, slots=True)
class Request:
    """`questions` names another file than the half of the golden set; `out` is the data folder's `eval` by default."""

    data: Path
    half: str = "open"
    questions: Path | None = None
    out: Path | None = None
    port: int = PORT

    @property
    def path(self) -> Path:
        return self.questions or GOLDEN / f"{self.half}.jsonl"


def run(request: Request, *, environment: Mapping[str, str], console: Console) -> dict[str, object]:
    """Asks the demo platform that runs on the data folder, or one of its own that is thrown away."""
    try:
        questions = read(request.path)
    except OSError as error:
        raise NotFound(f"{request.path}: {error.strerror}") from error
    if not questions:
        raise Invalid(f"{request.path}: there is no question in it")
    if runs(request.data):
        found = asked(questions, request.data, console)
    else:
        found = asyncio.run(asked_of_own(questions, request.port, environment, console))
    figures = summary(found)
    folder, name = request.out or request.data / "eval", f"answers-{request.path.stem}"
    keep(folder, name, found, figures)
    show(console, found)
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


def keep(folder: Path, name: str, found: Sequence[Asked], figures: Mapping[str, object]) -> None:
    """The figures, every question with its answer and marks, the report and its plot."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in found]
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.html").write_text(page(f"Answers: {name}", found), encoding="utf-8")
    curves = {"confidence": points(confidences(found), answerable(found))}
    (folder / f"{name}.svg").write_text(plot.refusals(curves), encoding="utf-8")


def show(console: Console, found: Sequence[Asked]) -> None:
    shown = Table("measure", "mean", "95 %")
    for name, interval in measures(found).items():
        if interval is not None:
            shown.add_row(name, f"{interval.value:.3f}", f"{interval.low:.3f} to {interval.high:.3f}")
    shown.add_row("leaks", str(sum(len(one.marks.leaks) for one in found)), "")
    console.print(shown)
