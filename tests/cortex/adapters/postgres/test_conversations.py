import uuid
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.answers import PostgresAnswers
from cortex.adapters.postgres.conversations import PostgresConversations
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.feedback import PostgresFeedback
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, ConversationId, PersonId, TenantId
from cortex.ports.conversation_store import Place
from cortex.ports.feedback_store import Rating
from cortex.testing.answer_store import event, new_answer, new_conversation, new_person

pytestmark = pytest.mark.servers

LATER = datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def conversations(database: Database) -> PostgresConversations:
    return PostgresConversations(database)


@pytest.fixture
async def tenant(database: Database) -> TenantId:
    return await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")


async def asked(
    database: Database, tenant: TenantId, person: PersonId, conversation: ConversationId, question: str
) -> AnswerId:
    answer = new_answer()
    await PostgresAnswers(database).create(tenant, person, answer, conversation_id=conversation, question=question)
    return answer


async def test_they_come_latest_first_in_pages(
    database: Database, conversations: PostgresConversations, tenant: TenantId
) -> None:
    ann, known = new_person(), [new_conversation() for _ in range(5)]
    for conversation in known:
        await asked(database, tenant, ann, conversation, "When?")
    await asked(database, tenant, ann, known[1], "And then?")
    await asked(database, tenant, new_person(), new_conversation(), "Somebody else's")
    seen: list[ConversationId] = []
    before: Place | None = None
    while page := await conversations.page(tenant, ann, containing="", before=before, limit=2):
        seen += [one.id for one in page]
        before = Place(page[-1].updated_at, str(page[-1].id))
    assert seen == [known[1], known[4], known[3], known[2], known[0]]


async def test_a_search_looks_into_titles_and_own_questions_in_any_case(
    database: Database, conversations: PostgresConversations, tenant: TenantId
) -> None:
    ann, bob, first, second = new_person(), new_person(), new_conversation(), new_conversation()
    await asked(database, tenant, ann, first, "Wann ist die ÜBERGABE?")
    await asked(database, tenant, ann, first, "What of 100%_sure?")
    await asked(database, tenant, ann, second, "Something else")
    await asked(database, tenant, bob, new_conversation(), "Wann ist die Übergabe?")

    async def found(containing: str) -> list[ConversationId]:
        return [one.id for one in await conversations.page(tenant, ann, containing=containing, before=None, limit=9)]

    assert await found("übergabe") == [first]
    assert await found("100%_SURE") == [first]
    assert await found("0_s") == []
    await conversations.rename(tenant, ann, second, "Roof terrace")
    assert await found("TERRACE") == [second]


async def test_turns_are_in_order_and_those_until_a_time_can_be_had(
    database: Database, conversations: PostgresConversations, tenant: TenantId
) -> None:
    ann, conversation = new_person(), new_conversation()
    answers = [await asked(database, tenant, ann, conversation, f"{n}?") for n in range(4)]
    turns = await conversations.turns(tenant, conversation, before=None, until=None, limit=3)
    assert [turn.answer_id for turn in turns] == answers[1:]
    older = Place(turns[0].created_at, str(turns[0].answer_id))
    assert [
        turn.answer_id for turn in await conversations.turns(tenant, conversation, before=older, until=None, limit=3)
    ] == answers[:1]
    until = await conversations.turns(tenant, conversation, before=None, until=turns[1].created_at, limit=9)
    assert [turn.answer_id for turn in until] == answers[:3]


async def test_nobody_else_has_it_in_any_way(
    database: Database, conversations: PostgresConversations, tenant: TenantId
) -> None:
    ann, bob, conversation = new_person(), new_person(), new_conversation()
    answer = await asked(database, tenant, ann, conversation, "When?")
    other = await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="Another")
    feedback = PostgresFeedback(database)
    for where, who in ((tenant, bob), (other, ann)):
        for call in (
            conversations.get(where, who, conversation),
            conversations.rename(where, who, conversation, "Mine"),
            conversations.delete(where, who, conversation),
            conversations.share(where, who, conversation, token="t", now=LATER),
            conversations.withdraw(where, who, conversation),
            feedback.put(where, who, answer, rating=Rating.UP, comment=None),
            feedback.take_back(where, who, answer),
        ):
            with pytest.raises(NotFound):
                await call
    assert await conversations.turns(other, conversation, before=None, until=None, limit=9) == []
    assert (await conversations.get(tenant, ann, conversation)).title == "When?"


async def test_a_share_keeps_its_token_and_opens_in_its_tenant_until_it_is_withdrawn(
    database: Database, conversations: PostgresConversations, tenant: TenantId
) -> None:
    ann, conversation, token = new_person(), new_conversation(), uuid.uuid4().hex
    await asked(database, tenant, ann, conversation, "When?")
    first = await conversations.share(tenant, ann, conversation, token=token, now=LATER)
    again = await conversations.share(tenant, ann, conversation, token="another", now=LATER + timedelta(hours=1))
    assert (first.share_token, again.share_token) == (token, token)
    assert again.shared_at == LATER + timedelta(hours=1)
    assert (await conversations.shared(tenant, token)).id == conversation
    other = await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="Another")
    with pytest.raises(NotFound):
        await conversations.shared(other, token)
    for _ in range(2):
        await conversations.withdraw(tenant, ann, conversation)
    with pytest.raises(NotFound):
        await conversations.shared(tenant, token)


async def test_one_that_is_deleted_takes_everything_with_it(
    database: Database, conversations: PostgresConversations, tenant: TenantId
) -> None:
    ann, conversation = new_person(), new_conversation()
    answer = await asked(database, tenant, ann, conversation, "When?")
    answers = PostgresAnswers(database)
    await answers.append(tenant, answer, [event(1)])
    await answers.finish(tenant, answer, state="done", record={"sources": [{"document_id": str(uuid.uuid4())}]})
    await PostgresFeedback(database).put(tenant, ann, answer, rating=Rating.DOWN, comment="No.")
    assert await conversations.delete(tenant, ann, conversation) == [answer]
    async with database.tenant(tenant) as connection:
        for table in ("conversations", "answers", "answer_events", "answer_citations", "answer_feedback"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0, table
    with pytest.raises(NotFound):
        await answers.append(tenant, answer, [event(2)])


async def test_the_last_word_counts(database: Database, tenant: TenantId) -> None:
    ann, conversation = new_person(), new_conversation()
    answer = await asked(database, tenant, ann, conversation, "When?")
    feedback, answers = PostgresFeedback(database), PostgresAnswers(database)
    assert (await answers.get(tenant, ann, answer)).rating is None
    for rating in (Rating.UP, Rating.DOWN):
        await feedback.put(tenant, ann, answer, rating=rating, comment=rating.value)
        assert (await answers.get(tenant, ann, answer)).rating == rating.value
    for _ in range(2):
        await feedback.take_back(tenant, ann, answer)
    assert (await answers.get(tenant, ann, answer)).rating is None
