"""What a language model made of the answers, and how far it agrees with the marks of code."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from eval.answers import curve
from eval.answers.curve import Interval

Verdicts = tuple[bool | None, ...]
"""One an item; None where the two readings differ, or the judge gave none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer: `sentences` that its passages support, `facts` that it states, by the judge and by code."""

    id: str
    texts: tuple[str, ...]
    sentences: Verdicts
    sentences_by_code: tuple[bool, ...]
    names: tuple[str, ...]
    facts: Verdicts
    facts_by_code: tuple[bool, ...]
    failed: str = ""
    tokens: int = 0

    @property
    def faithful(self) -> float | None:
        return _share(self.sentences)

    @property
    def complete(self) -> float | None:
        return _share(self.facts)


@dataclass(frozen=True, slots=True)
class Agreement:
    """`kappa` is Cohen's: 0 is what chance gives, 1 is all; None where both say the same of everything."""

    items: int
    share: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    id: str
    about: str
    text: str
    code: bool
    judge: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    engine: str
    model: str
    answers: tuple[Judged, ...]

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        found = []
        for one in self.answers:
            for about, texts, judge, code in _parts(one):
                found += [
                    Disagreement(one.id, about, text, by_code, by_judge)
                    for text, by_judge, by_code in zip(texts, judge, code, strict=True)
                    if by_judge is not None and by_judge != by_code
                ]
        return tuple(found)

    def agreement(self, about: str) -> Agreement:
        judge: list[bool] = []
        code: list[bool] = []
        for one in self.answers:
            for name, _, by_judge, by_code in _parts(one):
                decided = [
                    pair for pair in zip(by_judge, by_code, strict=True) if name == about and pair[0] is not None
                ]
                judge += [bool(pair[0]) for pair in decided]
                code += [pair[1] for pair in decided]
        return agreement(judge, code)

    def means(self) -> dict[str, Interval | None]:
        return {
            "faithfulness": curve.mean([one.faithful for one in self.answers if one.faithful is not None]),
            "completeness": curve.mean([one.complete for one in self.answers if one.complete is not None]),
        }

    def figures(self) -> dict[str, object]:
        verdicts = [verdict for one in self.answers for verdict in (*one.sentences, *one.facts)]
        return {
            "engine": self.engine,
            "model": self.model,
            "answers": len(self.answers),
            "failed": sum(bool(one.failed) for one in self.answers),
            "items": len(verdicts),
            "undecided": verdicts.count(None),
            **{name: None if mean is None else asdict(mean) for name, mean in self.means().items()},
            "agreement": {name: asdict(self.agreement(name)) for name in ("faithfulness", "completeness")},
            "disagreements": len(self.disagreements),
            "tokens": sum(one.tokens for one in self.answers),
        }

    def rows(self) -> list[tuple[str, str]]:
        """For people: names and values."""
        figures = self.figures()
        rows = [(name, str(figures[name])) for name in ("engine", "model", "answers", "failed", "items", "undecided")]
        for name, mean in self.means().items():
            agreed = self.agreement(name)
            rows.append((name, "-" if mean is None else f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"))
            rows.append((f"{name}: agrees with code", f"{_number(agreed.share)} of {agreed.items}"))
            rows.append((f"{name}: Cohen's kappa", _number(agreed.kappa)))
        return [*rows, ("disagreements", str(figures["disagreements"])), ("tokens", str(figures["tokens"]))]

    def by_id(self) -> dict[str, dict[str, object]]:
        return {one.id: {"judged": asdict(one)} for one in self.answers}


def agreement(one: Sequence[bool], other: Sequence[bool]) -> Agreement:
    """Cohen (1960): the share of agreement beyond that of two who judge by chance with these means."""
    first, second = np.asarray(one, dtype=bool), np.asarray(other, dtype=bool)
    if not len(first):
        return Agreement(0, None, None)
    observed = float((first == second).mean())
    yes, no = first.mean() * second.mean(), (1 - first.mean()) * (1 - second.mean())
    expected = float(yes + no)
    kappa = None if expected >= 1 else (observed - expected) / (1 - expected)
    return Agreement(len(first), observed, kappa)


def _parts(one: Judged) -> list[tuple[str, tuple[str, ...], Verdicts, tuple[bool, ...]]]:
    return [
        ("faithfulness", one.texts, one.sentences, one.sentences_by_code),
        ("completeness", one.names, one.facts, one.facts_by_code),
    ]


def _share(verdicts: Verdicts) -> float | None:
    decided = [verdict for verdict in verdicts if verdict is not None]
    return sum(decided) / len(decided) if decided else None


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
