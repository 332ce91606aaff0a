"""The walk down the ranked candidates: live revision, tombstone and re-check, in batches, until there is enough."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cortex.domain.credential import Reader
from cortex.domain.identity import ChunkId, DocumentId
from cortex.ports.document_reader import LiveDocument
from services.query_gateway.metrics import Metrics
from services.query_gateway.pool import Candidate
from services.query_gateway.visibility import Visibility


@dataclass(slots=True)
class Admitted:
    """A document that was let through, and its candidates of the live revision in order of score."""

    live: LiveDocument
    candidates: list[Candidate] = field(default_factory=list)


class Admission:
    """The state of one query. A document is decided once, whichever of its chunks comes first."""

    def __init__(
        self,
        visibility: Visibility,
        metrics: Metrics,
        reader: Reader,
        *,
        batch: int,
        candidates_max: int,
        as_of: datetime | None = None,
    ) -> None:
        self._visibility = visibility
        self._metrics = metrics
        self._reader = reader
        self._batch = batch
        self._candidates_max = candidates_max
        self._as_of = as_of
        self._token: str | None = None
        self._token_read = False
        self._taken: set[ChunkId] = set()
        self.decided: dict[DocumentId, LiveDocument | None] = {}
        self.admitted: dict[DocumentId, Admitted] = {}

    @property
    def spent(self) -> bool:
        """Whether as many candidates were looked at as one query may."""
        return len(self.decided) >= self._candidates_max

    async def walk(self, ranked: Sequence[Candidate], *, needed: int) -> None:
        """Admits from the top until `needed` documents are in, or no candidate or room is left."""
        position = 0
        while position < len(ranked) and len(self.admitted) < needed:
            ahead = self._ahead(ranked[position:])
            if not ahead and ranked[position].point.document_id not in self.decided:
                break
            await self._decide(ahead)
            position = self._take(ranked, position, needed)
        self._sweep(ranked[position:])

    def _ahead(self, ranked: Sequence[Candidate]) -> list[DocumentId]:
        """The next documents to decide: at most a batch, and never beyond the bound of the query."""
        room = min(self._batch, self._candidates_max - len(self.decided))
        fresh = dict.fromkeys(c.point.document_id for c in ranked if c.point.document_id not in self.decided)
        return list(fresh)[: max(room, 0)]

    async def _decide(self, documents: list[DocumentId]) -> None:
        if not documents:
            return
        if not self._token_read:
            self._token = await self._visibility.token(self._reader)
            self._token_read = True
        live = await self._visibility.live(self._reader, documents)
        present = [document for document in documents if document in live and not self._younger(live[document])]
        self._metrics.dropped("absent", len(documents) - len(present))
        allowed = await self._visibility.permitted(self._reader, present, token=self._token)
        self.decided.update({document: live[document] if document in allowed else None for document in documents})

    def _younger(self, live: LiveDocument) -> bool:
        """Whether it is younger than the asked-for time, or of unknown age."""
        if self._as_of is None:
            return False
        changed = live.updated_at or live.created_at
        return changed is None or changed > self._as_of

    def _take(self, ranked: Sequence[Candidate], position: int, needed: int) -> int:
        """Takes decided candidates in order; stops at the first undecided one, or before one document too many."""
        while position < len(ranked):
            candidate = ranked[position]
            document = candidate.point.document_id
            if document not in self.decided:
                break
            if document not in self.admitted and len(self.admitted) >= needed:
                break
            self._add(candidate)
            position += 1
        return position

    def _add(self, candidate: Candidate) -> None:
        live = self.decided.get(candidate.point.document_id)
        if live is None or candidate.point.chunk_id in self._taken:
            return
        self._taken.add(candidate.point.chunk_id)
        if candidate.point.revision != live.indexed_revision:
            self._metrics.dropped("stale", 1)
            return
        entry = self.admitted.setdefault(live.document_id, Admitted(live))
        entry.candidates.append(candidate)

    def _sweep(self, rest: Sequence[Candidate]) -> None:
        """Further passages of documents that are in already."""
        for candidate in rest:
            if candidate.point.document_id in self.admitted:
                self._add(candidate)
