"""Content events to blocks: the stage around the pool."""

import hashlib
from pathlib import PurePosixPath

from cortex.domain.document import ParsedDocument
from cortex.domain.errors import Bug, Exhausted, Invalid, NotFound
from cortex.domain.event import ContentEvent, StageEvent
from cortex.ports.object_store import ObjectStore
from cortex.ports.parser import Parser
from cortex.ports.revision_store import LatestRevision, RevisionStore
from cortex.ports.stage_publisher import StagePublisher
from services.parse import wire
from services.parse.screening import Screening

NOTHING = ParsedDocument(blocks=())
EMPTY_SHA256 = hashlib.sha256().hexdigest()


class ParseStage:
    """Handles `cortex.content.*.UPSERT`. The same bytes under the same name and pipeline are parsed once."""

    def __init__(
        self,
        revisions: RevisionStore,
        objects: ObjectStore,
        parser: Parser,
        publisher: StagePublisher,
        *,
        screening: Screening,
        pipeline_version: str,
    ) -> None:
        self._revisions = revisions
        self._objects = objects
        self._parser = parser
        self._publisher = publisher
        self._screening = screening
        self._pipeline_version = pipeline_version

    async def handle(self, event: ContentEvent) -> None:
        """A document that cannot be parsed becomes an empty one: what it said before is no longer what it says."""
        try:
            latest = await self._revisions.latest(event.tenant_id, event.document_id)
        except NotFound:
            return
        if latest.tombstoned or latest.revision != event.counters.revision:
            return
        place = (event.tenant_id, event.document_id, latest.revision)
        try:
            parsed = await self._parsed(event, latest)
        except (Invalid, Exhausted, Bug) as error:
            await self._revisions.fail(*place, stage="parse", message=str(error))
            parsed = NOTHING
        title = latest.given_title or parsed.title or title_from(latest.name)
        unread = not parsed.blocks and latest.content_sha256 != EMPTY_SHA256
        found = await self._screening.screen(
            event.tenant_id, event.source_id, parsed, title=title, latest=latest, unread=unread
        )
        if await self._revisions.save_parsed(*place, found):
            stage = StageEvent("parsed", event.tenant_id, event.source_id, event.document_id, latest.revision)
            await self._publisher.publish(stage)

    async def _parsed(self, event: ContentEvent, latest: LatestRevision) -> ParsedDocument:
        key = parsed_key(event, latest, self._pipeline_version)
        try:
            return wire.decode_document(await self._objects.get(key))
        except NotFound:
            data = await self._objects.get(latest.raw_key)
        parsed = await self._parser.parse(data, name=latest.name, mime=latest.mime or None)
        await self._objects.put(key, wire.encode_document(parsed))
        return parsed


def parsed_key(event: ContentEvent, latest: LatestRevision, pipeline_version: str) -> str:
    """By everything that the result depends on, below the bytes that it was made of: with them it is erased."""
    parts = (latest.content_sha256, latest.name, latest.mime, pipeline_version)
    result = hashlib.sha256(chr(0).join(parts).encode()).hexdigest()
    return f"parsed/{event.tenant_id}/{latest.content_sha256}/{result}"


def title_from(name: str) -> str:
    """`on-call_rota.csv` reads "on-call rota"."""
    stem = PurePosixPath(name).stem
    return stem.replace("_", " ").strip() or name
