"""`cortex eval propose` on a whole platform, and what becomes of the drafts that a person confirms."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from starlette.requests import Request
from starlette.responses import Response

from cortex.domain.errors import Conflict, Invalid, NotFound
from eval.answers import calibrate, command
from eval.proposing import command as proposing
from eval.proposing.confirming import rows, walk
from tests.e2e.company import Company
from tests.e2e.running import Platform
from tests.openai_engine import ScriptedEngine, engine_on, engines_file
from tests.services.test_processes import free_port

KEYS = "# Hardware keys\n\nA new key takes two days to Hamburg. Omar Siddiqui approves every order of keys.\n"
BADGES = "# Badges\n\nThe badge office in Rotterdam holds 300 badges. Every badge is printed there.\n"
SECRET = "# Merger\n\nAda Lovelace signs the merger with Babbage on 8 December.\n"
ANN, BOB = "ann@acme.example", "bob@acme.example"
QUIET = Console(quiet=True)


class Strict(ScriptedEngine):
    """A judge to whom every sentence is supported, and no fact stated."""

    async def complete(self, request: Request) -> Response:
        asked = (await request.json())["messages"][1]["content"]
        sentences = asked.partition("<answer>\n")[2].partition("\n</answer>")[0].splitlines()
        self.pieces = [json.dumps({"supported": [True] * len(sentences), "stated": [False]})]
        return await super().complete(request)


Propose = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def filled(company: Company) -> Company:
    company.push("keys", KEYS, title="Hardware keys", mime="text/markdown")
    company.push("badges", BADGES, title="Badges", mime="text/markdown")
    company.push("secret", SECRET, title="Merger", mime="text/markdown", acl={"allow": [f"user:{BOB}"]})
    company.indexed()
    return company


@pytest.fixture
def propose(platform: Platform, filled: Company, tmp_path: Path) -> Propose:
    def proposed(asker: str, name: str = "drafts", **options: Any) -> list[dict[str, Any]]:
        environment = options.pop("environment", {})
        out = tmp_path / f"{name}.jsonl"
        request = proposing.Request("notes", asker, platform.data, out=out, tenant=filled.name, **options)
        figures = proposing.run(request, environment=environment, observe=lambda _: None)
        found = rows(out)
        assert (figures["file"], figures["drafts"]) == (str(out), len(found))
        return found

    return proposed


def test_only_what_the_person_may_open_is_read(propose: Propose) -> None:
    of_ann, of_bob = propose(ANN), propose(BOB, "of-bob")
    assert {row["draft"]["source"] for row in of_ann} == {"notes/keys", "notes/badges"}
    assert {row["draft"]["source"] for row in of_bob} == {"notes/keys", "notes/badges", "notes/secret"}
    for word in ("Lovelace", "Babbage", "merger", "Merger"):
        assert word not in json.dumps(of_ann)
    assert {row["asker"] for row in of_ann} == {ANN}
    assert not any(row["confirmed"] for row in of_ann)
    answers = {tuple(row["key_facts"][0]) for row in of_ann if row["key_facts"]}
    assert answers >= {("two days", "2 days"), ("Omar Siddiqui",), ("300 badges",)}
    (miss, *_) = (row for row in of_ann if row["kind"] == "near_miss")
    assert "replaced by" in miss["draft"]["made"]
    with pytest.raises(Conflict, match="name another file"):
        propose(ANN)


def test_who_may_open_nothing_is_told_so(platform: Platform, company: Company, tmp_path: Path) -> None:
    company.pushed("secret", SECRET, acl={"allow": [f"user:{BOB}"]})
    request = proposing.Request("notes", ANN, platform.data, out=tmp_path / "none.jsonl", tenant=company.name)
    with pytest.raises(NotFound, match="name somebody else with --as"):
        proposing.run(request, environment={}, observe=lambda _: None)
    assert not (tmp_path / "none.jsonl").exists()


def test_confirmed_drafts_are_asked_and_judged_and_the_others_left_out(
    platform: Platform, filled: Company, propose: Propose, tmp_path: Path
) -> None:
    drafts, path = propose(ANN), tmp_path / "drafts.jsonl"
    request = command.Request(platform.data, questions=path, out=tmp_path, tenant=filled.name)
    with pytest.raises(Invalid, match=f"left out {len(drafts)} drafts"):
        command.run(request, environment={}, console=QUIET)
    with pytest.raises(Invalid, match="20 questions at least, and 0 are there; left out"):
        calibrate.run(calibrate.Request(platform.data, path, tenant=filled.name), console=QUIET)
    wanted = iter(["y" if "two days" in json.dumps(row["key_facts"]) else "s" for row in drafts])
    walk(path, ask=lambda _: next(wanted), show=lambda _: None)

    port = free_port()
    engine = Strict()
    engines = engines_file(tmp_path, port)

    async def judged() -> dict[str, Any]:
        async with engine_on(engine, port):
            asked = command.Request(platform.data, questions=path, out=tmp_path, tenant=filled.name, judge="small")
            environment = {"CORTEX_ENGINES_FILE": str(engines)}
            return await asyncio.to_thread(command.run, asked, environment=environment, console=QUIET)

    alone: dict[str, Any] = command.run(request, environment={}, console=QUIET)
    assert (alone["questions"], alone["left_out"], engine.requests) == (1, len(drafts) - 1, [])
    assert alone["measures"]["recall@5"]["value"] == 1.0
    assert alone["measures"]["citation_recall"]["value"] == 1.0
    both = asyncio.run(judged())
    assert both["measures"] == alone["measures"]
    assert (both["judge"]["answers"], both["judge"]["disagreements"]) == (1, 1)
    assert both["judge"]["completeness"]["value"] == 0.0
    (line,) = (json.loads(line) for line in (tmp_path / "answers-drafts.jsonl").read_text().splitlines())
    assert line["judged"]["facts"] == [False]
    assert "Judged by a language model" in (tmp_path / "answers-drafts.html").read_text()


def test_an_engine_words_them_and_code_checks(propose: Propose, tmp_path: Path) -> None:
    port = free_port()
    written = json.dumps({"question": "How long until a lost key is replaced in Hamburg?", "fact": "two days"})
    engine = ScriptedEngine(pieces=[written])
    engines = engines_file(tmp_path, port)

    async def proposed() -> list[dict[str, Any]]:
        async with engine_on(engine, port):
            environment = {"CORTEX_ENGINES_FILE": str(engines)}
            return await asyncio.to_thread(propose, ANN, environment=environment)

    found = asyncio.run(proposed())
    assert [row["draft"]["source"] for row in found if row["key_facts"]] == ["notes/keys"]
    assert len(engine.requests) == 2
    assert "Lovelace" not in json.dumps(engine.requests)
