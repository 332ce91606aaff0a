"""Constructor fakes of what the gateway keeps for people: conversations, shares, feedback, suggestions, profiles."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, ContainerId, ConversationId, DocumentId, PersonId, SourceId, TenantId
from cortex.domain.synonyms import Groups
from cortex.ports.answer_store import AnswerRecord
from cortex.ports.conversation_store import Conversation, Place
from cortex.ports.feedback_store import Rating
from cortex.ports.profiles import Profile
from cortex.ports.suggestion_store import Candidate, Named
from tests.services.query_gateway.fakes import Answers, Documents


class Conversations:
    """Over the fake answers, which begin them."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.held = answers.conversations

    async def page(
        self, tenant: TenantId, who: PersonId, *, containing: str, before: Place | None, limit: int
    ) -> Sequence[Conversation]:
        found = [one for one in self.held.values() if one.person_id == who and self._holds(one, containing)]
        found.sort(key=lambda one: (one.updated_at, str(one.id)), reverse=True)
        if before is not None:
            found = [one for one in found if (one.updated_at, str(one.id)) < (before.at, before.id)]
        return found[:limit]

    def _holds(self, one: Conversation, containing: str) -> bool:
        asked = [record.question for record in self._answers.records.values() if record.conversation_id == one.id]
        return any(containing.lower() in text.lower() for text in [one.title, *asked])

    async def get(self, tenant: TenantId, who: PersonId, conversation: ConversationId) -> Conversation:
        found = self.held.get(conversation)
        if found is None or found.person_id != who:
            raise NotFound
        return found

    async def rename(self, tenant: TenantId, who: PersonId, conversation: ConversationId, title: str) -> Conversation:
        return self._put(replace(await self.get(tenant, who, conversation), title=title))

    async def delete(self, tenant: TenantId, who: PersonId, conversation: ConversationId) -> Sequence[AnswerId]:
        del self.held[(await self.get(tenant, who, conversation)).id]
        gone = [a for a, record in self._answers.records.items() if record.conversation_id == conversation]
        for answer in gone:
            del self._answers.records[answer], self._answers.log[answer]
        return gone

    async def turns(
        self,
        tenant: TenantId,
        conversation: ConversationId,
        *,
        before: Place | None,
        until: datetime | None,
        limit: int,
    ) -> Sequence[AnswerRecord]:
        found = [record for record in self._answers.records.values() if record.conversation_id == conversation]
        found.sort(key=lambda record: record.created_at)
        if until is not None:
            found = [record for record in found if record.created_at <= until]
        if before is not None:
            found = [record for record in found if record.created_at < before.at]
        return found[-limit:]

    async def share(
        self, tenant: TenantId, who: PersonId, conversation: ConversationId, *, token: str, now: datetime
    ) -> Conversation:
        found = await self.get(tenant, who, conversation)
        return self._put(replace(found, share_token=found.share_token or token, shared_at=now))

    async def withdraw(self, tenant: TenantId, who: PersonId, conversation: ConversationId) -> None:
        self._put(replace(await self.get(tenant, who, conversation), share_token=None, shared_at=None))

    async def shared(self, tenant: TenantId, token: str) -> Conversation:
        for one in self.held.values():
            if one.share_token == token:
                return one
        raise NotFound

    def _put(self, one: Conversation) -> Conversation:
        self.held[one.id] = one
        return one


class Feedback:
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.comments: dict[AnswerId, str | None] = {}

    async def put(
        self, tenant: TenantId, who: PersonId, answer: AnswerId, *, rating: Rating, comment: str | None
    ) -> None:
        record = await self._answers.get(tenant, who, answer)
        self._answers.records[answer] = replace(record, rating=rating.value)
        self.comments[answer] = comment

    async def take_back(self, tenant: TenantId, who: PersonId, answer: AnswerId) -> None:
        record = await self._answers.get(tenant, who, answer)
        self._answers.records[answer] = replace(record, rating=None)


class Suggested:
    """Looks at every row."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def candidates(self, tenant: TenantId, named: Named, prefix: str, *, limit: int) -> Sequence[Candidate]:
        rows = self._documents.rows.values()
        names = {row.document_id: row.title if named is Named.TITLE else row.author or "" for row in rows}
        begins = {d: any(w.startswith(prefix.lower()) for w in name.lower().split()) for d, name in names.items()}
        ordered = sorted(names, key=lambda document: (not begins[document], names[document]))
        return [Candidate(document, begins[document]) for document in ordered[:limit]]


class Profiles:
    async def profile(self, tenant: TenantId, who: PersonId) -> Profile:
        return Profile("Ann", "ann@acme.example", False, "acme", "Acme")


class Narrowing:
    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self.known_sources: dict[str, SourceId] = {}
        self.known_containers: dict[str, list[ContainerId]] = {}

    async def authored(
        self, tenant: TenantId, people: Sequence[str], *, limit: int, skip: int = 0
    ) -> Sequence[DocumentId]:
        wanted = {person.lower() for person in people}
        found = [row.document_id for row in self._documents.rows.values() if (row.author or "").lower() in wanted]
        return found[skip : skip + limit]

    async def containers(
        self, tenant: TenantId, names: Sequence[str], *, limit: int, after: ContainerId | None = None
    ) -> Sequence[ContainerId]:
        named = sorted(one for name in names for one in self.known_containers.get(name, []))
        return [one for one in named if after is None or one > after][:limit]

    async def sources(self, tenant: TenantId, names: Sequence[str]) -> Sequence[SourceId]:
        return [self.known_sources[name] for name in names if name in self.known_sources]


class SynonymGroups:
    def __init__(self) -> None:
        self.groups: Groups = ()
        self.reads = 0
        self.failing: Exception | None = None

    async def synonyms(self, tenant: TenantId) -> Groups:
        self.reads += 1
        if self.failing:
            raise self.failing
        return self.groups

    async def set_synonyms(self, tenant: TenantId, groups: Groups) -> None:
        self.groups = groups
