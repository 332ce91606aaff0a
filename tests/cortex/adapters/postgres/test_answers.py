"""Answers in Postgres keep to the contract; what they cite can be found again."""

import uuid

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.answers import EVENTS_MAX, PostgresAnswers
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.errors import NotFound
from cortex.domain.identity import TenantId
from cortex.testing.answer_store import AnswerStoreContract, event, new_answer, new_conversation, new_person

pytestmark = pytest.mark.servers


@pytest.fixture
def answers(database: Database) -> PostgresAnswers:
    return PostgresAnswers(database)


@pytest.fixture
async def tenant(database: Database) -> TenantId:
    return await new_tenant(database)


async def new_tenant(database: Database) -> TenantId:
    return await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")


class TestPostgres(AnswerStoreContract):
    """Over a database that other tests share."""


async def test_another_tenant_has_none_of_it(database: Database, answers: PostgresAnswers, tenant: TenantId) -> None:
    person, answer, other = new_person(), new_answer(), await new_tenant(database)
    await answers.create(tenant, person, answer, conversation_id=new_conversation(), question="When?")
    await answers.append(tenant, answer, [event(1)])
    await answers.finish(other, answer, state="done", record={})
    with pytest.raises(NotFound):
        await answers.get(other, person, answer)
    assert await answers.events(other, answer, after=0) == []
    assert (await answers.get(tenant, person, answer)).state == "running"


async def test_a_long_log_comes_in_pages(answers: PostgresAnswers, tenant: TenantId) -> None:
    answer = new_answer()
    await answers.create(tenant, new_person(), answer, conversation_id=new_conversation(), question="When?")
    await answers.append(tenant, answer, [event(sequence) for sequence in range(1, EVENTS_MAX + 6)])
    first = await answers.events(tenant, answer, after=0)
    assert len(first) == EVENTS_MAX
    assert len(await answers.events(tenant, answer, after=first[-1].sequence)) == 5


async def test_what_an_answer_cites_is_kept_for_erasure(
    database: Database, answers: PostgresAnswers, tenant: TenantId
) -> None:
    """Whoever erases a document must find every answer that names or quotes it."""
    answer, documents = new_answer(), sorted(str(uuid.uuid4()) for _ in range(3))
    await answers.create(tenant, new_person(), answer, conversation_id=new_conversation(), question="When?")
    cited = [
        {"text": "In May.", "citations": [{"document_id": document, "quote": "May"}]} for document in documents[:2]
    ]
    sources = [{"n": n, "document_id": document} for n, document in enumerate(documents)]
    for _ in range(2):
        await answers.finish(tenant, answer, state="done", record={"sentences": cited, "sources": sources})
    async with database.tenant(tenant) as connection:
        rows = await connection.execute(text("SELECT document_id FROM answer_citations ORDER BY 1"))
        assert [str(row.document_id) for row in rows] == documents
