"""What holds for every request: a trace id, safe headers, a bound on the body, and in local mode Host and Origin."""

import logging
from collections.abc import Iterable
from http import HTTPMethod, HTTPStatus
from typing import Protocol
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cortex.domain.errors import Bug
from cortex.domain.unexpected import outline
from cortex.ports.tracer import Span, Tracer
from cortex.runtime.edge.problems import TooLarge, problem, problem_of, response
from cortex.runtime.edge.settings import EdgeSettings
from cortex.runtime.edge.untraced import Untraced

logger = logging.getLogger(__name__)

_PROBES = frozenset(["/healthz", "/readyz", "/metrics"])
_SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}


class Requests(Protocol):
    """Counts what was answered."""

    def request(self, *, method: str, route: str, status: int) -> None: ...


class Envelope:
    """Outermost: every answer, errors included, carries the trace id and the headers, is traced and counted.

    A trace that the caller began goes on. Probes come every few seconds and are no part of any trace.
    """

    def __init__(self, app: ASGIApp, *, tracer: Tracer, requests: Requests) -> None:
        self._app = app
        self._tracer = tracer
        self._untraced = Untraced()
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        tracer = self._untraced if scope["path"] in _PROBES else self._tracer
        with tracer.serving(Headers(scope=scope), scope["method"], method=scope["method"]) as span:
            scope.setdefault("state", {}).update(trace_id=span.trace_id, span=span)
            await self._served(span, scope, receive, send)

    async def _served(self, span: Span, scope: Scope, receive: Receive, send: Send) -> None:
        status, started = 500, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                status, started = message["status"], True
                headers = MutableHeaders(scope=message)
                headers["X-Trace-Id"] = span.trace_id
                if status == HTTPStatus.NO_CONTENT:
                    del headers["content-type"]
                for name, value in _SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001 - the process boundary
            logger.error("%s %s: %s", scope["method"], _route(scope), outline(error))
            if not started:  # else the connection is cut
                await response(problem_of(Bug(), trace=span.trace_id))(scope, receive, send_with_headers)
        finally:
            method, route = _method(scope), _route(scope)
            self._requests.request(method=method, route=route, status=status)
            span.rename(f"{method} {route}")
            span.note(route=route, status=status)


_METHODS: frozenset[str] = frozenset(HTTPMethod)


def _method(scope: Scope) -> str:
    """One of those that there are, so that invented ones do not become labels."""
    return str(scope["method"]) if scope["method"] in _METHODS else "OTHER"


def _route(scope: Scope) -> str:
    """The route's pattern, so that ids do not become labels."""
    return str(getattr(scope.get("route"), "path", "unknown"))


class HostGuard:
    """Refuses names that are not ours: a page elsewhere may have its name resolve to this machine."""

    def __init__(self, app: ASGIApp, *, allowed_hosts: Iterable[str]) -> None:
        self._app = app
        self._allowed = frozenset(host.lower().strip("[]") for host in allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._allowed or self._ours(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        detail = "This address answers to its own names alone; open it as 127.0.0.1 or localhost."
        refusal = response(problem(421, "wrong-host", detail, trace=scope["state"]["trace_id"]))
        await refusal(scope, receive, send)

    def _ours(self, headers: Headers) -> bool:
        hosts = headers.getlist("host")
        origins = headers.getlist("origin")
        return len(hosts) == 1 and self._known(f"//{hosts[0]}") and all(map(self._known, origins))

    def _known(self, address: str) -> bool:
        try:
            return (urlsplit(address).hostname or "").lower() in self._allowed
        except ValueError:
            return False


class BodyLimit:
    """Refuses bodies that are too large: by their length before anything reads them, else once the bound is passed.

    Nothing is held here; what reads a body gets TooLarge instead of the piece that is too much, and has done nothing.
    """

    def __init__(self, app: ASGIApp, *, settings: EdgeSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit(scope["path"])
        declared = Headers(scope=scope).get("content-length")
        if declared is not None and not (declared.isascii() and declared.isdigit() and int(declared) <= limit):
            refusal = response(problem(413, "too-large", _too_large(limit), trace=scope["state"]["trace_id"]))
            await refusal(scope, receive, send)
        else:
            await self._app(scope, _counted(receive, limit), send)

    def _limit(self, path: str) -> int:
        large = path.startswith(self._settings.large_body_prefixes)
        return self._settings.large_body_bytes_max if large else self._settings.body_bytes_max


def _counted(receive: Receive, limit: int) -> Receive:
    left = limit

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise TooLarge(_too_large(limit))
        return message

    return bounded


def _too_large(limit: int) -> str:
    return f"The body is larger than {limit} bytes."


class WellFormed:
    """Refuses NUL in addresses: no id, name or word has one, and stores refuse it each in their own way."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and ("\0" in scope["path"] or b"%00" in scope["query_string"]):
            detail = "The address contains NUL (%00); leave it out."
            refusal = response(problem(400, "malformed", detail, trace=scope["state"]["trace_id"]))
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)
