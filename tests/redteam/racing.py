"""Requests that race a revocation: whatever was begun after the write was answered must show nothing of it."""

import itertools
import json
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Event

from tests.demo.oracle import Acl
from tests.e2e.company import Someone, done
from tests.redteam.arena import Arena
from tests.redteam.changes import REVOCATIONS
from tests.redteam.looking import MODES, QUESTION
from tests.redteam.source import PUSHED, Folder, Paper, canary, group, user

RACERS = 6
RACING_GROUP = f"{PUSHED}/racers"
_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class Raced:
    """`revocation_s`: how long the write took to be answered. `after`: requests that were begun later than that."""

    way: str
    revocation_s: float
    before: int
    after: int
    leaks: tuple[str, ...]


def race_paper(arena: Arena, way: str, chance: random.Random) -> tuple[str, str]:
    """A new document that one person may see by `way`, indexed; and the person."""
    number = next(_NUMBERS)
    person = chance.choice([name for name, guest in arena.source.people.items() if not guest])
    paper, folder = f"{PUSHED}/race{number}", f"{PUSHED}/racing{number}"
    if way == "membership":
        arena.source.groups[RACING_GROUP] = frozenset({user(person)})
        done(arena.put_group(RACING_GROUP))
    acl = Acl(allow=(group(RACING_GROUP),)) if way == "membership" else Acl(allow=(user(person),))
    if way == "container":
        arena.source.folders[folder] = Folder(None, acl)
        done(arena.put_folder(folder))
    place = folder if way == "container" else None
    arena.source.papers[paper] = Paper(place, Acl() if way == "container" else acl, canary(chance))
    done(arena.put_paper(paper))
    arena.settled()
    return paper, person


def race(arena: Arena, way: str, chance: random.Random, *, requests: int) -> Raced:
    """At least `requests` are begun after the answer to the write."""
    paper, person = race_paper(arena, way, chance)
    shots, answered = _shots(arena.person(person), arena, paper), Event()
    each = -(-requests // RACERS)
    with ThreadPoolExecutor(RACERS) as threads:
        racers = [
            threads.submit(_run, shots[n % len(shots) :] + shots[: n % len(shots)], answered, each)
            for n in range(RACERS)
        ]
        began = time.monotonic()
        try:
            done(REVOCATIONS[way](arena, paper, person))
            revocation_s = time.monotonic() - began
        finally:
            answered.set()
    results = [one for racer in racers for one in racer.result()]
    telling = (arena.source.papers[paper].canary, arena.id(paper))
    leaks = tuple(name for late, name, text in results if late and any(word in text for word in telling))
    after = sum(late for late, _, _ in results)
    return Raced(way, revocation_s, before=len(results) - after, after=after, leaks=leaks)


Shot = tuple[str, Callable[[], str]]
"""Its name, and what gives the text of the answer."""


def _shots(someone: Someone, arena: Arena, paper: str) -> list[Shot]:
    """Every surface that the document could come out of. Questions hold its canary; answers are read without them."""
    word, identifier = arena.source.papers[paper].canary, arena.id(paper)
    answer = someone.ask(f"When is the {word} crane greased?")["answer_id"]
    body = {"query": f"{word} harbour crane", "facets": ["container_id"], "explain": True}
    shots: list[Shot] = [(f"search {mode}", partial(_searched, someone, {**body, "mode": mode})) for mode in MODES]
    quick: list[Shot] = [
        ("document", lambda: someone.get(f"/v1/documents/{identifier}").text),
        ("original", lambda: someone.get(f"/v1/documents/{identifier}/original").text),
        ("answer stream", lambda: someone.get(f"/v1/answers/{answer}/stream").text),
    ]
    question = {"question": QUESTION}
    # Of a question without the canary, which would come back with it.
    plain = someone.ask(QUESTION)
    kept: list[Shot] = [
        ("explain", lambda: someone.get(f"/v1/answers/{plain['answer_id']}/explain").text),
        ("conversation", lambda: someone.get(f"/v1/conversations/{plain['conversation_id']}").text),
        ("suggest", lambda: someone.get("/v1/suggest", q="harbour memo", limit=20).text),
    ]
    asked: list[Shot] = [
        ("chat", lambda: someone.post("/v1/chat", question, Accept="application/json").text),
        ("chat events", lambda: someone.post("/v1/chat", question, Accept="text/event-stream").text),
    ]
    return [*shots, *quick, *kept, *asked, *quick, *kept, *quick]


def _searched(someone: Someone, body: dict[str, object]) -> str:
    """Without what was read of the question, which holds the canary."""
    answer = someone.post("/v1/search", body).json()
    answer.pop("read", None)
    return json.dumps(answer)


def _run(shots: list[Shot], answered: Event, after: int) -> list[tuple[bool, str, str]]:
    """Until `after` requests were begun later than the answer to the write; each with whether it was."""
    results: list[tuple[bool, str, str]] = []
    for name, shot in itertools.cycle(shots):
        late = answered.is_set()
        results.append((late, name, shot()))
        if sum(begun_late for begun_late, _, _ in results) >= after:
            break
    return results
