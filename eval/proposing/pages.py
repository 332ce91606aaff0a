"""A source's documents as one person reads them: ids from the platform's database, every text through the gateway."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from cortex.cli.gateway import Gateway
from cortex.cli.source import mapping, mappings
from cortex.domain.document import BlockKind
from cortex.domain.errors import NotFound
from cortex.domain.identity import TenantId, document_id, source_id
from cortex.runtime.local import record
from cortex.runtime.local.folder import DataFolder
from services.llm_gateway.extractive.units import cut

TRIED_MAX = 2_000
"""Documents that are asked for at most, where the person may open few."""

_READ = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE, BlockKind.MESSAGE})
_SPACE = re.compile(r"\s+")
_NAMES = """
    SELECT d.external_id FROM documents d JOIN sources s ON s.tenant_id = d.tenant_id AND s.id = d.source_id
    WHERE s.name = %s AND d.tenant_id = %s AND d.tombstoned_at IS NULL AND NOT d.quarantined
        AND d.indexed_revision IS NOT NULL
    ORDER BY md5(d.external_id) LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A text below its headings, without that of the document."""

    headings: tuple[str, ...]
    text: str

    def sentences(self) -> Iterator[str]:
        for start, end in cut(self.text):
            yield flat(self.text[start:end])


@dataclass(frozen=True, slots=True)
class Page:
    """`path` is `SOURCE/PATH`, as golden questions name documents."""

    id: str
    path: str
    title: str
    sections: tuple[Section, ...]

    @property
    def parts(self) -> list[str]:
        """Title, headings and paragraphs."""
        return [self.title, *(part for one in self.sections for part in (*one.headings, *one.text.split("\n\n")))]

    @property
    def text(self) -> str:
        return flat("\n".join(self.parts))


def flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def names(data: Path, *, tenant: TenantId, source: str) -> list[str]:
    """External ids, in an order by chance that is the same each time. Raises NotFound where there are none."""
    runs = record.load(DataFolder(data.expanduser().absolute()))
    admin_url = "" if runs is None else runs.urls.get("CORTEX_DATABASE_ADMIN_URL", "")
    if not admin_url:
        raise NotFound("no platform runs here whose database is its own; start one with `cortex up`")
    with psycopg.connect(admin_url) as connection:
        rows = connection.execute(_NAMES, (source, tenant, TRIED_MAX)).fetchall()
    if not rows:
        raise NotFound(f"source {source!r} has no document that is indexed; `cortex source list` shows what there is")
    return [str(external) for (external,) in rows]


def opened(gateway: Gateway, externals: Sequence[str], *, tenant: TenantId, source: str, most: int) -> Iterator[Page]:
    """The first `most` of them that the gateway's person may open; of the others nothing is told."""
    owner, found = source_id(tenant, source), 0
    for external in externals:
        if found == most:
            return
        page = read(gateway, str(document_id(tenant, owner, external)), f"{source}/{external}")
        if page is not None:
            found += 1
            yield page


def read(gateway: Gateway, document: str, path: str) -> Page | None:
    """None where the person may not open it."""
    try:
        found = gateway.get(f"/v1/documents/{document}")
    except NotFound:
        return None
    return Page(
        document, path, flat(str(found["title"])), tuple(sections(mappings(found["blocks"]), str(found["title"])))
    )


def sections(blocks: Sequence[dict[str, object]], title: str) -> Iterator[Section]:
    """Prose with the headings that stand above it; tables and code are passed over."""
    above: list[tuple[int, str]] = []
    texts: list[str] = []
    for block in blocks:
        kind, text = str(block["kind"]), str(block["text"])
        if kind == BlockKind.HEADING:
            if texts:
                yield Section(_path(above, title), "\n\n".join(texts))
                texts = []
            level = int(str(block["level"] or 1))
            above = [*(one for one in above if one[0] < level), (level, flat(text))]
        elif kind in _READ and text.strip():
            # A paragraph's own line breaks end no sentence.
            texts.append(text if kind == BlockKind.MESSAGE else flat(text))
    if texts:
        yield Section(_path(above, title), "\n\n".join(texts))


def _path(above: Sequence[tuple[int, str]], title: str) -> tuple[str, ...]:
    return tuple(text for _, text in above if text.casefold() != flat(title).casefold())


def found_by(gateway: Gateway, question: str, *, limit: int) -> list[Page]:
    """What the person would be shown for it, of any source."""
    results = mappings(gateway.post("/v1/search", {"query": question, "limit": limit, "operators": False})["results"])
    ids = [(str(one["document_id"]), str(mapping(one["source"])["name"])) for one in results]
    return [page for document, source in ids if (page := read(gateway, document, f"{source}/{document}")) is not None]
