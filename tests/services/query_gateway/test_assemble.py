"""What an answer rests on, and whether a sentence is supported by it."""

import uuid
from dataclasses import replace
from typing import Any

import pytest

from cortex.domain.answer import Citation, Passage, Sentence
from cortex.domain.document import Anchor
from cortex.domain.identity import ChunkId, DocumentId
from cortex.domain.query import Found, source_numbers
from services.query_gateway.assemble import assemble
from services.query_gateway.grounding import Grounding
from tests.services.query_gateway.test_snippet import passage


def made(name: str, *texts: str) -> Found:
    document = DocumentId(uuid.uuid5(uuid.NAMESPACE_URL, name))
    passages = tuple(
        replace(passage(text), document_id=document, chunk_id=ChunkId(uuid.uuid5(document, str(n))))
        for n, text in enumerate(texts)
    )
    return Found(document, passages, ())


def texts(found: list[Passage]) -> list[str]:
    return [one.text for one in found]


def test_passages_come_by_document_best_first() -> None:
    found = [made("a", "alpha one", "alpha two"), made("b", "beta one")]
    assert texts(assemble(found, characters_max=1000)) == ["alpha one", "alpha two", "beta one"]


def test_a_small_budget_prefers_many_documents_to_many_passages() -> None:
    found = [made("a", "alpha one", "alpha two"), made("b", "beta one!")]
    assert texts(assemble(found, characters_max=18)) == ["alpha one", "beta one!"]


def test_the_same_text_of_two_documents_is_taken_once() -> None:
    text = "Deploys go out every Tuesday at ten in the morning."
    assert texts(assemble([made("a", text), made("copy", text)], characters_max=1000)) == [text]


def test_nothing_found_is_nothing_assembled() -> None:
    assert assemble([], characters_max=1000) == []


BASE = made("a", "The sky is blue. Grass is green.").passages[0]


def sentence(**changes: Any) -> Sentence:
    citation = Citation(1, "Grass is green.", BASE.document_id, BASE.chunk_id, Anchor(3, 0, 27, 42))
    return Sentence("Grass is green.", (replace(citation, **changes),))


def test_an_exact_quote_is_supported() -> None:
    assert Grounding([BASE]).supported(sentence())


@pytest.mark.parametrize(
    "changes",
    [
        {"quote": "Grass is red..."},
        {"quote": ""},
        {"n": 2},
        {"anchor": Anchor(3, 0, 26, 41)},
        {"anchor": Anchor(3, 1, 27, 42)},
        {"anchor": Anchor(2, 0, 27, 42)},
        {"anchor": Anchor(3, 0, 27, 99)},
        {"chunk_id": ChunkId(uuid.UUID(int=5))},
        {"document_id": DocumentId(uuid.UUID(int=5))},
    ],
)
def test_whatever_differs_is_not_supported(changes: dict[str, object]) -> None:
    assert not Grounding([BASE]).supported(sentence(**changes))


def test_a_sentence_without_a_citation_is_not_supported() -> None:
    assert not Grounding([BASE]).supported(Sentence("Grass is green.", ()))


def test_sources_are_numbered_by_their_first_passage() -> None:
    one, two = made("a", "x", "y"), made("b", "z")
    assert source_numbers([*one.passages, *two.passages]) == {one.document_id: 1, two.document_id: 2}
