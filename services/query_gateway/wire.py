"""Bodies of the gateway's routes, as contracts.md names them. Requests refuse unknown fields."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StrictInt

from cortex.domain.query import Mode
from cortex.ports.feedback_store import Rating
from cortex.runtime.edge.fields import Moment, storable
from cortex.runtime.edge.problems import ProblemBody
from services.query_gateway.facets import Facet

QUERY_CHARACTERS_MAX = 2_000
LIMIT_MAX = 50
AnswerProgress = Literal["running", "done", "stopped", "failed"]
FILTER_VALUES_MAX = 200
AUTHORS_MAX = 20


def well_formed(text: str) -> str:
    """Trimmed; refuses what cannot be written as UTF-8 or is invisible."""
    trimmed = storable(text).strip()
    if not trimmed:
        raise ValueError("is blank; write at least one word")
    return trimmed


Question = Annotated[str, Field(min_length=1, max_length=QUERY_CHARACTERS_MAX), AfterValidator(well_formed)]
Ids = Annotated[list[UUID], Field(max_length=FILTER_VALUES_MAX)]
Names = Annotated[
    list[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=63)]],
    Field(max_length=FILTER_VALUES_MAX),
]

People = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=320), AfterValidator(well_formed)]],
    Field(max_length=AUTHORS_MAX),
]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Body(BaseModel):
    model_config = ConfigDict(frozen=True)


class FiltersBody(Request):
    """`authors` are names or addresses as `from:` takes them; any of them."""

    source_types: Names = []
    source_ids: Ids = []
    container_ids: Ids = []
    author_ids: Ids = []
    authors: People = []
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    languages: Names = []


class SearchRequest(Request):
    """`operators` false: every sign of the query is a part of its words. `fold` false: copies are results of their own,
    and a source may take all places.
    """

    query: Question
    limit: Annotated[StrictInt, Field(ge=1, le=LIMIT_MAX)] = 10
    cursor: Annotated[str, Field(max_length=256)] | None = None
    mode: Mode = Mode.HYBRID
    filters: FiltersBody = FiltersBody()
    facets: Annotated[list[Facet], Field(max_length=len(Facet))] = []
    as_of: Moment | None = None
    known_at: Moment | None = None
    explain: StrictBool = False
    operators: StrictBool = True
    fold: StrictBool = True


class ChatRequest(Request):
    question: Question
    conversation_id: UUID | None = None
    filters: FiltersBody = FiltersBody()
    as_of: Moment | None = None
    known_at: Moment | None = None


class AnchorBody(Body):
    """Code points `start` to `end` of block `block_id` of that revision."""

    revision: int
    block_id: int
    start: int
    end: int
    page: int | None = None
    line: int | None = None
    message_id: str | None = None
    second: float | None = None


class SourceBody(Body):
    id: UUID
    type: str
    name: str


class SupersededBy(Body):
    document_id: UUID
    title: str
    url: str
    at: AwareDatetime


class CopyBody(Body):
    document_id: UUID
    title: str
    url: str
    source: SourceBody


class SearchResult(Body):
    """`highlights` are ranges of `snippet` in code points. `scores` and `ranks` only with `explain`: ranks count from 1
    among the documents that were looked at for the asker, and `bm25` is in standard deviations among them.

    `copies` are documents that say the same, which are no results of their own.
    """

    document_id: UUID
    chunk_id: UUID
    title: str
    snippet: str
    highlights: list[tuple[int, int]]
    anchor: AnchorBody
    url: str
    place: str = ""
    source: SourceBody
    author: str | None
    updated_at: AwareDatetime | None
    score: float
    superseded_by: SupersededBy | None = None
    scores: dict[str, float] | None = None
    ranks: dict[str, int] | None = None
    copies: list[CopyBody] = []


class FacetValue(Body):
    value: str
    count: int


class FacetBody(Body):
    """Counts among the `of_top` documents that were looked at, not among all that there are."""

    values: list[FacetValue]
    of_top: int


class ReadQuery(Body):
    """What was made of the query. `after` counts itself, `before` is the last moment that counts."""

    text: str
    phrases: list[str]
    excluded: list[str]
    people: list[str]
    places: list[str]
    kinds: list[str]
    after: AwareDatetime | None
    before: AwareDatetime | None


class SearchResponse(Body):
    """`hints`: what to try where nothing was found."""

    results: list[SearchResult]
    facets: dict[str, FacetBody]
    next_cursor: str | None
    read: ReadQuery
    hints: list[str]
    degraded: list[str]
    stages_ms: dict[str, float]
    trace_id: str


class AnswerSource(Body):
    """Sentences cite it by `n`. `place` is a file's path in its source, else empty. `revision` is the one that
    the rest is of; kept without one, it is of none."""

    n: int
    document_id: UUID
    revision: int = 0
    title: str
    url: str
    place: str = ""
    source: SourceBody
    updated_at: AwareDatetime | None
    superseded_by: SupersededBy | None = None


class CitationBody(Body):
    n: int
    quote: str
    document_id: UUID
    chunk_id: UUID
    anchor: AnchorBody


class SentenceBody(Body):
    text: str
    citations: list[CitationBody]


class UsageBody(Body):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Considered(Body):
    """A passage that was found, with the scores that ranked it. `used`: the answer could rest on it."""

    document_id: UUID
    revision: int = 0
    chunk_id: UUID
    title: str
    url: str
    place: str = ""
    source: SourceBody
    updated_at: AwareDatetime | None
    scores: dict[str, float]
    used: bool


class StoredAnswer(Body):
    """An answer as it is kept. What a reader gets of it is decided anew at each reading.

    `engine` is what wrote it; empty: the composer.
    """

    answer_id: UUID
    conversation_id: UUID
    question: str
    sentences: list[SentenceBody]
    sources: list[AnswerSource]
    abstained: bool
    reason: str | None
    unsupported_dropped: int
    degraded: list[str]
    usage: UsageBody
    stages_ms: dict[str, float]
    trace_id: str
    engine: str = ""
    considered: list[Considered] = []
    nearest: list[int] = []
    confidence: float | None = None
    evidence: dict[str, float] = {}


class AnswerBody(Body):
    """`answer` holds whole sentences, each followed by the numbers of the sources that support it.

    `rating` is what the asker thought of it.
    `nearest` numbers the sources that come nearest to a question without an answer. `confidence` is from 0 to 1, and
    `evidence` what it rests on: a reader who may not open every source gets neither.
    """

    answer_id: UUID
    conversation_id: UUID
    question: str
    asked_at: AwareDatetime
    state: AnswerProgress
    rating: Rating | None = None
    answer: str
    abstained: bool
    reason: str | None
    sources: list[AnswerSource]
    citations: list[CitationBody]
    unsupported_dropped: int
    degraded: list[str]
    usage: UsageBody
    stages_ms: dict[str, float]
    trace_id: str
    nearest: list[int] = []
    confidence: float | None = None
    evidence: dict[str, float] = {}


class MetaEvent(Body):
    """`rewritten_question`: a follow-up as it was understood from what the asker had asked before."""

    answer_id: UUID
    conversation_id: UUID
    trace_id: str
    rewritten_question: str | None = None


class TokenEvent(Body):
    """`sources` are the numbers of the sources that the text rests on."""

    text: str
    sources: list[int]


class DoneEvent(Body):
    """`citations` counts those that were sent. The last three as in AnswerBody."""

    abstained: bool
    reason: str | None
    citations: int
    unsupported_dropped: int
    degraded: list[str]
    usage: UsageBody
    stages_ms: dict[str, float]
    nearest: list[int] = []
    confidence: float | None = None
    evidence: dict[str, float] = {}


class AnswerState(Body):
    answer_id: UUID
    state: AnswerProgress


class BlockBody(Body):
    block_id: int
    kind: str
    text: str
    level: int | None
    anchor: AnchorBody


class DocumentBody(Body):
    document_id: UUID
    title: str
    url: str
    source: SourceBody
    author: str | None
    mime: str
    created_at: AwareDatetime | None
    updated_at: AwareDatetime | None
    revision: int
    blocks: list[BlockBody]


class ErrorEvent(Body):
    problem: ProblemBody


class DependencyState(Body):
    ok: bool
    ms: float


class Readiness(Body):
    status: str
    dependencies: dict[str, DependencyState]
