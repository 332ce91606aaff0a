"""Whether what was chosen answers the question, or merely speaks of something like it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cortex.domain.answer import Passage
from cortex.domain.calibration import Calibration
from cortex.domain.identity import DocumentId
from cortex.domain.words import stem
from services.llm_gateway.extractive.held import Held
from services.llm_gateway.extractive.question import Kind, Question
from services.llm_gateway.extractive.scoring import Scored, Scorer
from services.llm_gateway.extractive.settings import ComposerSettings

NOTHING_FOUND = "nothing_found"
"""No passage came back that this asker may open."""

NO_QUESTION = "no_question"
"""No word of the question tells what is asked for."""

NO_SUPPORT = "no_support"
"""Passages came back, and none of them answers."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`given` is what may be said; empty is silence, for `reason`. `features` are those of the best document."""

    given: tuple[Scored, ...]
    confidence: float
    features: Mapping[str, float]
    reason: str | None = None


def judge(
    question: Question,
    passages: Sequence[Passage],
    chosen: Sequence[Scored],
    scorer: Scorer,
    settings: ComposerSettings,
    calibration: Calibration,
) -> Verdict:
    """Nothing else decides between an answer and silence.

    One document must hold enough by itself: words of a question that lie scattered over several prove nothing.
    """
    if not passages:
        return Verdict((), 0.0, {}, NOTHING_FOUND)
    if not question.terms:
        return Verdict((), 0.0, {}, NO_QUESTION)
    if not chosen:
        return Verdict((), 0.0, {}, NO_SUPPORT)
    documents: dict[DocumentId, list[Scored]] = {}
    for one in chosen:
        documents.setdefault(one.unit.passage.document_id, []).append(one)
    measured = {document: features(question, passages, units, scorer) for document, units in documents.items()}
    confident = {
        document: calibration.confidence(values) if _holds_codes(question, documents[document], scorer) else 0.0
        for document, values in measured.items()
    }
    best = max(confident, key=lambda document: confident[document])
    if not calibration.answers(confident[best]):
        return Verdict((), confident[best], measured[best], NO_SUPPORT)
    # The other side of a comparison holds but its own part of the question.
    share = 0.0 if Kind.COMPARE in question.kinds else settings.other_document_share
    least = share * confident[best]
    given = tuple(one for one in chosen if confident[one.unit.passage.document_id] >= least)
    return Verdict(given, confident[best], measured[best])


def features(
    question: Question, passages: Sequence[Passage], units: Sequence[Scored], scorer: Scorer
) -> dict[str, float]:
    """What speaks for the sentences of one document, each about from 0 to 1; `cross` as its model scores."""
    around = [max(counts) for counts in zip(*(one.around for one in units), strict=True)]
    own = [max(counts) for counts in zip(*(one.own for one in units), strict=True)]
    mine = {one.unit.passage.chunk_id: one.unit.passage for one in units}.values()
    held = [scorer.words_of(one) for one in mine]
    document = units[0].unit.passage.document_id
    dense = max(_score(one, "dense") for one in mine)
    others = [one for one in passages if one.document_id != document]
    standing = max(one.score for one in mine)
    return {
        "coverage": scorer.coverage(around),
        "said": scorer.coverage(own),
        "best": max(scorer.coverage(one.own) for one in units),
        "missing": scorer.heaviest_missing(around),
        "dense": dense,
        "known": float(dense > 0),
        "maxsim": max(_score(one, "maxsim") for one in mine),
        # Of one passage of the document, if any; below 0 where it reads badly, which no 0 of another may hide.
        "cross": max((one.scores["cross"] for one in passages if _is_read(one, document)), default=0.0),
        "margin": dense - (sum(_score(one, "dense") for one in others) / len(others) if others else 0.0),
        "standing": standing / 10,
        "lead": (standing - max((one.score for one in others), default=0.0)) / 10,
        "held": max(map(scorer.passage_coverage, mine)),
        "first": float(document == passages[0].document_id),
        "fitting": max(one.fitting for one in units),
        "names": _names(question, held),
        "elsewhere": _elsewhere(question, held, [scorer.words_of(one) for one in others]),
        "numbers": _matched(_NUMBER, question, units),
        "years": _matched(_YEAR, question, units),
        "length": min(1.0, len(question.terms) / 10),
    }


def _is_read(passage: Passage, document: DocumentId) -> bool:
    return passage.document_id == document and "cross" in passage.scores


def _score(passage: Passage, name: str) -> float:
    return passage.scores.get(name, 0.0)


def _names(question: Question, held: Sequence[Held]) -> float:
    """The share of the question's names that the document's passages hold; 1 where it names nothing."""
    names = question.names()
    if not names:
        return 1.0
    forms = [{stem(name, "en"), stem(name, "de")} for name in names]
    return sum(any(one.count(form) for one in held for form in both) for both in forms) / len(forms)


def _elsewhere(question: Question, held: Sequence[Held], others: Sequence[Held]) -> float:
    """The share of the question's names that this document lacks and another one has: then it is about that one."""
    forms = [{stem(name, "en"), stem(name, "de")} for name in question.names()]
    missing = [both for both in forms if not any(one.count(form) for one in held for form in both)]
    return sum(any(one.count(form) for one in others for form in both) for both in missing) / max(1, len(forms))


def _matched(pattern: re.Pattern[str], question: Question, units: Sequence[Scored]) -> float:
    """The share of the question's numbers that stand in the sentences, headings or title; 1 where it has none."""
    asked = set(pattern.findall(question.text))
    if not asked:
        return 1.0
    held: set[str] = set()
    for one in units:
        passage = one.unit.passage
        held |= set(pattern.findall("\n".join([passage.title, *passage.heading_path, one.unit.text])))
        if passage.updated_at is not None:
            held.add(str(passage.updated_at.year))
    return len(asked & held) / len(asked)


def _holds_codes(question: Question, units: Sequence[Scored], scorer: Scorer) -> bool:
    """Codes as they stand, in a chosen passage or its title."""
    return not question.codes or any(question.codes <= scorer.words_of(one.unit.passage).keys for one in units)
