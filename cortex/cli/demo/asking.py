"""Asks the demo questions as their askers, and says whether each answer is as it should be."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cortex.cli.demo.company import DemoCompany, DemoQuestion, DemoSource
from cortex.cli.gateway import Gateway
from cortex.cli.source import mapping, mappings
from cortex.domain.identity import document_id, source_id, tenant_id

FIRST_CITATIONS = 3


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as the gateway gave it. `problems` is empty when it is what the question's entry asks for."""

    question: DemoQuestion
    answer: str
    abstained: bool
    reason: str
    citations: list[dict[str, object]]
    stages_ms: dict[str, object]
    problems: tuple[str, ...] = field(default=())

    def report(self) -> dict[str, object]:
        return {
            "id": self.question.id,
            "question": self.question.question,
            "user": self.question.asker,
            "answer": self.answer,
            "abstained": self.abstained,
            "citations": [{key: c[key] for key in ("n", "title", "url", "quote")} for c in self.citations],
            "stages_ms": self.stages_ms,
            "problems": list(self.problems),
        }


def paths_by_id(sources: tuple[DemoSource, ...], tenant: str) -> dict[str, str]:
    """`SOURCE/PATH` of every file by its document id, which follows from where it lies."""
    identifier = tenant_id(tenant)
    found = {}
    for source in sources:
        owner = source_id(identifier, source.name)
        for path in source.folder.rglob("*"):
            external = path.relative_to(source.folder).as_posix()
            found[str(document_id(identifier, owner, external))] = f"{source.name}/{external}"
    return found


def ask_all(company: DemoCompany, *, data: Path, tenant: str) -> Iterator[Answered]:
    paths = paths_by_id(company.sources, tenant)
    for question in company.questions:
        with Gateway.at(data, email=question.asker, tenant=tenant) as gateway:
            yield _answered(question, gateway.post("/v1/chat", {"question": question.question}), paths)


def _answered(question: DemoQuestion, found: dict[str, object], paths: dict[str, str]) -> Answered:
    sources = {str(source["n"]): source for source in mappings(found["sources"])}
    citations = [
        {**citation, "title": source.get("title", ""), "url": source.get("url", "")}
        for citation in mappings(found["citations"])
        for source in [sources.get(str(citation["n"]), {})]
    ]
    answer, abstained = str(found["answer"]), bool(found["abstained"])
    cited = [paths.get(str(citation["document_id"]), "?") for citation in citations]
    shown = cited + [paths.get(str(source.get("document_id")), "") for source in sources.values()]
    return Answered(
        question=question,
        answer=answer,
        abstained=abstained,
        reason=str(found.get("reason") or ""),
        citations=citations,
        stages_ms=mapping(found["stages_ms"]),
        problems=tuple(_problems(question, answer, abstained=abstained, cited=cited, shown=shown)),
    )


def _problems(
    question: DemoQuestion, answer: str, *, abstained: bool, cited: list[str], shown: list[str]
) -> Iterator[str]:
    if leaked := sorted(set(shown) & set(question.must_not)):
        yield f"shows {', '.join(leaked)}, which this person may not see"
    if question.abstain and not abstained:
        yield f"answers from {', '.join(dict.fromkeys(cited))} where it should abstain"
    if question.abstain:
        return
    if abstained:
        yield "abstains where it should answer"
    elif not set(list(dict.fromkeys(cited))[:FIRST_CITATIONS]) & set(question.expect):
        yield f"cites {', '.join(dict.fromkeys(cited))}, expected {' or '.join(question.expect)}"
    else:
        missing = [part for part in question.answer_contains if part.lower() not in answer.lower()]
        if missing:
            yield f"does not say {', '.join(missing)}"
