"""Questions and answers for the tests of what scores them."""

from collections.abc import Sequence

from eval.answers.given import Cited, Given, Said
from eval.golden_questions import GoldenQuestion

PAGE = "Annual leave\nEveryone has 30 days of annual leave. Carry over at most 5 of them."


def question(
    *,
    facts: Sequence[Sequence[str]] = (("30 days",),),
    sources: Sequence[str] = ("wiki/leave.md",),
    needed: int = 1,
    forbidden: Sequence[str] = (),
    kind: str = "fact",
    id: str = "leave",
) -> GoldenQuestion:
    return GoldenQuestion(
        id=id,
        kind=kind,
        asker="ann@acme.example",
        question="How many days of leave?",
        language="en",
        key_facts=tuple(map(tuple, facts)),
        sources=tuple(sources),
        sources_needed=needed,
        forbidden=tuple(forbidden),
        history=(),
    )


def cited(
    document: str = "wiki/leave.md",
    quote: str = "Everyone has 30 days of annual leave.",
    *,
    opened: bool = True,
    exact: bool = True,
    text: str = PAGE,
) -> Cited:
    return Cited(document, quote, opened, exact, text)


def given(
    *said: Said,
    found: Sequence[str] = ("wiki/leave.md",),
    shown: Sequence[str] = (),
    closed: Sequence[str] = (),
    confidence: float | None = None,
    scores: dict[str, float] | None = None,
) -> Given:
    return Given(
        id="leave",
        found=tuple(found),
        scores=scores or {},
        said=said,
        abstained=not said,
        reason="" if said else "no_support",
        shown=tuple(shown),
        closed=tuple(closed),
        confidence=confidence,
        evidence={},
        asked_as="How many days of leave?",
        took_ms=40.0,
        generate_ms=5.0,
    )


def said(text: str = "Everyone has 30 days of annual leave.", *citations: Cited) -> Said:
    return Said(text, citations or (cited(),))
