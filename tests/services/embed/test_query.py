"""A question's encoding on real weights, in several languages, and what is refused."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cortex.domain.errors import Exhausted, Invalid
from services.embed.compose import Embed, opened
from services.embed.passages import Passage
from services.embed.settings import EmbedSettings
from tests.built_model import built_model


@pytest.fixture(scope="module")
async def embed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Embed]:
    settings = EmbedSettings(
        models_dir=built_model().folder.parent,
        cache_dir=tmp_path_factory.mktemp("cache"),
        query_characters_max=200,
        passage_characters_max=500,
    )
    async with opened(settings) as opened_embed:
        yield opened_embed


async def test_a_question_has_terms_language_and_vectors(embed: Embed) -> None:
    query = await embed.queries.encode("How long is the notice period?")
    assert query.tokens is not None
    assert (len(query.tokens.dense), len(query.tokens.token_vectors)) == (384 * 4, 7 * 384 * 4)
    assert query.sparse.indices
    assert (query.language.code, query.supported, query.model_key) == ("en", True, built_model().card.key)


@pytest.mark.parametrize(
    "question", ["Wie lange ist die Kündigungsfrist?", "报销的截止日期是哪一天?", "締め切りはいつですか"]
)
async def test_a_language_that_the_model_does_not_declare_is_said_to_be_unsupported(
    embed: Embed, question: str
) -> None:
    query = await embed.queries.encode(question)
    assert query.sparse.indices
    assert not query.supported


@pytest.mark.parametrize("empty", ["", " \n"])
async def test_an_empty_question_is_invalid(embed: Embed, empty: str) -> None:
    with pytest.raises(Invalid, match="empty"):
        await embed.queries.encode(empty)


async def test_a_question_without_a_word_still_has_vectors(embed: Embed) -> None:
    query = await embed.queries.encode("???")
    assert query.sparse.indices == ()
    assert query.tokens is not None


async def test_a_question_of_many_pages_is_refused(embed: Embed) -> None:
    with pytest.raises(Exhausted, match="at most 200"):
        await embed.queries.encode("x" * 201)


async def test_passages_get_terms_in_the_language_that_is_given_or_found(embed: Embed) -> None:
    given, found = await embed.passages.terms([Passage("Fristen", "de"), Passage("Die Frist beträgt drei Monate.")])
    assert (given.language, found.language) == ("de", "de")
    assert set(given.sparse.indices) & set(found.sparse.indices)


async def test_passages_get_vectors_in_order(embed: Embed) -> None:
    first, second = await embed.passages.vectors(["one text", "another text"])
    assert [first, second] == [
        *await embed.passages.vectors(["one text"]),
        *await embed.passages.vectors(["another text"]),
    ]


async def test_a_passage_that_no_chunk_could_be_is_refused(embed: Embed) -> None:
    with pytest.raises(Exhausted, match="passage 1"):
        await embed.passages.vectors(["fine", "x" * 501])


async def test_a_missing_model_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="cortex models build"):
        async with opened(EmbedSettings(models_dir=tmp_path, cache_dir=tmp_path)):
            raise AssertionError("opened without a model")
