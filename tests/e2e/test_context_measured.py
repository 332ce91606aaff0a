"""`cortex eval context` on a platform of its own: what an engine writes above the chunks is found, counted and paid."""

import asyncio
import json
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from cortex.domain.errors import Invalid
from eval.context.command import Request as Asked
from eval.context.command import run
from tests.openai_engine import ScriptedEngine, engine_on, engines_file
from tests.services.test_processes import free_port

DOCUMENTS = {"bees": "A colony has one queen.", "tides": "It comes twice a day.", "rails": "The gauge is narrow."}
MISSING = {"bees": "Part of project Quarz.", "tides": "Part of project Obsidian.", "rails": "Part of project Feldspat."}
"""What no document says of itself, and every question asks by."""


class Knowing(ScriptedEngine):
    """Writes for each chunk what its document leaves out."""

    async def complete(self, request: Request) -> Response:
        self.requests.append(asked := json.dumps((await request.json())["messages"]))
        missing = [MISSING[name] for name, text in DOCUMENTS.items() if text in asked]
        return await ScriptedEngine(missing).complete(request)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def lines(name: str, rows: list[dict[str, str]]) -> None:
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    lines("corpus.jsonl", [{"_id": name, "title": "", "text": text} for name, text in DOCUMENTS.items()])
    lines("queries.jsonl", [{"_id": f"q-{name}", "text": text} for name, text in MISSING.items()])
    judged = [f"q-{name}\t{name}\t1" for name in DOCUMENTS]
    (tmp_path / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), encoding="utf-8")
    return tmp_path


def measured(folder: Path, environment: dict[str, str]) -> dict[str, object]:
    request = Asked(source=None, data=folder, documents=10, questions=10, platform=folder / "none")
    return asyncio.run(run(request, environment=environment, observe=lambda _: None))


def test_without_an_engine_nothing_is_said_to_pay(folder: Path) -> None:
    with pytest.raises(Invalid, match="no engine writes a context"):
        measured(folder, {})


def test_what_an_engine_writes_is_found_and_counted(folder: Path) -> None:
    port = free_port()
    engine = Knowing()
    engines = engines_file(folder, port)

    async def run_beside() -> dict[str, object]:
        async with engine_on(engine, port):
            environment = {"CORTEX_ENGINES_FILE": str(engines)}
            return await asyncio.to_thread(measured, folder, environment)

    figures = asyncio.run(run_beside())
    assert (figures["questions"], figures["documents"], len(engine.requests)) == (3, 3, 3)
    assert figures["ndcg@10 with"] == 1.0
    assert float(str(figures["ndcg@10 without"])) < 1.0
    assert figures["tokens"] == 3 * sum((engine.usage or {}).values())
