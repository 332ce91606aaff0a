"""The check of the ranking notices what it is for, and holds for what is committed."""

import json
from dataclasses import replace

import pytest

from cortex.domain.fusion import Candidate
from eval.ranking_check import BASELINE, Kept, judge, kept, ranked, read
from eval.retrieval.measures import HEADLINE, Scores

WANTED = ["wanted", 9.0, 0.9, 0.9, []]
OTHERS = [[f"other-{n}", 1.0, 0.1, 0.1, []] for n in range(12)]


def headline(scores: Scores) -> dict[str, float]:
    return {name: one[HEADLINE] for name, one in scores.items()}


def test_it_ranks_documents_by_the_products_own_fusion() -> None:
    again = ["wanted", 8.0, 0.8, 0.8, []]
    found = ranked({"q": kept(["wanted"], [*OTHERS, again, WANTED]), "r": kept(["other-3"], [WANTED, again, *OTHERS])})
    assert found["q"][HEADLINE] == 1.0
    assert found["r"][HEADLINE] < 0.5


@pytest.mark.parametrize(("share", "worse"), [(0.0, False), (0.02, True), (0.5, True)])
def test_a_ranking_that_loses_more_than_noise_is_refused(share: float, worse: bool) -> None:
    before = {str(n): 0.8 for n in range(50)}
    now: Scores = {str(n): {HEADLINE: 0.8 - share} for n in range(50)}
    assert judge(now, before).worse is worse


def test_a_few_questions_up_and_down_are_noise() -> None:
    before = {str(n): 0.5 for n in range(50)}
    now: Scores = {str(n): {HEADLINE: 0.5 + (0.2 if n % 2 else -0.21)} for n in range(50)}
    assert not judge(now, before).worse


def test_what_is_committed_holds() -> None:
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    questions = read()
    assert baseline.keys() == questions.keys()
    assert not judge(ranked(questions), baseline).worse


def only_terms(one: Kept) -> Kept:
    candidates = tuple(Candidate(c.id, c.bm25, None, None) for c in one.candidates)
    return replace(one, candidates=candidates, neighbours={})


def test_the_kept_questions_would_notice_arms_that_are_gone() -> None:
    """Otherwise the check proves nothing."""
    baseline = headline(ranked(read()))
    assert judge(ranked({name: only_terms(one) for name, one in read().items()}), baseline).worse
