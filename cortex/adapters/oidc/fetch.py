"""Documents of the identity provider over HTTP: bounded, without redirects, errors as ours."""

import json
import logging
from collections.abc import Mapping
from typing import Any

import httpx

from cortex.adapters.egress import GuardedTransport
from cortex.domain.errors import Denied, Transient

logger = logging.getLogger(__name__)

BYTES_MAX = 1024 * 1024


class Fetch:
    """`transport` refuses addresses that nobody should fetch: what discovery names, somebody else wrote."""

    def __init__(self, *, timeout_s: float, transport: GuardedTransport) -> None:
        self._client = httpx.AsyncClient(
            timeout=timeout_s,
            transport=transport,
            follow_redirects=False,
            trust_env=False,
            headers={"Accept": "application/json"},
        )

    async def get(self, address: str, *, bearer: str | None = None) -> Mapping[str, Any]:
        headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
        return await self._json(self._client.build_request("GET", address, headers=headers))

    async def post(
        self, address: str, form: Mapping[str, str], *, basic: tuple[str, str] | None = None
    ) -> Mapping[str, Any]:
        request = self._client.build_request("POST", address, data=dict(form))
        if basic is not None:
            request = next(httpx.BasicAuth(*basic).auth_flow(request))
        return await self._json(request)

    async def close(self) -> None:
        await self._client.aclose()

    async def _json(self, request: httpx.Request) -> Mapping[str, Any]:
        """Denied for 4xx, which is the provider's answer to what was sent; Transient for everything else that fails."""
        try:
            response = await self._client.send(request, stream=True)
            try:
                body = await _bounded(response)
            finally:
                await response.aclose()
        except Denied as error:
            logger.warning("fetching for the identity provider: %s", error)
            raise Transient("the identity provider names an address that is not fetched; the log says which") from error
        except httpx.HTTPError as error:
            raise Transient("the identity provider does not answer", retry_after_s=2.0) from error
        if 400 <= response.status_code < 500 and response.status_code not in (404, 408, 429):
            raise Denied("the identity provider refused the sign-in; start again")
        if response.status_code != 200:
            raise Transient(f"the identity provider answered {response.status_code}", retry_after_s=2.0)
        try:
            found = json.loads(body)
        except ValueError as error:
            raise Transient("the identity provider did not answer with JSON") from error
        if not isinstance(found, dict):
            raise Transient("the identity provider did not answer with a JSON object")
        return found


async def _bounded(response: httpx.Response) -> bytes:
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > BYTES_MAX:
            raise Transient("the identity provider's answer is too large")
    return bytes(body)
