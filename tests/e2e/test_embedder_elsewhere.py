"""A platform whose embedder is an engine over HTTP: away at first, there for a while, and away again."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cortex.adapters.onnx.package import MANIFEST_FILE, MODEL_FOLDER
from cortex.cli.gateway import Gateway
from eval.local_platform import MODELS
from eval.retrieval.platforms import own
from tests.built_model import built_model
from tests.e2e.waiting import eventually
from tests.embedding_engine import DIMENSIONS, MODEL, WordEngine, embedding_engine, free_port

TENANT = "elsewhere"
NOTE = "/v1/sources/notes/documents/bridge"
QUESTION = {"query": "Which colour has the footbridge?", "explain": True}


def built() -> Path:
    return MODELS if (MODELS / MODEL_FOLDER / MANIFEST_FILE).is_file() else built_model().folder.parent


def search(asker: Gateway) -> dict[str, Any]:
    return asker.post("/v1/search", QUESTION)


def finding(asker: Gateway, *, degraded: list[str]) -> Callable[[], None]:
    def found() -> None:
        answer = search(asker)
        assert answer["degraded"] == degraded
        assert [("green" in result["snippet"], "maxsim" in result["scores"]) for result in answer["results"]] == [
            (True, False)
        ]

    return found


async def test_documents_wait_for_the_engine_and_questions_do_not() -> None:
    engine, port = WordEngine(), free_port()
    environment = {
        "CORTEX_MODELS_DIR": str(built()),
        "CORTEX_EMBEDDER": "openai",
        "CORTEX_EMBEDDER_URL": f"http://127.0.0.1:{port}/v1",
        "CORTEX_EMBEDDER_MODEL": MODEL,
        "CORTEX_EMBEDDER_DIMENSIONS": str(DIMENSIONS),
        "CORTEX_EMBEDDER_LANGUAGES": "*",
        "CORTEX_EMBEDDER_PASSAGE_PREFIX": "passage: ",
    }
    async with own(environment) as site:
        with site.administrator(TENANT) as admin, site.asker(TENANT) as asker:
            note = {"content": "The footbridge over the canal is painted green.", "mime": "text/plain"}
            await asyncio.to_thread(admin.put, NOTE, note | {"acl": {"public": "tenant"}})
            answer = await asyncio.to_thread(search, asker)
            assert (answer["results"], answer["degraded"]) == ([], ["dense"])
            async with embedding_engine(engine, port=port):
                await asyncio.to_thread(eventually, finding(asker, degraded=[]))
                asked = await engine.until_asked(1)
            assert any(text.startswith("passage: ") and "green" in text for texts in asked for text in texts)
            await asyncio.to_thread(finding(asker, degraded=["dense"]))
