"""The fakes keep to the contracts of what they stand for."""

import pytest

from cortex.domain.identity import TenantId
from cortex.testing.answer_store import AnswerStoreContract
from tests.services.query_gateway.fakes import TENANT, Answers, ManualClock


class TestAnswers(AnswerStoreContract):
    @pytest.fixture
    def answers(self) -> Answers:
        return Answers(ManualClock())

    @pytest.fixture
    def tenant(self) -> TenantId:
        return TENANT
