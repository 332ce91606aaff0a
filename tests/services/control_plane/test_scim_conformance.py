"""The public conformance suite of SCIM against the served routes."""

import asyncio

import httpx2
import pytest
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

from tests.services.control_plane.conftest import Site

pytestmark = pytest.mark.servers


async def test_every_check_of_the_conformance_suite_passes(site: Site) -> None:
    key = await site.key("scim")

    def check() -> list[str]:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=f"{site.url}/scim/v2", headers=headers, trust_env=False, timeout=30) as http:
            results = check_server(SyncSCIMClient(http))
        assert len(results) > 100
        passed = {Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE}
        return [
            f"{one.resource_type} {one.title}: {one.status} {one.reason}" for one in results if one.status not in passed
        ]

    failed = await asyncio.to_thread(check)
    assert failed == [], "\n".join(failed)
