"""An answer is for whoever asked, and only as long as they may see what it rests on."""

import json
import random

from tests.e2e.company import Someone
from tests.redteam.arena import Arena, Arenas
from tests.redteam.changes import REVOCATIONS
from tests.redteam.looking import QUESTION
from tests.redteam.racing import race_paper


def test_the_same_question_is_answered_for_each_by_what_they_may_see(arenas: Arenas, chance: random.Random) -> None:
    """One after the other, both tenants in turn, twice: nothing is kept by its question."""
    askers = [(arena, person) for arena in arenas.both() for person in arena.source.people]
    for arena, person in [*chance.sample(askers, len(askers)), *chance.sample(askers, 3)]:
        answer = arena.person(person).ask(QUESTION)
        leaked = arenas.leaked(arena, json.dumps(answer), allowed=arena.visible(person))
        assert leaked == set(), person
        cited = {arena.names[source["document_id"]] for source in answer["sources"]}
        assert cited <= arena.visible(person)


def test_what_was_answered_is_taken_back_with_what_it_rests_on(arenas: Arenas, chance: random.Random) -> None:
    for way, revoke in REVOCATIONS.items():
        arena = arenas.ours
        paper, person = race_paper(arena, way, chance)
        someone, canary = arena.person(person), arena.source.papers[paper].canary
        answer = someone.ask(f"When is the {canary} crane greased?")["answer_id"]
        assert f"the {canary} crane" in someone.get(f"/v1/answers/{answer}").json()["answer"]
        assert revoke(arena, paper, person).is_success
        for text in _again(someone, answer):
            assert f"The harbour memo says that the {canary}" not in text, way
            assert arena.id(paper) not in text, way


def test_what_others_were_answered_is_nobody_elses(arenas: Arenas) -> None:
    answers = {(a.company.name, p): _answer(a, p) for a in arenas.both() for p in list(a.source.people)[:2]}
    for arena in arenas.both():
        for person in list(arena.source.people)[:3]:
            for (company, owner), answer in answers.items():
                if (company, owner) != (arena.company.name, person):
                    for path in (f"/v1/answers/{answer}", f"/v1/answers/{answer}/stream"):
                        assert arena.person(person).get(path).status_code == 404


def _answer(arena: Arena, person: str) -> str:
    return str(arena.person(person).ask(QUESTION)["answer_id"])


def _again(someone: Someone, answer: str) -> list[str]:
    """Without the question, which is the asker's own."""
    whole = someone.get(f"/v1/answers/{answer}").json()
    del whole["question"]
    return [json.dumps(whole), someone.get(f"/v1/answers/{answer}/stream").text]
