"""The gateway as the commands see it: JSON over HTTP on loopback, errors as ours."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import httpx

from cortex.adapters.clock import SystemClock
from cortex.adapters.local_tokens import LocalClaims, LocalTokens
from cortex.domain.credential import Role
from cortex.domain.errors import Bug, Conflict, CortexError, Denied, Exhausted, Invalid, NotFound, Transient
from cortex.runtime.local.folder import DATA_FOLDER, DataFolder, option_for
from cortex.runtime.local.report import report

TENANT = "default"
ADMINISTRATOR = "admin@localhost"
COMMAND_TTL = timedelta(minutes=30)
TIMEOUT_S = 60.0
KEY_FILE = "token.key"

_ERRORS: Mapping[int, type[CortexError]] = {
    400: Invalid,
    401: Denied,
    403: Denied,
    404: NotFound,
    409: Conflict,
    413: Exhausted,
    422: Invalid,
    503: Transient,
}


def mint(data: Path, claims: LocalClaims, ttl: timedelta) -> str:
    """A local token. Whoever may read the data folder's key may be anyone. NotFound where no platform made a key."""
    root = data.expanduser().absolute()
    if not (root / KEY_FILE).is_file():
        start = f"`cortex up{option_for(data)}`"
        raise NotFound(f"there is no platform in {root}; name its folder with --data, or start one with {start}")
    return LocalTokens(root / KEY_FILE, SystemClock()).mint(claims, ttl=ttl)


class Gateway:
    """A client with one person's token. `at` finds the platform that runs on a data folder, which hints then name."""

    def __init__(self, url: str, token: str, *, data: Path = DATA_FOLDER) -> None:
        self._away = f"the gateway does not answer; `cortex status{option_for(data)}` tells why"
        self._client = httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT_S, trust_env=False
        )

    @classmethod
    def at(cls, data: Path, *, email: str = ADMINISTRATOR, role: Role = Role.MEMBER, tenant: str = TENANT) -> "Gateway":
        """NotFound when no platform runs there."""
        found = report(DataFolder(data.expanduser().absolute()))
        if found.url is None:
            raise NotFound(f"the platform runs without a gateway; start it with `cortex up{option_for(data)}`")
        return cls(found.url, mint(data, LocalClaims(tenant, email, role), COMMAND_TTL), data=data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str, **query: str | int) -> dict[str, object]:
        return self._call("GET", path, params=query)

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        return self._call("POST", path, body=body)

    def put(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        return self._call("PUT", path, body=body)

    def delete(self, path: str) -> dict[str, object]:
        return self._call("DELETE", path)

    def lines(self, path: str, **query: str | int) -> Iterator[str]:
        """A streamed answer, line by line."""
        try:
            with self._client.stream("GET", path, params=query) as response:
                if response.status_code >= 400:
                    response.read()
                    raise problem(response)
                yield from response.iter_lines()
        except httpx.TransportError as error:
            raise Transient(self._away) from error

    def events(self, path: str, body: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Server-sent events as (type, data)."""
        headers = {"Accept": "text/event-stream"}
        try:
            with self._client.stream("POST", path, json=body, headers=headers) as response:
                if response.status_code >= 400:
                    response.read()
                    raise problem(response)
                yield from _events(response.iter_lines())
        except httpx.TransportError as error:
            raise Transient(self._away) from error

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        headers = {"Accept": "application/json"}
        try:
            response = self._client.request(method, path, params=params, json=body, headers=headers)
        except httpx.TransportError as error:
            raise Transient(self._away) from error
        if response.status_code >= 400:
            raise problem(response)
        found: dict[str, object] = response.json() if response.content and response.content != b"null" else {}
        return found


def problem(response: httpx.Response) -> CortexError:
    """The error that an RFC 9457 problem document stands for."""
    try:
        detail = str(response.json().get("detail") or response.reason_phrase)
    except ValueError:
        detail = f"the gateway answered {response.status_code} without a problem document"
    return _ERRORS.get(response.status_code, Bug)(detail)


def segment(text: str) -> str:
    """A text as one segment of a path."""
    return quote(text, safe="")


def _events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    kind, data = "", ""
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            data = value
        elif not line and data:
            yield kind, data
            kind, data = "", ""
