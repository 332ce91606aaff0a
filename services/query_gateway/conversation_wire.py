"""Bodies of conversations, shares, feedback, explanations and suggestions."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, Field

from cortex.domain.credential import Role, Scope
from cortex.ports.feedback_store import Rating
from services.query_gateway.wire import (
    AnswerBody,
    AnswerProgress,
    AnswerSource,
    Body,
    CitationBody,
    Request,
    SourceBody,
    UsageBody,
    well_formed,
)

TITLE_CHARACTERS_MAX = 200
COMMENT_CHARACTERS_MAX = 4_000

Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARACTERS_MAX), AfterValidator(well_formed)]
Comment = Annotated[str, Field(min_length=1, max_length=COMMENT_CHARACTERS_MAX), AfterValidator(well_formed)]


class ShareBody(Body):
    """`url` opens what was asked until `shared_at`, for whoever is signed in to the same tenant."""

    url: str
    shared_at: AwareDatetime


class ConversationBody(Body):
    """`updated_at` is when something was asked last."""

    conversation_id: UUID
    title: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    share: ShareBody | None


class ConversationList(Body):
    items: list[ConversationBody]
    next_cursor: str | None


class ConversationDetail(Body):
    """The latest turns, oldest of them first; `next_cursor` leads to older ones."""

    conversation_id: UUID
    title: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    share: ShareBody | None
    turns: list[AnswerBody]
    next_cursor: str | None


class RenameRequest(Request):
    title: Title


class SharedTurn(Body):
    """As its reader may see it. What they may not see is not told from what was never found."""

    question: str
    asked_at: AwareDatetime
    answer: str
    abstained: bool
    sources: list[AnswerSource]
    citations: list[CitationBody]


class SharedConversation(Body):
    title: str
    shared_at: AwareDatetime
    turns: list[SharedTurn]
    next_cursor: str | None


class FeedbackRequest(Request):
    rating: Rating
    comment: Comment | None = None


class FeedbackBody(Body):
    answer_id: UUID
    rating: Rating
    comment: str | None


class ExplainedPassage(Body):
    """Ranks count from 1 among the passages that are shown here, by each score; `fused` is the final order.

    `bm25` is in standard deviations among the same passages.
    """

    document_id: UUID
    chunk_id: UUID
    title: str
    url: str
    source: SourceBody
    updated_at: AwareDatetime | None
    scores: dict[str, float]
    ranks: dict[str, int]
    used: bool
    cited: bool


class Explanation(Body):
    """Why the answer is as it is: what was found, in final order, what wrote it, and what that cost.

    `engine` is empty where the built-in composer quoted, which costs no tokens.
    """

    answer_id: UUID
    question: str
    state: AnswerProgress
    abstained: bool
    reason: str | None
    passages: list[ExplainedPassage]
    degraded: list[str]
    unsupported_dropped: int
    engine: str
    usage: UsageBody
    stages_ms: dict[str, float]


class DocumentSuggestion(Body):
    kind: Literal["document"] = "document"
    text: str
    document_id: UUID
    url: str
    source: SourceBody


class PersonSuggestion(Body):
    """An author of something that the asker may open."""

    kind: Literal["person"] = "person"
    text: str


class Suggestions(Body):
    items: list[Annotated[DocumentSuggestion | PersonSuggestion, Field(discriminator="kind")]]


class PersonBody(Body):
    id: UUID
    name: str
    email: str | None
    guest: bool


class TenantBody(Body):
    id: UUID
    name: str
    title: str


class MeBody(Body):
    """Who the credential says is asking. `scopes` are what it may be used for."""

    person: PersonBody
    tenant: TenantBody
    role: Role
    scopes: list[Scope]


class SourceList(Body):
    """Sources from which the asker may open something."""

    items: list[SourceBody]
