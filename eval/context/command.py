"""`cortex eval context`, all but its options."""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from cortex.cli.gateway import TENANT, Gateway
from cortex.cli.source import integer, mapping
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import tenant_id
from cortex.runtime.local import record
from cortex.runtime.local.folder import DataFolder
from eval.context.source import documents, drafted
from eval.engines import configured, opened
from eval.retrieval.ask import ask
from eval.retrieval.ingest import ingest
from eval.retrieval.intervals import Interval, paired
from eval.retrieval.measures import HEADLINE, Scores, by_question, means
from eval.retrieval.platforms import Site, own, running
from eval.retrieval_sets import RetrievalSet, read

DEPTH = 50
MODE = "hybrid"
SOURCE, FIRST = "set", "first"
NO_ENGINE = "no engine writes a context: name one in CORTEX_ENGINES_FILE, for the platform as well"


@dataclass(frozen=True, slots=True)
class Request:
    """One of `source`, of the platform that runs, and `data`, a set in BEIR form."""

    source: str | None
    data: Path | None
    documents: int
    questions: int
    platform: Path


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of the same questions, without and with. It pays where all of the interval of the gain lies above 0."""

    without: float
    contextual: float
    gain: Interval
    tokens: int
    documents: int

    @property
    def pays(self) -> bool:
        return self.gain.above

    def figures(self) -> dict[str, object]:
        return {
            f"{HEADLINE} without": round(self.without, 4),
            f"{HEADLINE} with": round(self.contextual, 4),
            "gain": self.gain.rounded(),
            "tokens": self.tokens,
            "tokens_per_document": round(self.tokens / max(1, self.documents)),
            "documents": self.documents,
            "pays": self.pays,
        }


@dataclass(frozen=True, slots=True)
class Measured:
    """One of the two ways."""

    tenant: str
    documents: int
    scores: Scores


def verdict(without: Measured, contextual: Measured, *, tokens: int) -> Verdict:
    gain = paired(
        {question: one[HEADLINE] for question, one in contextual.scores.items()},
        {question: one[HEADLINE] for question, one in without.scores.items()},
    )
    return Verdict(
        without=means(without.scores)[HEADLINE],
        contextual=means(contextual.scores)[HEADLINE],
        gain=gain,
        tokens=tokens,
        documents=contextual.documents,
    )


async def run(request: Request, *, environment: Mapping[str, str], observe: Callable[[str], None]) -> dict[str, object]:
    """Raises Invalid without an engine, NotFound where no platform runs that holds the source."""
    if (request.source is None) == (request.data is None):
        raise Invalid("name a source of the running platform, or a set with --data; one of them")
    async with AsyncExitStack() as stack:
        site = running(request.platform)
        if site is None and request.source is not None:
            raise NotFound("no platform runs here; start one with `cortex up`")
        if site is None:
            if not configured(environment):
                raise Invalid(NO_ENGINE)
            observe("no platform runs here: starting one of its own")
            site = await stack.enter_async_context(own(environment))
        retrieval = await _set(stack, request, environment)
        outcome = await asyncio.to_thread(measured, site, retrieval, observe=observe)
    return {"set": retrieval.name, "questions": len(retrieval.questions)} | outcome.figures()


def measured(site: Site, retrieval: RetrievalSet, *, observe: Callable[[str], None]) -> Verdict:
    observe("without context")
    without = found(site, retrieval, contextual=False)
    observe("with context")
    contextual = found(site, retrieval, contextual=True)
    tokens = spent(site, contextual.tenant)
    if not tokens:
        raise Invalid(NO_ENGINE)
    return verdict(without, contextual, tokens=tokens)


def found(site: Site, retrieval: RetrievalSet, *, contextual: bool) -> Measured:
    """Pushed into a tenant of its own, asked, and removed."""
    tenant = f"eval-{uuid.uuid4().hex[:12]}"
    with site.administrator(tenant) as administrator:
        if contextual:
            switch_on(administrator, SOURCE)
        ingested = ingest(administrator, retrieval, source=SOURCE)
        try:
            with site.asker(tenant) as asker:
                asked = ask(asker, retrieval.questions, ingested, mode=MODE, depth=DEPTH)
        finally:
            administrator.delete(f"/admin/v1/sources/{SOURCE}")
    return Measured(tenant, ingested.documents, by_question(asked.rankings, retrieval.grades))


def switch_on(gateway: Gateway, source: str) -> None:
    """A push source comes into being with its first document, which goes before an engine could write about it."""
    path = f"/v1/sources/{source}/documents/{FIRST}"
    gateway.put(path, {"content": "The first.", "mime": "text/plain", "acl": {"public": "tenant"}})
    gateway.delete(path)
    gateway.put(f"/admin/v1/sources/{source}/context", {"contextual": True})


def spent(site: Site, tenant: str) -> int:
    with site.administrator(tenant) as gateway:
        items = gateway.get("/admin/v1/generation/usage")["items"]
    assert isinstance(items, list)
    rows = [mapping(item) for item in items]
    return sum(integer(row["prompt_tokens"]) + integer(row["completion_tokens"]) for row in rows)


async def _set(stack: AsyncExitStack, request: Request, environment: Mapping[str, str]) -> RetrievalSet:
    if request.data is not None:
        return read(request.data).first(request.questions)
    engines = configured(environment)
    if not engines:
        raise Invalid("set CORTEX_ENGINES_FILE: its first engine drafts the questions")
    runs = record.load(DataFolder(request.platform.expanduser().absolute()))
    admin_url = "" if runs is None else runs.urls.get("CORTEX_DATABASE_ADMIN_URL", "")
    if not admin_url:
        raise NotFound("the platform's database is elsewhere; give a set with --data")
    source = request.source or ""
    corpus = documents(admin_url, tenant=tenant_id(TENANT), source=source, most=request.documents)
    drafting = await stack.enter_async_context(opened(engines[0]))
    return await drafted(source, corpus, drafting, most=request.questions)
