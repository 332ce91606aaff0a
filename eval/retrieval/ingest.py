"""A set into a running platform, by push over HTTP as any client would, until all of it can be found."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

from cortex.cli.gateway import Gateway, segment
from cortex.cli.source import integer, mapping
from cortex.domain.errors import Transient
from eval.retrieval_sets import RetrievalSet, SetDocument

PUSHERS = 4
LOOK_AGAIN_S = 0.2
STALLED_S = 120.0
# What `title` may hold; what is longer goes into the text.
TITLE_CHARACTERS_MAX = 2_000
_NEVER = Event()


@dataclass(frozen=True, slots=True)
class Ingested:
    """`names` leads from document ids back to the set's; `took_s` is from the first push until the last is found."""

    source_id: str
    names: Mapping[str, str]
    documents: int
    chunks: int
    took_s: float

    @property
    def documents_per_s(self) -> float:
        return self.documents / self.took_s


def ingest(gateway: Gateway, retrieval: RetrievalSet, *, source: str) -> Ingested:
    """Raises Transient when nothing more becomes searchable for a long time."""
    began = time.monotonic()
    names = {}
    with ThreadPoolExecutor(PUSHERS) as pushers:
        answers = pushers.map(lambda one: _push(gateway, source, *one), retrieval.documents.items())
        for name, answer in zip(retrieval.documents, answers, strict=True):
            names[str(answer["document_id"])] = name
    detail = _wait(gateway, source)
    took_s = time.monotonic() - began
    chunks = integer(mapping(detail["documents"])["chunks"])
    return Ingested(str(detail["id"]), names, len(names), chunks, took_s)


def _push(gateway: Gateway, source: str, name: str, document: SetDocument) -> dict[str, object]:
    body: dict[str, object] = {"content": document.text, "mime": "text/plain", "acl": {"public": "tenant"}}
    if title := document.title.strip()[:TITLE_CHARACTERS_MAX]:
        body["title"] = title
    return gateway.put(f"/v1/sources/{source}/documents/{segment(name)}", body)


def _wait(gateway: Gateway, source: str) -> dict[str, object]:
    moved_at, last = time.monotonic(), -1
    while True:
        detail = gateway.get(f"/admin/v1/sources/{segment(source)}")
        documents = mapping(detail["documents"])
        waiting = integer(documents["waiting"])
        if waiting == 0:
            return detail
        if waiting != last:
            moved_at, last = time.monotonic(), waiting
        elif time.monotonic() - moved_at > STALLED_S:
            raise Transient(f"{waiting} documents of {source} still wait to be indexed; `cortex status` tells why")
        _NEVER.wait(LOOK_AGAIN_S)
