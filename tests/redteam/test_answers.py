"""An answer is for whoever asked, and only as long as they may see what it rests on."""

import json
import random

from tests.e2e.company import Someone, done, whole
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


def test_a_share_shows_each_reader_what_they_may_see(arenas: Arenas, chance: random.Random) -> None:
    """Whoever may see most shares; everyone of both tenants reads, the other tenant's people nothing at all."""
    for arena, other in (arenas.both(), arenas.both()[::-1]):
        owner = max(arena.source.people, key=lambda person: len(arena.visible(person)))
        words = [arena.source.papers[paper].canary for paper in sorted(arena.visible(owner))]
        conversation = arena.person(owner).ask(QUESTION)["conversation_id"]
        for word in chance.sample(words, min(4, len(words))):
            body = {"question": f"When is the {word} crane greased?", "conversation_id": conversation}
            done(arena.person(owner).post("/v1/chat", body, Accept="application/json"))
        url = whole(arena.person(owner).post(f"/v1/conversations/{conversation}/share"))["url"]
        path = f"/v1/shares/{url.rpartition('/')[2]}"
        for person in arena.source.people:
            shown = done(arena.person(person).get(path)).text
            # The questions are the owner's own words, and shared as such.
            leaked = arenas.leaked(arena, shown, allowed=arena.visible(person), said=" ".join(words))
            assert leaked == set(), person
            for turn in json.loads(shown)["turns"]:
                answered = json.dumps({**turn, "question": ""})
                assert arenas.leaked(arena, answered, allowed=arena.visible(person)) == set(), person
        for person in other.source.people:
            assert other.person(person).get(path).status_code == 404


def test_conversations_are_nobody_elses(arenas: Arenas) -> None:
    arena = arenas.ours
    owner, *others = list(arena.source.people)
    path = f"/v1/conversations/{arena.person(owner).ask(QUESTION)['conversation_id']}"
    strangers = [arena.person(name) for name in others] + [arenas.theirs.person(owner), arena.company.admin]
    for someone in strangers:
        for method, more, body in (
            ("GET", "", None),
            ("GET", "/export", None),
            ("PATCH", "", {"title": "Mine"}),
            ("POST", "/share", None),
            ("DELETE", "/share", None),
            ("DELETE", "", None),
        ):
            assert someone.request(method, path + more, json=body).status_code == 404, (method, more)
        listed = whole(someone.get("/v1/conversations", limit=100))["items"]
        assert path.rpartition("/")[2] not in {item["conversation_id"] for item in listed}
    assert len(whole(arena.person(owner).get(path))["turns"]) == 1


def _answer(arena: Arena, person: str) -> str:
    return str(arena.person(person).ask(QUESTION)["answer_id"])


def _again(someone: Someone, answer: str) -> list[str]:
    """Without the question, which is the asker's own."""
    record = someone.get(f"/v1/answers/{answer}").json()
    del record["question"]
    explained = someone.get(f"/v1/answers/{answer}/explain").json()
    del explained["question"]
    stream = someone.get(f"/v1/answers/{answer}/stream").text
    return [json.dumps(record), stream, json.dumps(explained)]
