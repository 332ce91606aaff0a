"""Alive, ready, measured, described."""

import asyncio

import pytest

from services.query_gateway.settings import Settings
from tests.services.query_gateway.fakes import down
from tests.services.query_gateway.world import World


async def well() -> None:
    return None


async def broken() -> None:
    raise down()


async def refused() -> None:
    raise ConnectionRefusedError("to 10.0.0.7:5432 as root")


async def hanging() -> None:
    await asyncio.Event().wait()


async def test_alive_needs_no_dependency_and_no_credential() -> None:
    async with World(probes={"postgres": broken}).client() as client:
        client.headers.pop("authorization")
        response = await client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


async def test_ready_names_the_state_of_each_dependency_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    world = World(Settings(probe_timeout_s=0.02))
    world.probes = {"index": well, "spicedb": broken, "postgres": refused, "nats": hanging}
    async with world.client() as client:
        response = await client.get("/readyz")
    states = response.json()["dependencies"]
    assert (response.status_code, response.json()["status"]) == (503, "unavailable")
    assert {name: state["ok"] for name, state in states.items()} == {
        "index": True,
        "spicedb": False,
        "postgres": False,
        "nats": False,
    }
    assert all(state.keys() == {"ok", "ms"} for state in states.values())
    assert "10.0.0.7" not in response.text
    assert "10.0.0.7" in caplog.text
    assert "nats is not well: no answer within 0.02 s" in caplog.text


async def test_ready_when_all_are_well() -> None:
    async with World(probes={"index": well}).client() as client:
        response = await client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")


async def test_metrics_count_by_route_and_never_hold_ids_or_content() -> None:
    world = World()
    document = world.add("page", "Secret text.")
    async with world.client() as client:
        await client.get(f"/v1/documents/{document}")
        await client.post("/v1/search", json={"query": "secret"})
        response = await client.get("/metrics", headers={"Authorization": "Bearer auditor"})
    labels = 'method="GET",route="/v1/documents/{document}",status="200"'
    assert f"cortex_gateway_requests_total{{{labels}}} 1.0" in response.text
    assert 'cortex_gateway_stage_seconds_count{stage="recheck"}' in response.text
    assert str(document) not in response.text
    assert "ecret" not in response.text


async def test_invented_methods_are_no_labels() -> None:
    async with World().client() as client:
        for number in range(3):
            await client.request(f"INVENTED{number}", "/healthz")
        text = (await client.get("/metrics", headers={"Authorization": "Bearer auditor"})).text
    assert "INVENTED" not in text
    assert 'method="OTHER"' in text


async def test_metrics_are_for_those_who_run_the_platform() -> None:
    """They count what the re-check hid."""
    async with World().client() as client:
        assert (await client.get("/metrics")).status_code == 403
        assert (await client.get("/metrics", headers={"Authorization": "Bearer expired"})).status_code == 401
        client.headers.pop("authorization")
        assert (await client.get("/metrics")).status_code == 401


async def test_openapi_names_operations_and_problems() -> None:
    async with World().client() as client:
        schema = (await client.get("/openapi.json")).json()
    operations = {
        operation["operationId"]: operation for path in schema["paths"].values() for operation in path.values()
    }
    assert operations.keys() == {
        "search",
        "chat",
        "create_completion",
        "list_models",
        "get_answer",
        "stream_answer",
        "stop_answer",
        "get_document",
        "get_document_original",
        "healthz",
        "readyz",
        "metrics",
        "suggest",
        "get_me",
        "list_visible_sources",
        "list_conversations",
        "get_conversation",
        "rename_conversation",
        "delete_conversation",
        "export_conversation",
        "share_conversation",
        "withdraw_share",
        "get_share",
        "explain_answer",
        "give_feedback",
        "take_back_feedback",
    }
    for name in ("search", "chat", "get_answer", "get_document"):
        assert {"401", "404", "422", "503"} <= operations[name]["responses"].keys()
    assert operations["search"]["security"] == [{"HTTPBearer": []}]
