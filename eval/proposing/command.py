"""`cortex eval propose`, all but its options."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cortex.adapters.language import LanguageByScript
from cortex.cli.gateway import TENANT, Gateway
from cortex.domain.engine import Engine
from cortex.domain.errors import CortexError, Invalid, NotFound
from cortex.domain.identity import slug, tenant_id
from eval.engines import Drafting, configured, named, opened
from eval.proposing import drafts, engine, near_miss, pages
from eval.proposing.drafts import Draft
from eval.proposing.pages import Page, Section
from eval.proposing.wording import about, small_words, worded

UNANSWERABLE = 3
"""One of so many."""
DOCUMENTS_PER_DRAFT = 2
DOCUMENTS_MIN = 40
SEARCHED = 10
FAILURES_MAX = 3
"""After so many one after the other the engine is asked no more."""

_KINDS = {"when": "time"}
_GLOSSARY = ("glossary", "terms", "abbreviations", "definitions", "acronyms")


@dataclass(frozen=True, slots=True)
class Request:
    """`engine` is a name in CORTEX_ENGINES_FILE, by default the first there; `rules` asks none."""

    source: str
    asker: str
    data: Path
    count: int = 30
    out: Path | None = None
    engine: str | None = None
    rules: bool = False
    tenant: str = TENANT

    @property
    def path(self) -> Path:
        return self.out or self.data / "eval" / f"proposed-{self.source}.jsonl"


@dataclass(slots=True)
class Proposed:
    """`dropped` counts drafts by the reason why a person never sees them."""

    answerable: list[Draft] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def run(request: Request, *, environment: Mapping[str, str], observe: Callable[[str], None]) -> dict[str, object]:
    """Raises NotFound where the asker may open nothing of the source, Conflict where the file is there already."""
    slug(request.source)
    drafts.refuse_to_replace(request.path)
    asked = None if request.rules else _engine(request, environment)
    tenant = tenant_id(request.tenant)
    externals = pages.names(request.data, tenant=tenant, source=request.source)
    unanswerable = request.count // UNANSWERABLE
    with Gateway.at(request.data, email=request.asker, tenant=request.tenant) as gateway:
        most = max(DOCUMENTS_MIN, DOCUMENTS_PER_DRAFT * request.count)
        read = list(pages.opened(gateway, externals, tenant=tenant, source=request.source, most=most))
        if not read:
            raise NotFound(
                f"{request.asker} may open none of {len(externals)} documents of {request.source!r}; "
                "name somebody else with --as"
            )
        observe(f"{len(read)} documents read as {request.asker}; drafts by {asked.spec.name if asked else 'rules'}")
        proposed = asyncio.run(_worded(read, asked, most=request.count)) if asked else by_rules(read)
        misses = _unanswered(proposed.answerable, read, gateway, most=unanswerable)
    answerable = spread(proposed.answerable, most=request.count - len(misses))
    found = [*answerable, *misses]
    if not found:
        raise Invalid(f"no question could be drafted from {len(read)} documents: {_reasons(proposed.dropped)}")
    rows = [drafts.row(one, number=number, asker=request.asker) for number, one in enumerate(found, start=1)]
    drafts.keep(request.path, rows)
    return {
        "file": str(request.path),
        "asker": request.asker,
        "drafted_by": asked.spec.name if asked else "rules",
        "documents": len(read),
        "drafts": len(rows),
        "answerable": len(answerable),
        "near_misses": len(misses),
        "dropped": dict(proposed.dropped),
    }


def _engine(request: Request, environment: Mapping[str, str]) -> Engine | None:
    if request.engine is not None:
        return named(environment, request.engine)
    return next(iter(configured(environment)), None)


def by_rules(read: Sequence[Page]) -> Proposed:
    """From English texts alone: the patterns know no other language."""
    proposed, detector = Proposed(), LanguageByScript()
    for page in read:
        if detector.detect(page.text).code == "en":
            for draft in _of_page(page):
                _take(proposed, draft, page)
        else:
            proposed.dropped["the document is not in English"] += 1
    return proposed


def _of_page(page: Page) -> Iterator[Draft]:
    vocabulary = small_words(page.text)
    for section in page.sections:
        named_terms = " ".join((page.title, *section.headings)).casefold()
        glossary = any(word in named_terms.split() for word in _GLOSSARY)
        for sentence in section.sentences():
            for made in worded(sentence, vocabulary, glossary=glossary):
                yield Draft(
                    kind=_KINDS.get(made.asks, "fact"),
                    question=about(made.question, page.title, section.headings),
                    language="en",
                    facts=made.facts,
                    source=page.path,
                    document=page.id,
                    rests_on=sentence,
                    made=f"by rule: {made.asks}",
                )


def _take(proposed: Proposed, draft: Draft, page: Page) -> None:
    reason = drafts.fault(draft, page.text)
    if reason is None and any(draft.question == other.question for other in proposed.answerable):
        reason = "another document gives the same question"
    if reason is None:
        proposed.answerable.append(draft)
    else:
        proposed.dropped[reason] += 1


async def _worded(read: Sequence[Page], asked: Engine, *, most: int) -> Proposed:
    async with opened(asked) as drafting:
        return await by_engine(drafting, read, most=most)


async def by_engine(drafting: Drafting, read: Sequence[Page], *, most: int) -> Proposed:
    """A section of each document, then the next ones. Raises what the engine failed with where it wrote nothing."""
    proposed, failures = Proposed(), 0
    for page, section in in_turns(read):
        if len(proposed.answerable) >= most:
            break
        try:
            draft = await engine.drafted(drafting, page, section)
        except CortexError:
            failures += 1
            if failures == FAILURES_MAX:
                if not proposed.answerable:
                    raise
                proposed.dropped["the engine failed"] += failures
                break
            continue
        failures = 0
        if isinstance(draft, str):
            proposed.dropped[draft] += 1
        else:
            _take(proposed, draft, page)
    return proposed


def in_turns(read: Sequence[Page]) -> Iterator[tuple[Page, Section]]:
    for number in range(max((len(page.sections) for page in read), default=0)):
        yield from ((page, page.sections[number]) for page in read if number < len(page.sections))


def spread(found: Sequence[Draft], *, most: int) -> list[Draft]:
    """One a document in turn, and of each document what has been asked for least."""
    waiting: dict[str, list[Draft]] = {}
    for draft in found:
        waiting.setdefault(draft.source, []).append(draft)
    chosen: list[Draft] = []
    asked: Counter[str] = Counter()
    while waiting and len(chosen) < most:
        for source in list(waiting):
            if len(chosen) == most:
                break
            draft = min(waiting[source], key=lambda one: asked[one.made])
            waiting[source].remove(draft)
            if not waiting[source]:
                del waiting[source]
            asked[draft.made] += 1
            chosen.append(draft)
    return chosen


def _unanswered(found: Sequence[Draft], read: Sequence[Page], gateway: Gateway, *, most: int) -> list[Draft]:
    """Of whichever the search, too, shows nothing that speaks of it."""
    misses: list[Draft] = []
    for draft in spread(found, most=len(found)):
        if len(misses) == most:
            break
        for miss, thing in near_miss.near_misses(draft, read):
            shown = pages.found_by(gateway, miss.question, limit=SEARCHED)
            if not any(near_miss.speaks_of(page, miss.question, thing) for page in shown):
                misses.append(miss)
                break
    return misses


def _reasons(dropped: Mapping[str, int]) -> str:
    return "; ".join(f"{reason} ({count})" for reason, count in dropped.items()) or "no sentence fits a rule"
