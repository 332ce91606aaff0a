"""A tenant's calibration, fitted to questions of its own of which it is known whether they can be answered."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from cortex.cli.gateway import TENANT, Gateway
from cortex.domain.calibration import Calibration
from cortex.domain.credential import Role
from cortex.domain.errors import Invalid
from eval.answers import curve
from eval.answers.command import asked
from eval.answers.summary import Asked
from eval.calibrating import COVERAGE, Example, fit
from eval.golden_questions import counted

ROUTE = "/admin/v1/generation/calibration"
QUESTIONS_MIN = 20


@dataclass(frozen=True, slots=True)
class Request:
    """`coverage` of the answerable questions are to be answered. `keep`: the tenant gets the result."""

    data: Path
    questions: Path
    coverage: float = COVERAGE
    keep: bool = True
    tenant: str = TENANT


def run(request: Request, *, console: Console) -> dict[str, object]:
    found = counted(request.questions)
    questions = found.questions
    if found.left_out:
        console.print(found.said)
    if len(questions) < QUESTIONS_MIN:
        there = "; ".join(filter(None, (f"{len(questions)} are there", found.said)))
        raise Invalid(f"{request.questions}: {QUESTIONS_MIN} questions at least, and {there}")
    answers = asked(questions, request.data, console, request.tenant)
    calibration = fit(examples(answers), coverage=request.coverage)
    if request.keep:
        with Gateway.at(request.data, role=Role.ADMIN, tenant=request.tenant) as gateway:
            gateway.put(ROUTE, asdict(calibration))
    return report(answers, calibration) | {"kept": request.keep, "left_out": found.left_out}


def examples(found: Sequence[Asked]) -> list[Example]:
    return [Example(one.given.evidence, one.marks.answerable) for one in found]


def report(found: Sequence[Asked], calibration: Calibration) -> dict[str, object]:
    """How the fit does on what it was fitted to: the least that it must do, and no promise."""
    values = [calibration.confidence(one.given.evidence) if one.given.evidence else 0.0 for one in found]
    flags = [one.marks.answerable for one in found]
    return {
        "questions": len(found),
        "answerable": sum(flags),
        "calibration": asdict(calibration),
        "area": curve.area(values, flags),
        "answered": _share([value >= calibration.threshold for value in values], flags),
        "refused": _share([value < calibration.threshold for value in values], [not flag for flag in flags]),
    }


def _share(values: Sequence[bool], where: Sequence[bool]) -> float:
    chosen = [value for value, wanted in zip(values, where, strict=True) if wanted]
    return sum(chosen) / len(chosen) if chosen else 0.0
