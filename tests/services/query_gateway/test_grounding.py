"""Nobody who writes is believed: quotes are exact, and say what the sentence says."""

from dataclasses import replace

import pytest

from cortex.domain.answer import Citation, Passage, Sentence
from services.query_gateway.grounding import Grounding
from tests.services.llm_gateway.extractive.passages import passage

LEAVE = passage("Everyone at Acme has 31 days of annual leave.", title="Leave")
NOTICE = passage("Notice is 3 months.", "It ends with a quarter.", title="Notice period")


def cited(text: str, *quotes: tuple[Passage, int, str]) -> Sentence:
    numbers = {LEAVE.document_id: 1, NOTICE.document_id: 2}
    citations = []
    for source, block, quote in quotes:
        start = source.text.split("\n")[block].find(quote)
        anchor = replace(source.anchors[block], start=start, end=start + len(quote))
        n = numbers[source.document_id]
        citations.append(Citation(n, quote, source.document_id, source.chunk_id, anchor))
    return Sentence(text, tuple(citations))


def supported(sentence: Sentence) -> bool:
    return Grounding([LEAVE, NOTICE]).supported(sentence)


def test_exact_words_and_fair_paraphrases_are_supported() -> None:
    assert supported(cited("Everyone at Acme has 31 days", (LEAVE, 0, "Everyone at Acme has 31 days")))
    assert supported(cited("Everyone gets 31 days of annual leave.", (LEAVE, 0, LEAVE.text)))
    both = ((NOTICE, 0, "Notice is 3 months."), (NOTICE, 1, "It ends with a quarter."))
    assert supported(cited("The notice period is three months and ends with the quarter.", *both))


@pytest.mark.parametrize(
    "text", ["Everyone has 40 days of annual leave.", "Nobody has 31 days of annual leave.", "Ask the help desk.", " "]
)
def test_an_exact_quote_does_not_help_what_it_does_not_say(text: str) -> None:
    assert not supported(cited(text, (LEAVE, 0, LEAVE.text)))


def test_without_citations_or_with_one_that_is_not_exact_nothing_is_supported() -> None:
    good = cited("31 days of annual leave", (LEAVE, 0, "31 days of annual leave"))
    (citation,) = good.citations
    shifted = replace(citation, anchor=replace(citation.anchor, start=citation.anchor.start + 1))
    wrong = [
        replace(good, citations=()),
        replace(good, citations=(replace(citation, n=2),)),
        replace(good, citations=(replace(citation, chunk_id=NOTICE.chunk_id),)),
        replace(good, citations=(replace(citation, quote="40 days of annual leave"),)),
        replace(good, citations=(shifted,)),
        replace(good, citations=(citation, shifted)),
    ]
    assert supported(good)
    assert [one for one in wrong if supported(one)] == []
