"""The browser application: files that were built once and compressed then, and its page for every address of its own.

The files are read when the process starts. They have their content's hash in their names and are kept by browsers for
good; the page that names them is asked for anew each time.
"""

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

INDEX = "index.html"
HASHED = "assets/"
# First segments of addresses that are no pages, whether or not something answers there.
_NO_PAGES = frozenset(
    ["v1", "admin", "auth", "scim", "mcp", "webhooks", "healthz", "readyz", "metrics", "openapi.json", "assets"]
)
_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
NOT_BUILT = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cortex: not built</title>
<h1>The web application is not built</h1>
<p>The platform runs, and its API answers. Build the application with <code>make setup</code> in the folder of the
repository, then start the platform again.</p>
</html>
"""


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """`encoded` holds the same content by content coding."""

    content: bytes
    media_type: str
    tag: str
    encoded: Mapping[str, bytes]


class Bundle:
    """What the build left in a folder. Empty where there is none."""

    def __init__(self, folder: Path) -> None:
        self._files = dict(_built_files(folder))

    def file(self, path: str) -> BuiltFile | None:
        return self._files.get(path)

    @property
    def index(self) -> BuiltFile | None:
        return self._files.get(INDEX)


class Web:
    """An ASGI application for whatever no route of the API takes; `otherwise` answers what is not ours."""

    def __init__(self, bundle: Bundle, otherwise: ASGIApp) -> None:
        self._bundle = bundle
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._otherwise(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"].lstrip("/")
        built = self._bundle.file(path) if path != INDEX else None
        if built is not None:
            await answer(built, headers, hashed=path.startswith(HASHED))(scope, receive, send)
        elif _is_page(path, headers):
            await self._page(headers)(scope, receive, send)
        else:
            await self._otherwise(scope, receive, send)

    def _page(self, headers: Headers) -> Response:
        if self._bundle.index is None:
            safe = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
            return Response(NOT_BUILT, status_code=503, media_type="text/html; charset=utf-8", headers=safe)
        return answer(self._bundle.index, headers, hashed=False)


def install(app: FastAPI, folder: Path) -> None:
    app.router.default = Web(Bundle(folder), app.router.default)


def answer(built: BuiltFile, headers: Headers, *, hashed: bool) -> Response:
    """The file in the best coding that the browser takes, or 304."""
    given = {
        "ETag": built.tag,
        "Vary": "Accept-Encoding",
        "Cache-Control": "public, max-age=31536000, immutable" if hashed else "no-cache",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    }
    if headers.get("if-none-match") == built.tag:
        return Response(status_code=304, headers=given)
    accepted = {coding.split(";")[0].strip().lower() for coding in headers.get("accept-encoding", "").split(",")}
    coding = next((name for name, _ in _ENCODINGS if name in accepted and name in built.encoded), None)
    if coding is None:
        return Response(built.content, media_type=built.media_type, headers=given)
    return Response(built.encoded[coding], media_type=built.media_type, headers={**given, "Content-Encoding": coding})


def _is_page(path: str, headers: Headers) -> bool:
    """An address of the application: what a browser opens as a document, under none of the API's names."""
    return path.split("/")[0] not in _NO_PAGES and "text/html" in headers.get("accept", "")


def _built_files(folder: Path) -> list[tuple[str, BuiltFile]]:
    compressed = tuple(suffix for _, suffix in _ENCODINGS)
    paths = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in compressed]
    return [(path.relative_to(folder).as_posix(), _read(path)) for path in paths]


def _read(path: Path) -> BuiltFile:
    content = path.read_bytes()
    encoded = {
        name: beside.read_bytes()
        for name, suffix in _ENCODINGS
        if (beside := path.with_name(path.name + suffix)).is_file()
    }
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind.endswith("javascript"):
        kind += "; charset=utf-8"
    return BuiltFile(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"', encoded)
