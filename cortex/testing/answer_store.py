"""What every store of answers must keep to."""

import json
import uuid

import pytest

from cortex.domain.errors import NotFound
from cortex.domain.identity import AnswerId, ConversationId, PersonId, TenantId
from cortex.ports.answer_store import AnswerEvent, AnswerStore


def new_answer() -> AnswerId:
    return AnswerId(uuid.uuid4())


def new_conversation() -> ConversationId:
    return ConversationId(uuid.uuid4())


def new_person() -> PersonId:
    return PersonId(uuid.uuid4())


def event(sequence: int, text: str = "text") -> AnswerEvent:
    return AnswerEvent(sequence, "token", json.dumps({"text": f"{text} {sequence}"}))


class AnswerStoreContract:
    """Subclass as `Test...` and give it fixtures `answers` and `tenant`."""

    async def test_an_answer_is_running_until_it_is_finished(self, answers: AnswerStore, tenant: TenantId) -> None:
        person, answer, conversation = new_person(), new_answer(), new_conversation()
        await answers.create(tenant, person, answer, conversation_id=conversation, question="When?")
        running = await answers.get(tenant, person, answer)
        assert (running.state, running.record, running.conversation_id) == ("running", None, conversation)
        await answers.finish(tenant, answer, state="done", record={"sentences": ["Im März."], "citations": []})
        done = await answers.get(tenant, person, answer)
        assert (done.state, done.question, done.person_id) == ("done", "When?", person)
        assert json.loads(done.record or "") == {"sentences": ["Im März."], "citations": []}

    async def test_nobody_else_reads_it(self, answers: AnswerStore, tenant: TenantId) -> None:
        answer = new_answer()
        await answers.create(tenant, new_person(), answer, conversation_id=new_conversation(), question="When?")
        with pytest.raises(NotFound):
            await answers.get(tenant, new_person(), answer)
        with pytest.raises(NotFound):
            await answers.get(tenant, new_person(), new_answer())

    async def test_events_come_in_order_after_the_one_last_seen(self, answers: AnswerStore, tenant: TenantId) -> None:
        answer = new_answer()
        await answers.create(tenant, new_person(), answer, conversation_id=new_conversation(), question="When?")
        await answers.append(tenant, answer, [event(2), event(1)])
        await answers.append(tenant, answer, [])
        await answers.append(tenant, answer, [event(3)])
        assert [found.sequence for found in await answers.events(tenant, answer, after=0)] == [1, 2, 3]
        assert [found.sequence for found in await answers.events(tenant, answer, after=2)] == [3]
        assert await answers.events(tenant, answer, after=3) == []

    async def test_the_same_sequence_is_kept_once(self, answers: AnswerStore, tenant: TenantId) -> None:
        answer = new_answer()
        await answers.create(tenant, new_person(), answer, conversation_id=new_conversation(), question="When?")
        await answers.append(tenant, answer, [event(1, "first")])
        await answers.append(tenant, answer, [event(1, "again"), event(2)])
        found = await answers.events(tenant, answer, after=0)
        assert [json.loads(each.data)["text"] for each in found] == ["first 1", "text 2"]

    async def test_a_conversation_goes_on_and_is_nobody_elses(self, answers: AnswerStore, tenant: TenantId) -> None:
        person, conversation, second = new_person(), new_conversation(), new_answer()
        for answer in (new_answer(), second):
            await answers.create(tenant, person, answer, conversation_id=conversation, question="When?")
        assert (await answers.get(tenant, person, second)).conversation_id == conversation
        with pytest.raises(NotFound):
            await answers.create(tenant, new_person(), new_answer(), conversation_id=conversation, question="When?")

    async def test_what_was_deleted_takes_no_more_events(self, answers: AnswerStore, tenant: TenantId) -> None:
        with pytest.raises(NotFound):
            await answers.append(tenant, new_answer(), [event(1)])
        await answers.finish(tenant, new_answer(), state="done", record={"document_id": str(new_answer())})
