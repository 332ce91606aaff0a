"""Engines, their order and their budget, as they are served; keys are taken and never shown."""

from typing import Any

import pytest

from cortex.domain.credential import Role
from services.control_plane import compose
from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers

ENGINES, GENERATION = "/admin/v1/engines", "/admin/v1/generation"
BODY: dict[str, Any] = {"url": "https://llm.example/v1", "model": "tiny-1", "key": "sk-never-shown"}


@pytest.fixture
def served(site: Site) -> Site:
    work = compose.Work(sync=nothing(), erasure=nothing(), reconcile=nothing())
    for router in compose.routers(site.shared, site.signing, work=work, types=nothing()):
        site.app.include_router(router)
    return site


def nothing() -> Any:
    return None


async def test_engines_are_put_listed_routed_and_removed(served: Site) -> None:
    admin = served.person()
    assert (await admin.put(f"{ENGINES}/small", json=BODY)).status_code == 204
    listed = await admin.get(ENGINES)
    assert "sk-never-shown" not in listed.text
    (view,) = listed.json()["items"]
    assert (view["name"], view["model"], view["has_key"]) == ("small", "tiny-1", True)
    assert (await admin.get(f"{GENERATION}/route")).json() == {"engines": None}
    assert (await admin.put(f"{GENERATION}/route", json={"engines": ["small"]})).status_code == 204
    assert (await admin.get(f"{GENERATION}/route")).json() == {"engines": ["small"]}
    assert (await admin.put(f"{GENERATION}/route", json={"engines": ["other"]})).status_code == 422
    assert (await admin.put(f"{GENERATION}/budget", json={"tokens_per_day": 1_000})).status_code == 204
    assert (await admin.get(f"{GENERATION}/budget")).json() == {"tokens_per_day": 1_000}
    assert (await admin.get(f"{GENERATION}/usage", params={"days": 2})).json()["items"] == []
    assert (await admin.delete(f"{ENGINES}/small")).status_code == 204
    assert (await admin.delete(f"{ENGINES}/small")).status_code == 404
    assert (await served.audited())[-4:] == ["engine.put", "engine.route", "engine.budget", "engine.remove"]


async def test_a_calibration_is_put_shown_and_taken_back(served: Site) -> None:
    admin, place = served.person(), f"{GENERATION}/calibration"
    body = {"intercept": -3.0, "threshold": 0.4, "coefficients": {"coverage": 5.0}}
    assert (await admin.get(place)).json() == {"calibration": None}
    assert (await admin.put(place, json=body)).status_code == 204
    assert (await admin.get(place)).json() == {"calibration": body}
    for wrong in ({"threshold": 2}, {"coefficients": {"Not a name": 1}}, {"coefficients": {"coverage": 1e9}}):
        assert (await admin.put(place, json=body | wrong)).status_code == 422
    assert (await admin.delete(place)).status_code == 204
    assert (await admin.get(place)).json() == {"calibration": None}
    assert (await served.audited())[-2:] == ["calibration.put", "calibration.remove"]


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"url": "ftp://llm.example"}, "url"),
        ({"url": "http://me:pass@llm.example"}, "url"),
        ({"model": "a b"}, "model"),
        ({"answer_tokens_max": 0}, "answer_tokens_max"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_what_is_wrong_is_named(served: Site, changed: dict[str, object], place: str) -> None:
    answer = await served.person().put(f"{ENGINES}/small", json=BODY | changed)
    assert answer.status_code == 422
    assert place in answer.json()["detail"]
    assert "sk-never-shown" not in answer.text


async def test_a_key_goes_nowhere_but_where_it_was_given_for(served: Site) -> None:
    admin = served.person()
    await admin.put(f"{ENGINES}/small", json=BODY)
    moved = {"url": "https://evil.example/v1", "model": "tiny-1"}
    refused = await admin.put(f"{ENGINES}/small", json=moved)
    assert (refused.status_code, "key" in refused.json()["detail"]) == (422, True)


async def test_an_engine_is_tried_as_a_question_would(served: Site) -> None:
    """Loopback is not public: the answer says so, and what an operator could do."""
    admin = served.person()
    assert (await admin.post(f"{ENGINES}/small/check")).status_code == 404
    await admin.put(f"{ENGINES}/small", json=BODY | {"url": "http://127.0.0.1:9/v1"})
    tried = (await admin.post(f"{ENGINES}/small/check")).json()
    assert tried["ok"] is False
    assert "CORTEX_EGRESS_ALLOWED" in tried["problem"]
    assert (await served.audited())[-1] == "engine.check"


async def test_a_source_is_switched_to_contexts_and_back(served: Site) -> None:
    admin = served.person()
    source = "/admin/v1/sources/wiki"
    assert (await admin.get(f"{source}/context")).status_code == 404
    assert (await admin.put(f"{source}/context", json={"contextual": True})).status_code == 404
    page = {"content": "It rose.", "mime": "text/plain", "acl": {"public": "tenant"}}
    assert (await admin.put("/v1/sources/wiki/documents/a", json=page)).status_code == 202
    assert (await admin.get(f"{source}/context")).json() == {"contextual": False}
    for contextual in (True, False):
        assert (await admin.put(f"{source}/context", json={"contextual": contextual})).status_code == 204
        assert (await admin.get(f"{source}/context")).json() == {"contextual": contextual}
    assert (await served.audited())[-2:] == ["source.context", "source.context"]


@pytest.mark.parametrize("role", [Role.MEMBER, Role.OWNER, Role.AUDITOR])
async def test_only_administrators_change_anything(served: Site, role: Role) -> None:
    someone = served.person(f"a-{role}", role)
    for path, body in (
        (f"{ENGINES}/small", BODY),
        (f"{GENERATION}/route", {"engines": []}),
        (f"{GENERATION}/budget", {"tokens_per_day": 1}),
    ):
        assert (await someone.put(path, json=body)).status_code == 403
    looked = await someone.get(ENGINES)
    assert looked.status_code == (200 if role is Role.AUDITOR else 403)
