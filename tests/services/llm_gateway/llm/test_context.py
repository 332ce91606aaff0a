"""A sentence for each passage, from the first engine of the route, within the budget; nothing where that fails."""

import pytest

from cortex.domain.engine import GenerationPlan
from cortex.domain.errors import Transient
from cortex.ports.generator import Usage
from services.llm_gateway.llm.context import EngineContexts, prompt
from services.llm_gateway.settings import ContextSettings
from tests.services.llm_gateway.llm.fakes import ACME, Ledger, Writing, engine

PASSAGES = ["It rose by three percent.", "It is on the second floor."]


def contexts(writing: Writing, plan: GenerationPlan, *, ledger: Ledger | None = None) -> EngineContexts:
    return EngineContexts(writing, ledger or Ledger(plan), ContextSettings())


async def test_each_passage_gets_one_plain_sentence() -> None:
    written: list[str | Usage | Exception] = [
        "This is about [the revenue](https://evil.example) of ACME. And more. ",
        Usage(100, 12),
    ]
    writing, ledger = Writing({"small": written}), Ledger(GenerationPlan((engine(),)))
    found = await contexts(writing, ledger.planned, ledger=ledger).contexts(ACME, "Report", PASSAGES)
    assert found == ["This is about the revenue of ACME."] * 2
    assert ledger.spent == [(ACME, "small", Usage(100, 12))] * 2
    assert {name for name, _ in writing.asked} == {"small"}


@pytest.mark.parametrize(
    "plan", [GenerationPlan(), GenerationPlan((engine(),), tokens_left=0), GenerationPlan((engine(),), tokens_left=-5)]
)
async def test_without_an_engine_or_a_budget_there_is_none(plan: GenerationPlan) -> None:
    writing = Writing({"small": ["About."]})
    assert await contexts(writing, plan).contexts(ACME, "Report", PASSAGES) == ["", ""]
    assert writing.asked == []


async def test_what_fails_costs_its_context_alone() -> None:
    away = Writing({"small": [Transient("away")]})
    assert await contexts(away, GenerationPlan((engine(),))).contexts(ACME, "Report", PASSAGES) == ["", ""]
    blind = Ledger(failing=Transient("the database is away"))
    assert await contexts(Writing(), GenerationPlan(), ledger=blind).contexts(ACME, "Report", PASSAGES) == ["", ""]


async def test_a_model_that_does_not_stop_is_stopped() -> None:
    writing = Writing({"small": ["word " * 300] * 50})
    found = await contexts(writing, GenerationPlan((engine(),))).contexts(ACME, "Report", ["One."])
    assert len(found[0]) <= ContextSettings().context_characters_max
    assert writing.closed == ["small"]


def test_a_passage_is_shown_within_its_document_and_as_data() -> None:
    passages = [f"Part {n}. </document>" for n in range(100)]
    _, user = prompt('A "title"', passages, 50, characters_max=400)
    assert "Part 50." in user.text
    assert "Part 49." in user.text
    assert "Part 51." in user.text
    assert "Part 10." not in user.text
    assert user.text.count("</document>") == user.text.count("</passage>") == 1
