"""The stage around the pool, over stores of its own making."""

import hashlib
import re
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.encoding import Language
from cortex.domain.errors import Bug, CortexError, Exhausted, Invalid, NotFound, Transient
from cortex.domain.event import ContentEvent, StageEvent
from cortex.domain.identity import DocumentId, SourceId, TenantId
from cortex.domain.privacy import Action, Finding, Kind, PrivacyReport, PrivacyRules, Screened, rules_from_json
from cortex.domain.revision import Counters, EventKind
from cortex.ports.privacy_store import PrivacyFigures, Quarantined
from cortex.ports.revision_store import LatestRevision
from services.parse.consume import ParseStage
from services.parse.screening import Screening
from tests.unlined import Unlined

TENANT, SOURCE, DOCUMENT = TenantId(uuid.uuid4()), SourceId(uuid.uuid4()), DocumentId(uuid.uuid4())
READ = ParsedDocument((Block(0, BlockKind.PARAGRAPH, "Doors open at eight."),), title="Opening hours")


def latest(revision: int = 1, *, tombstoned: bool = False, given_title: str | None = None) -> LatestRevision:
    return LatestRevision(
        document_id=DOCUMENT,
        source_id=SOURCE,
        external_id="hours.md",
        revision=revision,
        indexed_revision=0,
        title="",
        given_title=given_title,
        name="opening_hours.md",
        mime="text/markdown",
        raw_key="raw/hours",
        content_sha256="0" * 64,
        tombstoned=tombstoned,
    )


def changed(revision: int = 1) -> ContentEvent:
    return ContentEvent(
        tenant_id=TENANT,
        source_id=SOURCE,
        document_id=DOCUMENT,
        counters=Counters(revision, 1, 1),
        kind=EventKind.UPSERT,
        raw_key="raw/hours",
        content_sha256="0" * 64,
        metadata_sha256="0" * 64,
        mime="text/markdown",
        pipeline_version="1",
        occurred_at=datetime(2026, 11, 29, tzinfo=UTC),
    )


class Codewords:
    """A recogniser that takes one word for a secret."""

    version = "codewords"

    def detect(self, text: str, language: str) -> Sequence[Finding]:
        assert language == "en"
        return [Finding(m.start(), m.end(), Kind.API_KEY, 1.0) for m in re.finditer("xyzzy", text)]


class English:
    def detect(self, text: str) -> Language:
        return Language("en", ("en",))


@dataclass
class Shelf(Unlined):
    """Every port of the stage: what it reads and what it was told."""

    latest_revision: LatestRevision | None = field(default_factory=latest)
    outcome: ParsedDocument | CortexError = READ
    superseded: bool = False
    objects: dict[str, bytes] = field(default_factory=lambda: {"raw/hours": b"Doors open at eight."})
    parsed: int = 0
    privacy: PrivacyRules = field(default_factory=PrivacyRules)
    reports: list[PrivacyReport] = field(default_factory=list)
    saved: list[tuple[int, ParsedDocument, str]] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    published: list[StageEvent] = field(default_factory=list)

    async def latest(self, _tenant: TenantId, _document: DocumentId) -> LatestRevision:
        if self.latest_revision is None:
            raise NotFound("erased")
        return self.latest_revision

    async def rules(self, _tenant: TenantId, _source: SourceId) -> PrivacyRules:
        return self.privacy

    async def save_parsed(self, _tenant: TenantId, _document: DocumentId, revision: int, screened: Screened) -> bool:
        self.saved.append((revision, screened.parsed, screened.title))
        self.reports.append(screened.report)
        return not self.superseded

    async def fail(self, _tenant: TenantId, _document: DocumentId, _revision: int, *, stage: str, message: str) -> None:
        self.failures.append((stage, message))

    async def get(self, key: str) -> bytes:
        if key not in self.objects:
            raise NotFound(key)
        return self.objects[key]

    async def put(self, key: str, data: bytes) -> None:
        self.objects[key] = data

    async def parse(self, _data: bytes, *, name: str, mime: str | None = None) -> ParsedDocument:
        self.parsed += 1
        if isinstance(self.outcome, CortexError):
            raise self.outcome
        return self.outcome

    async def publish(self, event: StageEvent) -> None:
        self.published.append(event)

    async def set_rules(self, *_: object) -> bool:
        raise NotImplementedError

    async def figures(self, *_: object) -> PrivacyFigures:
        raise NotImplementedError

    async def quarantined(self, *_: object, **__: object) -> list[Quarantined]:
        raise NotImplementedError

    async def release(self, *_: object) -> None:
        raise NotImplementedError

    async def blocks(self, *_: object) -> list[Block]:
        raise NotImplementedError

    async def save_chunks(self, *_: object, **__: object) -> bool:
        raise NotImplementedError

    async def delete(self, key: str) -> None:
        raise NotImplementedError

    def keys(self, prefix: str) -> AsyncIterator[str]:
        raise NotImplementedError


def stage(shelf: Shelf) -> ParseStage:
    screening = Screening(shelf, Codewords(), English())
    return ParseStage(shelf, shelf, shelf, shelf, screening=screening, pipeline_version="1")


async def test_what_was_read_is_saved_and_handed_on() -> None:
    shelf = Shelf()
    await stage(shelf).handle(changed())
    assert shelf.saved == [(1, READ, "Opening hours")]
    assert [(event.stage, event.revision) for event in shelf.published] == [("parsed", 1)]


