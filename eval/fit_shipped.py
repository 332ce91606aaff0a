"""Fits what a tenant starts with: the calibration in `services/llm_gateway/extractive/calibrated.py`.

    python -m eval.fit_shipped --models DIR [--held-out]

Over the demo's questions and those of the golden set that are not sealed, without a server. Each question that can be
answered is asked once more with everything taken away that answers it: such near misses count half.

`--held-out` asks instead what each measure is worth on questions that were not fitted to: a tenth is left out in turn,
each question together with its near miss.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from cortex.domain.calibration import Calibration
from cortex.domain.query import Found
from eval.answers import curve
from eval.calibrating import COVERAGE, FEATURES, Example, fit
from eval.golden_questions import GOLDEN, read
from eval.offline import Entry, Models, Searcher, entries
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.settings import ComposerSettings
from services.query_gateway.assemble import assemble
from services.query_gateway.rewriting import Turn, rewrite
from services.query_gateway.settings import AnswerSettings
from tests.demo.oracle import load_oracle
from tests.demo.questions import load_questions

WORKED_WITH = ("open", "second", "third")
NEAR_MISS_WEIGHT = 0.5
ANSWERED = 0.87
"""Of the questions that can be answered: at 0.95, two fifths of the others were answered as well."""
FOLDS, ORDERS = 10, 3
TELLING_CHARACTERS = 4
"""A fact in fewer characters, such as a number, stands in too many passages to tell what answers."""


@dataclass(frozen=True, slots=True)
class Asked:
    set: str
    text: str
    asker: str
    facts: tuple[str, ...]
    sources: frozenset[str]

    @property
    def answerable(self) -> bool:
        return bool(self.sources)


@dataclass(frozen=True, slots=True)
class Measured:
    asked: Asked
    near_miss: bool
    example: Example


def questions(demo: Path) -> Iterator[Asked]:
    for golden in (question for part in WORKED_WITH for question in read(GOLDEN / f"{part}.jsonl")):
        history = [Turn(turn.question, turn.answer) for turn in golden.history]
        text = rewrite(golden.question, history) if history else golden.question
        facts = tuple(alternative for fact in golden.key_facts for alternative in fact)
        sources = frozenset() if golden.must_abstain else frozenset(golden.sources)
        yield Asked("golden", text, golden.asker, facts, sources)
    for own in load_questions(demo):
        yield Asked("demo", own.question, own.asker, own.answer_contains, frozenset(own.expect))


def answering(asked: Asked, corpus: Sequence[Entry]) -> frozenset[str]:
    """Paths of the documents that answer: the sources, and whatever else states a fact of the answer."""
    facts = [fact.casefold() for fact in asked.facts if len(fact) >= TELLING_CHARACTERS]
    stating = {entry.path for entry in corpus if any(fact in entry.passage.text.casefold() for fact in facts)}
    return asked.sources | stating


def measure(demo: Path, models: Models) -> Iterator[Measured]:
    corpus = list(entries(demo, models))
    oracle, searcher, answer = load_oracle(demo), Searcher(corpus, models), AnswerSettings()
    for asked in questions(demo):
        visible = oracle.visible_documents(asked.asker)
        found = searcher.search(asked.text, visible, answer)
        yield Measured(asked, False, Example(_evidence(asked, found, answer), asked.answerable))
        if asked.answerable:
            found = searcher.search(asked.text, visible - answering(asked, corpus), answer)
            yield Measured(asked, True, Example(_evidence(asked, found, answer), False, NEAR_MISS_WEIGHT))


def _evidence(asked: Asked, found: Sequence[Found], answer: AnswerSettings) -> dict[str, float]:
    passages = assemble(found, characters_max=answer.context_characters)
    return dict(compose(asked.text, passages, ComposerSettings()).evidence)


def report(measured: Sequence[Measured], calibration: Calibration) -> Table:
    """At the threshold fitted, and how much each set refuses where `COVERAGE` of its own are answered."""
    columns = ("set", "answered", "refused", f"refused at {COVERAGE:.0%} answered", "near misses refused")
    table = Table(*columns)
    for name in ("golden", "demo"):
        of_set = [one for one in measured if one.asked.set == name]
        asked = [one for one in of_set if not one.near_miss]
        scores = [_confidence(one, calibration) for one in asked]
        flags = [one.example.answerable for one in asked]
        said = [calibration.answers(score) for score in scores]
        missed = [not calibration.answers(_confidence(one, calibration)) for one in of_set if one.near_miss]
        table.add_row(
            name,
            _share([one for one, flag in zip(said, flags, strict=True) if flag]),
            _share([not one for one, flag in zip(said, flags, strict=True) if not flag]),
            f"{curve.abstained_at(scores, flags):.3f}",
            _share(missed),
        )
    return table


def worth(measured: Sequence[Measured]) -> Table:
    """Of the golden questions, held out: by the measures that are fitted, without each of them, and with each other."""
    table = Table("measures", "area", f"refused at {COVERAGE:.0%} answered")
    further = sorted({name for one in measured for name in one.example.features} - set(FEATURES))
    without = [(f"- {name}", [other for other in FEATURES if other != name]) for name in FEATURES]
    for label, names in [("as fitted", FEATURES), *without, *((f"+ {name}", [*FEATURES, name]) for name in further)]:
        areas, refused = zip(*(_held_out(measured, names, seed) for seed in range(ORDERS)), strict=True)
        table.add_row(label, f"{fmean(areas):.3f}", f"{fmean(refused):.3f}")
    return table


def _held_out(measured: Sequence[Measured], names: Sequence[str], seed: int) -> tuple[float, float]:
    texts = sorted({one.asked.text for one in measured})
    random.Random(seed).shuffle(texts)
    scores, flags = [], []
    for fold in range(FOLDS):
        left_out = set(texts[fold::FOLDS])
        calibration = fit([one.example for one in measured if one.asked.text not in left_out], features=names)
        for one in measured:
            if one.asked.text in left_out and one.asked.set == "golden" and not one.near_miss:
                scores.append(_confidence(one, calibration))
                flags.append(one.example.answerable)
    return curve.area(scores, flags), curve.abstained_at(scores, flags)


def _confidence(one: Measured, calibration: Calibration) -> float:
    return calibration.confidence(one.example.features) if one.example.features else 0.0


def _share(flags: Sequence[bool]) -> str:
    return f"{sum(flags) / len(flags):.3f} of {len(flags)}" if flags else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, default=Path("demo"))
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    measured = list(measure(options.demo, Models(options.models)))
    if options.held_out:
        Console().print(worth(measured))
        return
    calibration = fit([one.example for one in measured], coverage=ANSWERED)
    console = Console()
    console.print(calibration)
    console.print(report(measured, calibration))


if __name__ == "__main__":
    main()
