import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex.adapters.processes import ProcessIdentity, identify
from cortex.runtime.local import record
from cortex.runtime.local.doctor import Finding, Level, examine
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.supervisor import ProcessState
from tests.built_model import built_model
from tests.embedding_engine import DIMENSIONS, MODEL, WordEngine, embedding_engine


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.open(tmp_path / "data")


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def of(findings: list[Finding], check: str, level: Level) -> list[Finding]:
    return [finding for finding in findings if finding.check == check and finding.level is level]


def test_every_complaint_comes_with_its_mend(folder: DataFolder, taken: int) -> None:
    folder.root.chmod(0o755)
    findings = examine(folder, environment={"CORTEX_MODELS_DIR": str(folder.root / "nowhere")}, port=taken)
    assert of(findings, "data", Level.FAIL)[0].mend == f"chmod go= {folder.root}"
    port = of(findings, "ports", Level.FAIL)[0]
    assert f"pid {os.getpid()}" in port.message
    assert "--port" in port.mend
    assert of(findings, "model", Level.FAIL)[0].mend == f"cortex models build --dir {folder.root / 'nowhere'}"
    assert all(finding.mend for finding in findings if finding.level is not Level.OK)
    for server in ("postgres", "nats", "temporal", "valkey", "spicedb", "qdrant", "python", "system", "disk"):
        assert of(findings, server, Level.OK)


def test_a_process_without_its_supervisor_and_one_that_keeps_failing_are_found(folder: DataFolder) -> None:
    me = identify(os.getpid())
    assert me is not None
    process = record.ProcessRecord(name="nats", state=ProcessState.RESTARTING, identity=me, restarts=4)
    gone = ProcessIdentity(me.pid, me.started_at - 100)
    (folder.logs / "nats.log").write_text("no space left\n")
    record.save(folder, record.RuntimeRecord(supervisor=gone, ports={}, processes=(process,)))
    leftovers = of(examine(folder, environment={}, port=1), "leftovers", Level.WARN)
    assert "runs without its supervisor" in leftovers[0].message
    record.save(folder, record.RuntimeRecord(supervisor=me, ports={}, processes=(process,)))
    failing = of(examine(folder, environment={}, port=1), "processes", Level.WARN)[0]
    assert "restarted 4 times" in failing.message
    assert "no space left" in failing.message


def test_a_server_elsewhere_that_does_not_answer_is_named_with_its_variable(folder: DataFolder, taken: int) -> None:
    environment = {
        "CORTEX_NATS_URL": f"nats://127.0.0.1:{taken}",
        "CORTEX_REDIS_URL": "redis://127.0.0.1:1/0",
        "CORTEX_DATABASE_URL": "garbage:port",
    }
    findings = examine(folder, environment=environment, port=1)
    assert "answers (CORTEX_NATS_URL)" in of(findings, "nats", Level.OK)[-1].message
    assert "nothing answers at 127.0.0.1:1 (CORTEX_REDIS_URL)" in of(findings, "valkey", Level.FAIL)[0].message
    assert "CORTEX_DATABASE_URL is no address" in of(findings, "postgres", Level.FAIL)[0].message


def test_a_file_where_the_data_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    findings = examine(DataFolder(tmp_path / "data"), environment={}, port=1)
    assert "is not a folder" in of(findings, "data", Level.FAIL)[0].message


async def test_an_embedder_elsewhere_is_asked_for_a_vector(folder: DataFolder) -> None:
    async with embedding_engine(WordEngine()) as engine:
        environment = {
            "CORTEX_MODELS_DIR": str(built_model().folder.parent),
            "CORTEX_EMBEDDER": "openai",
            "CORTEX_EMBEDDER_URL": f"{engine.url}/v1",
            "CORTEX_EMBEDDER_MODEL": MODEL,
            "CORTEX_EMBEDDER_DIMENSIONS": str(DIMENSIONS),
            "CORTEX_EMBEDDER_LANGUAGES": "en",
        }

        async def found(level: Level, **changed: str) -> Finding:
            findings = await asyncio.to_thread(examine, folder, environment=environment | changed, port=1)
            (one,) = of(findings, "embedder", level)
            return one

        assert (await found(Level.OK)).message == f"{MODEL} answers with {DIMENSIONS} dimensions"
        other = await found(Level.FAIL, CORTEX_EMBEDDER_DIMENSIONS="1024")
        assert f"answers with {DIMENSIONS} dimensions, and CORTEX_EMBEDDER_DIMENSIONS says 1024" in other.message
        elsewhere = await found(Level.FAIL, CORTEX_EMBEDDER_URL=engine.url)
        assert "no such model, or its address is another" in elsewhere.message
        nobody = await found(Level.FAIL, CORTEX_EMBEDDER_URL="http://127.0.0.1:1/v1")
        assert "CORTEX_EMBEDDER_URL" in nobody.mend
        assert "CORTEX_EMBEDDER_MODEL" in (await found(Level.FAIL, CORTEX_EMBEDDER_MODEL="")).message
