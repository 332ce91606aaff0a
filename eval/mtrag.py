"""Abstention and rewriting on conversations that others wrote: the 507 turns of MTRAG-UN.

    python -m eval.mtrag --data SHARED/data/enterprise/mtrag [--show N]

The passages that the file carries for its turns are put together into one corpus. Each last turn is rewritten from what
was said before it, searched for among all of them, and answered by the extractive composer, in one process with the
services' own code. A turn is answerable (in full or in part), or it is not: unanswerable or underspecified. The
calibration is the shipped one, and one fitted on half of the conversations and judged on the other half.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.domain.answer import Composed
from cortex.domain.calibration import Calibration
from cortex.domain.document import Block, BlockKind
from cortex.domain.query import Found
from eval.answers import curve
from eval.calibrating import Example, fit
from eval.offline import Entry, Models, Searcher, chunked
from services.llm_gateway.extractive.calibrated import SHIPPED
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.settings import ComposerSettings
from services.query_gateway.assemble import assemble
from services.query_gateway.rewriting import Turn, rewrite
from services.query_gateway.settings import AnswerSettings

FILE = Path("mtragun-human") / "generation_tasks" / "reference.jsonl"
MODELS = Path(".cortex") / "models"
ANSWERABLE = frozenset(["ANSWERABLE", "PARTIAL"])
FOUND_AMONG = 5


@dataclass(frozen=True, slots=True)
class Task:
    """`passages` are those that its authors gave as relevant."""

    id: str
    question: str
    history: tuple[Turn, ...]
    label: str
    passages: frozenset[str]

    @property
    def answerable(self) -> bool:
        return self.label in ANSWERABLE

    @property
    def held_out(self) -> bool:
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Tried:
    task: Task
    asked: str
    recall: float | None
    recall_as_typed: float | None
    composed: Composed
    scores: Mapping[str, float]


def read(path: Path) -> tuple[list[Task], dict[str, str]]:
    """The tasks, and the text of every passage that one of them carries."""
    tasks: list[Task] = []
    texts: dict[str, str] = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        texts |= {one["document_id"]: one["text"] for one in row["contexts"]}
        said = [(turn["speaker"], turn["text"]) for turn in row["input"]]
        pairs = zip(said[:-1:2], said[1::2], strict=False)
        tasks.append(
            Task(
                row["task_id"],
                said[-1][1].strip(),
                tuple(Turn(question, answer) for (_, question), (_, answer) in pairs),
                row["answerability"][0],
                frozenset(one["document_id"] for one in row["contexts"]),
            )
        )
    return tasks, texts


def corpus(texts: Mapping[str, str], models: Models) -> Iterator[Entry]:
    for identifier, text in texts.items():
        blocks = [
            Block(n, BlockKind.PARAGRAPH, part.strip()) for n, part in enumerate(filter(str.strip, text.split("\n\n")))
        ]
        yield from chunked(identifier, "", blocks, models)


def tried(tasks: Sequence[Task], entries: Sequence[Entry], models: Models) -> Iterator[Tried]:
    searcher, settings = Searcher(entries, models), AnswerSettings()
    paths = {entry.passage.document_id: entry.path for entry in entries}
    everything = frozenset(entry.path for entry in entries)

    def recall(task: Task, found: Sequence[Found]) -> float | None:
        first = {paths[one.document_id] for one in found[:FOUND_AMONG]}
        return len(first & task.passages) / min(FOUND_AMONG, len(task.passages)) if task.passages else None

    for task in tasks:
        asked = rewrite(task.question, task.history)
        found = searcher.search(asked, everything, settings)
        as_typed = found if asked == task.question else searcher.search(task.question, everything, settings)
        passages = assemble(found, characters_max=settings.context_characters)
        composed = compose(asked, passages, ComposerSettings(), SHIPPED)
        scores = found[0].best.scores if found else {}
        yield Tried(task, asked, recall(task, found), recall(task, as_typed), composed, scores)


def examples(found: Sequence[Tried]) -> list[Example]:
    return [Example(one.composed.evidence, one.task.answerable) for one in found]


def report(found: Sequence[Tried], calibrations: Mapping[str, Calibration]) -> Table:
    """On the held-out half: areas, and what is refused at .95 answered, with intervals."""
    held = [one for one in found if one.task.held_out]
    flags = [one.task.answerable for one in held]
    shown = Table("score", "area", "refused at .95 answered", "answered at its threshold", "refused at its threshold")
    rows: dict[str, tuple[list[float], float | None]] = {
        name: ([one.confidence(each.composed.evidence) for each in held], one.threshold)
        for name, one in calibrations.items()
    }
    rows |= {f"best passage: {name}": ([one.scores.get(name, 0.0) for one in held], None) for name in ("dense", "bm25")}
    for name, (values, threshold) in rows.items():
        refused = curve.refused_interval(values, flags)
        cells = [
            name,
            f"{curve.area(values, flags):.3f}",
            f"{refused.value:.2f} ({refused.low:.2f}-{refused.high:.2f})",
        ]
        if threshold is not None:
            answered = [value >= threshold for value in values]
            cells.append(f"{_share(answered, flags):.2f}")
            cells.append(f"{1 - _share(answered, [not flag for flag in flags]):.2f}")
        shown.add_row(*cells)
    return shown


def _share(values: Sequence[bool], where: Sequence[bool]) -> float:
    chosen = [value for value, wanted in zip(values, where, strict=True) if wanted]
    return sum(chosen) / len(chosen) if chosen else 0.0


def recalls(found: Sequence[Tried]) -> Table:
    shown = Table("turns", "count", "recall@5 as typed", "recall@5 rewritten")
    groups: dict[str, Callable[[Tried], bool]] = {
        "all with passages": lambda one: True,
        "rewritten": lambda one: one.asked != one.task.question,
    }
    for name, belongs in groups.items():
        chosen = [one for one in found if one.recall is not None and belongs(one)]
        typed = curve.mean([one.recall_as_typed or 0.0 for one in chosen])
        mended = curve.mean([one.recall or 0.0 for one in chosen])
        if typed and mended:
            shown.add_row(name, str(len(chosen)), f"{typed.value:.3f}", f"{mended.value:.3f}")
    return shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.mtrag", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help=f"folder that holds {FILE}")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N turns with what became of them")
    options = parser.parse_args()
    console = Console(highlight=False)
    tasks, texts = read(options.data / FILE)
    models = Models(options.models)
    entries = list(corpus(texts, models))
    console.print(f"{len(tasks)} turns, {len(texts)} passages")
    found = list(tried(tasks, entries, models))
    fitted = fit(examples([one for one in found if not one.task.held_out]))
    console.print(report(found, {"shipped": SHIPPED, "fitted on the other half": fitted}))
    console.print(recalls(found))
    for one in found[: options.show]:
        console.print(f"[{one.task.label}] {one.task.question} => {one.asked}", markup=False)
        console.print("   " + " ".join(sentence.text for sentence in one.composed.sentences), markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
