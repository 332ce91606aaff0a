"""All marks added up, with intervals: retrieval, answers and abstention apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from eval.answers import curve
from eval.answers.curve import Interval
from eval.answers.given import Given
from eval.answers.marking import Marks
from eval.golden_questions import GoldenQuestion

SINGLE_SCORES = ("dense", "maxsim")
"""Scores of the best passage that a simple threshold might use instead."""

_MEASURES: Mapping[str, Callable[[Marks], float | None]] = {
    "recall@5": lambda marks: marks.recall,
    "citation_precision": lambda marks: marks.citation_precision,
    "citation_precision_named": lambda marks: marks.citation_precision_named,
    "citation_recall": lambda marks: marks.citation_recall,
    "faithfulness": lambda marks: marks.faithful,
    "completeness": lambda marks: marks.complete,
    "answered": lambda marks: float(marks.answered) if marks.answerable else None,
    "abstained": lambda marks: None if marks.answerable else float(not marks.answered),
    "right": lambda marks: float(marks.right),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with what came of it."""

    question: GoldenQuestion
    given: Given
    marks: Marks


def measures(asked: Sequence[Asked]) -> dict[str, Interval | None]:
    """Means over the questions to which each measure applies."""
    return {name: curve.mean(_values(asked, measure)) for name, measure in _MEASURES.items()}


def _values(asked: Sequence[Asked], measure: Callable[[Marks], float | None]) -> list[float]:
    return [value for one in asked if (value := measure(one.marks)) is not None]


def confidences(asked: Sequence[Asked]) -> list[float]:
    """A platform that says nothing of its confidence is sure of what it answers."""
    return [one.given.confidence if one.given.confidence is not None else float(one.marks.answered) for one in asked]


def answerable(asked: Sequence[Asked]) -> list[bool]:
    return [one.marks.answerable for one in asked]


def single(asked: Sequence[Asked], score: str) -> list[float]:
    return [one.given.scores.get(score, 0.0) for one in asked]


def abstention(asked: Sequence[Asked]) -> dict[str, object]:
    """The confidence against the truth, and against each score of the best passage by itself."""
    flags, values = answerable(asked), confidences(asked)
    against = {}
    for score in SINGLE_SCORES:
        alone = single(asked, score)
        against[score] = {
            "abstained_at_95": curve.abstained_at(alone, flags),
            "area": curve.area(alone, flags),
            "advantage": asdict(curve.advantage(values, alone, flags)),
        }
    return {
        "abstained_at_95": asdict(curve.refused_interval(values, flags)),
        "area": curve.area(values, flags),
        "threshold_at_95": curve.threshold_at(values, flags),
        "against": against,
        "curve": [asdict(point) for point in curve.points(values, flags)],
    }


def summary(asked: Sequence[Asked]) -> dict[str, object]:
    """Everything that `--json` prints, but for the single questions."""
    kinds = sorted({one.question.kind for one in asked})
    languages = sorted({one.question.language for one in asked})
    return {
        "questions": len(asked),
        "answerable": sum(answerable(asked)),
        "measures": _plain(measures(asked)),
        "leaks": sum(len(one.marks.leaks) for one in asked),
        "abstention": abstention(asked),
        "kinds": {kind: _group([one for one in asked if one.question.kind == kind]) for kind in kinds},
        "languages": {name: _group([one for one in asked if one.question.language == name]) for name in languages},
        "answer_ms_p50": _median([one.given.took_ms for one in asked]),
        "generate_ms_p50": _median([one.given.generate_ms for one in asked]),
    }


def _group(chosen: Sequence[Asked]) -> dict[str, object]:
    means = {name: None if found is None else found.value for name, found in measures(chosen).items()}
    flags = answerable(chosen)
    refused = curve.abstained_at(confidences(chosen), flags) if len(set(flags)) > 1 else None
    return {"questions": len(chosen), **means, "abstained_at_95": refused}


def _plain(found: Mapping[str, Interval | None]) -> dict[str, object]:
    return {name: None if interval is None else asdict(interval) for name, interval in found.items()}


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return round(ordered[len(ordered) // 2], 1) if ordered else 0.0
