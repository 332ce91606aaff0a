"""No content, question or secret where operators look: not in logs, spans, metrics or the arguments of workflows."""

import asyncio
import uuid
from collections.abc import Iterator

import pytest
from temporalio.client import Client

from tests.e2e.company import Company, done
from tests.e2e.waiting import eventually

LOGS_MIN = 6


@pytest.fixture
def markers() -> dict[str, str]:
    """Words that stand nowhere else."""
    return {name: f"marker{name}{uuid.uuid4().hex[:12]}" for name in ("text", "title", "question", "file", "author")}


def _drive(company: Company, markers: dict[str, str]) -> None:
    """Every stage, every surface, and errors on the way."""
    admin, ann = company.admin, company.person("ann")
    text = f"# Note\n\nThe {markers['text']} stands here. password = {markers['file']}9X"
    document = company.pushed("note", text, title=markers["title"], author=f"{markers['author']}@acme.example")
    company.pushed("broken", f"{markers['text']} %PDF", mime="application/pdf")
    assert ann.found(markers["text"])
    answer = ann.ask(f"Where does {markers['text']} stand, {markers['question']}?")
    ann.get(f"/v1/answers/{answer['answer_id']}")
    ann.get(f"/v1/documents/{document}")
    ann.get(f"/v1/suggest?q={markers['question']}")
    ann.get(f"/v1/{markers['question']}")
    ann.post("/v1/search", {"query": markers["question"], markers["question"]: 1})
    ann.request("POST", "/v1/search", content=f'{{"query": "{markers["question"]}'.encode())
    ann.request("GET", "/v1/documents/x", headers={"Authorization": f"Bearer {markers['question']}"})
    done(admin.put("/admin/v1/sources/notes/privacy", {"actions": {"api_key": "drop"}}))
    company.indexed()
    asked = done(admin.post("/admin/v1/erasures", {"document": document})).json()["id"]

    def finished() -> None:
        assert admin.get(f"/admin/v1/erasures/{asked}").json()["state"] == "done"

    eventually(finished)


def _logs(company: Company) -> Iterator[tuple[str, str]]:
    for path in (company.platform.data / "logs").iterdir():
        yield path.name, path.read_text(encoding="utf-8", errors="replace")


def _histories(company: Company) -> str:
    """What Temporal keeps of the tenant's workflows."""

    async def read() -> str:
        client = await Client.connect(company.platform.urls["CORTEX_TEMPORAL_URL"], namespace="cortex")
        histories = [
            str(await client.get_workflow_handle(found.id).fetch_history())
            async for found in client.list_workflows(f"WorkflowId STARTS_WITH 'erase-{company.tenant}'")
        ]
        assert histories
        return "\n".join(histories)

    return asyncio.run(read())


def test_no_content_no_question_and_no_secret_is_where_operators_look(
    company: Company, markers: dict[str, str]
) -> None:
    _drive(company, markers)
    logs = dict(_logs(company))
    assert len(logs) >= LOGS_MIN, "nothing was looked at"
    secrets = [company.platform.urls[name] for name in ("CORTEX_SPICEDB_KEY", "CORTEX_QDRANT_KEY")]
    told = [
        (name, marker)
        for name, content in [*logs.items(), ("temporal", _histories(company))]
        for marker in (*markers.values(), *secrets, company.admin.token, company.person("ann").token)
        if marker in content
    ]
    assert told == []
    metrics = company.admin.get("/metrics").text
    assert [marker for marker in markers.values() if marker in metrics] == []


def test_no_span_tells_content(company: Company, markers: dict[str, str]) -> None:
    collector = company.platform.collector
    if collector is None:
        pytest.skip("this platform was started elsewhere and sends its spans nowhere")
    _drive(company, markers)

    def arrived() -> list[str]:
        spans = collector.texts()
        assert any(str(company.tenant) in span for span in spans)
        return spans

    spans = eventually(arrived)
    assert [marker for marker in markers.values() for span in spans if marker in span] == []