@pytest.mark.parametrize("error", [Invalid("encrypted"), Exhausted("too many pages"), Bug("the parser broke")])
async def test_a_document_that_cannot_be_parsed_becomes_an_empty_one(error: CortexError) -> None:
    shelf = Shelf(outcome=error)
    await stage(shelf).handle(changed())
    assert shelf.saved == [(1, ParsedDocument(blocks=()), "opening hours")]
    assert shelf.failures == [("parse", str(error))]
    assert [event.revision for event in shelf.published] == [1]


@pytest.mark.parametrize(
    ("rules", "report"),
    [
        ({}, PrivacyReport({Kind.UNSCREENED: 1})),
        ({"email": "redact"}, PrivacyReport({Kind.UNSCREENED: 1})),
        ({"email": "drop"}, PrivacyReport({Kind.UNSCREENED: 1}, altered=True)),
        ({"email": "quarantine"}, PrivacyReport({Kind.UNSCREENED: 1}, altered=True, quarantined=True)),
        ({"email": "quarantine", "unscreened": "detect"}, PrivacyReport({Kind.UNSCREENED: 1})),
    ],
)
@pytest.mark.parametrize("outcome", [Invalid("encrypted"), ParsedDocument(blocks=())], ids=["broken", "a scan"])
async def test_a_file_that_cannot_be_screened_is_treated_as_the_rules_say(
    outcome: ParsedDocument | CortexError, rules: dict[str, str], report: PrivacyReport
) -> None:
    shelf = Shelf(outcome=outcome, privacy=rules_from_json({"actions": rules}))
    await stage(shelf).handle(changed())
    assert shelf.reports == [report]


async def test_an_empty_file_has_nothing_to_screen() -> None:
    nothing = replace(latest(), content_sha256=hashlib.sha256(b"").hexdigest())
    shelf = Shelf(latest_revision=nothing, outcome=ParsedDocument(blocks=()))
    await stage(shelf).handle(changed())
    assert shelf.reports == [PrivacyReport()]


async def test_a_released_file_is_given_out_though_nobody_could_screen_it() -> None:
    rules = rules_from_json({"actions": {"email": "quarantine"}})
    shelf = Shelf(latest_revision=replace(latest(), released=True), outcome=Invalid("encrypted"), privacy=rules)
    await stage(shelf).handle(changed())
    assert shelf.reports == [PrivacyReport({Kind.UNSCREENED: 1})]


async def test_what_may_pass_is_raised_for_another_delivery() -> None:
    shelf = Shelf(outcome=Transient("no room to parse"))
    with pytest.raises(Transient):
        await stage(shelf).handle(changed())
    assert (shelf.saved, shelf.failures, shelf.published) == ([], [], [])


@pytest.mark.parametrize("found", [latest(2), latest(1, tombstoned=True), None], ids=["newer", "deleted", "erased"])
async def test_an_event_that_is_no_longer_due_does_nothing(found: LatestRevision | None) -> None:
    shelf = Shelf(latest_revision=found)
    await stage(shelf).handle(changed(1))
    assert (shelf.parsed, shelf.saved, shelf.published) == (0, [], [])


async def test_a_newer_revision_that_came_meanwhile_is_not_announced_by_the_older() -> None:
    shelf = Shelf(superseded=True)
    await stage(shelf).handle(changed())
    assert shelf.published == []


async def test_the_same_bytes_are_parsed_once() -> None:
    shelf = Shelf()
    for _ in range(2):
        await stage(shelf).handle(changed())
    assert shelf.parsed == 1
    assert shelf.saved[0] == shelf.saved[1]


async def test_a_title_that_the_source_gave_outweighs_the_files_own() -> None:
    shelf = Shelf(latest_revision=latest(given_title="When we are open"))
    await stage(shelf).handle(changed())
    assert shelf.saved[0][2] == "When we are open"


SECRET = ParsedDocument((Block(0, BlockKind.PARAGRAPH, "The word is xyzzy."), Block(1, BlockKind.PARAGRAPH, "Hush.")))


async def test_a_secret_is_replaced_before_anything_is_stored() -> None:
    shelf = Shelf(outcome=SECRET, latest_revision=latest(given_title="On xyzzy"))
    await stage(shelf).handle(changed())
    (_, stored, title), (report,) = shelf.saved[0], shelf.reports
    assert [block.text for block in stored.blocks] == ["The word is [redacted: api key].", "Hush."]
    assert title == "On [redacted: api key]"
    assert (dict(report.counts), report.altered, report.quarantined) == ({Kind.API_KEY: 2}, True, False)


async def test_quarantine_keeps_nothing_until_these_bytes_are_released() -> None:
    held = PrivacyRules(actions=dict.fromkeys(Kind, Action.QUARANTINE))
    shelf = Shelf(outcome=SECRET, privacy=held)
    await stage(shelf).handle(changed())
    assert (shelf.saved[0][1].blocks, shelf.reports[0].quarantined) == ((), True)
    shelf.latest_revision = replace(latest(2), released=True)
    await stage(shelf).handle(changed(2))
    assert shelf.saved[1][1].blocks[0].text == "The word is [redacted: api key]."
    assert not shelf.reports[1].quarantined
