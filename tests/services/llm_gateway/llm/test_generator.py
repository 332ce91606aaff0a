"""Engines in their order, budgets, the cache, and the composer where nothing else answers."""

from contextlib import aclosing

import pytest

from cortex.domain.answer import Sentence
from cortex.domain.errors import CortexError, Denied, Invalid, Transient
from cortex.ports.generator import Ending, Usage
from tests.services.llm_gateway.extractive.passages import passage
from tests.services.llm_gateway.llm.fakes import ACME, Bench, engine

PAGE = passage("Everyone at Acme has 31 days of annual leave. Ask Ann Chen for more.", title="Annual leave")
QUESTION = "How many days of annual leave does everyone have?"
WRITTEN: list[str | Usage | Exception] = [
    "Everyone gets 31 days ",
    "of annual leave. [1] ",
    "More is up to Ann Chen. [1]",
    Usage(40, 12),
]
COMPOSED = "Everyone at Acme has 31 days of annual leave."
AWAY = Transient("engine small: away")


async def test_a_model_writes_and_the_passages_own_words_stand_behind_it() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = WRITTEN
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert sentences[0].text == "Everyone gets 31 days of annual leave."
    assert [citation.quote for citation in sentences[0].citations] == [COMPOSED]
    assert ending == Ending(abstained=False, usage=Usage(40, 12), engine="small")
    assert bench.ledger.spent == [(ACME, "small", Usage(40, 12))]


async def test_without_engines_or_passages_the_composer_answers_and_nothing_is_missing() -> None:
    sentences, ending = await Bench(engines=()).answer(QUESTION, [PAGE])
    assert ([one.text for one in sentences], ending.degraded) == ([COMPOSED], ())
    bench = Bench()
    assert (await bench.answer(QUESTION, []))[1] == Ending(abstained=True, reason="nothing_found", confidence=0.0)
    assert bench.writing.asked == []


@pytest.mark.parametrize("failure", [AWAY, Denied("engine first: the key is refused"), Invalid("engine first: 404")])
async def test_the_next_engine_is_asked_where_one_fails(failure: CortexError) -> None:
    bench = Bench(engines=(engine("first"), engine("second")))
    bench.writing.scripts = {"first": [failure], "second": WRITTEN}
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert (len(sentences), ending.engine, ending.degraded) == (2, "second", ())
    bench.writing.asked.clear()
    await bench.answer("Who grants more annual leave?", [PAGE])
    assert [name for name, _ in bench.writing.asked] == ["second"], "the first one rests"


async def test_where_every_engine_fails_the_composer_answers_and_says_so() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = [AWAY]
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert ([one.text for one in sentences], ending.degraded, ending.engine) == ([COMPOSED], ("llm",), "")


async def test_what_was_said_before_it_broke_off_is_not_said_again() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = ["Everyone gets 31 days of annual leave. [1] More ", AWAY]
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert [one.text for one in sentences] == ["Everyone gets 31 days of annual leave."]
    assert (ending.abstained, ending.degraded) == (False, ("llm",))
    ((_, _, usage),) = bench.ledger.spent
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


async def test_a_spent_budget_leaves_the_composer() -> None:
    bench = Bench(tokens_left=0)
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert ([one.text for one in sentences], ending.degraded) == ([COMPOSED], ("llm_budget",))
    assert bench.writing.asked == []


async def test_no_engine_is_asked_where_no_budget_can_be_read() -> None:
    bench = Bench()
    bench.ledger.failing = Transient("the database is away")
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert ([one.text for one in sentences], ending.degraded) == ([COMPOSED], ("llm",))
    assert bench.writing.asked == []


async def test_the_model_may_say_that_the_passages_do_not_answer() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = ["NOT_IN_", "PASSAGES", Usage(40, 3)]
    sentences, ending = await bench.answer("What is the wifi password?", [PAGE])
    assert (sentences, ending) == (
        [],
        Ending(abstained=True, reason="not_found", usage=Usage(40, 3), engine="small"),
    )


async def test_a_model_of_which_nothing_is_supported_is_not_believed() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = ["Everyone has 99 days. [1] The moon is made of cheese. [1]", Usage(40, 9)]
    sentences, ending = await bench.answer(QUESTION, [PAGE])
    assert [one.text for one in sentences if one.citations] == [COMPOSED]
    assert [one.text for one in sentences if not one.citations] == [
        "Everyone has 99 days.",
        "The moon is made of cheese.",
    ]
    assert (ending.degraded, ending.usage, ending.abstained) == (("llm_unsupported",), Usage(40, 9), False)
    assert bench.cache.kept == {}


async def test_the_same_again_comes_from_the_cache_and_costs_nothing() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = WRITTEN
    first, _ = await bench.answer(QUESTION, [PAGE])
    second, ending = await bench.answer(QUESTION, [PAGE])
    assert second == first
    assert (ending.usage, ending.engine) == (Usage(), "small")
    assert len(bench.writing.asked) == len(bench.ledger.spent) == 1
    assert bench.cache.documents == [[PAGE.document_id]]


async def test_a_cache_that_is_away_changes_nothing() -> None:
    bench = Bench()
    bench.cache.failing = Transient("away")
    bench.writing.scripts["small"] = WRITTEN
    assert len((await bench.answer(QUESTION, [PAGE]))[0]) == 2


async def test_what_was_broken_off_is_not_cached() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = ["Everyone gets 31 days of annual leave. [1] More ", AWAY]
    await bench.answer(QUESTION, [PAGE])
    assert bench.cache.kept == {}


async def test_whoever_leaves_ends_the_call_and_it_is_accounted_for() -> None:
    bench = Bench()
    bench.writing.scripts["small"] = WRITTEN
    async with aclosing(bench.generator.generate(bench.ask(QUESTION, [PAGE]))) as parts:
        assert isinstance(await anext(parts), Sentence)
    assert bench.writing.closed == ["small"]
    assert [name for _, name, _ in bench.ledger.spent] == ["small"]
    assert bench.cache.kept == {}
