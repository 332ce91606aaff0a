"""Errors become RFC 9457 problem documents here and nowhere else."""

from collections.abc import Sequence
from http import HTTPStatus
from math import ceil

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from cortex.domain.errors import (
    Bug,
    Conflict,
    CortexError,
    Denied,
    Exhausted,
    Invalid,
    NotFound,
    Throttled,
    Transient,
    Unauthenticated,
)

MEDIA_TYPE = "application/problem+json"
NOT_FOUND = "There is nothing here, or you may not know that there is."
_PROPAGATED = frozenset(["allow", "www-authenticate", "retry-after"])
_STATUS: tuple[tuple[type[CortexError], int, str], ...] = (
    (Invalid, 422, "invalid"),
    (NotFound, 404, "not-found"),
    (Denied, 403, "denied"),
    (Conflict, 409, "conflict"),
    (Exhausted, 413, "exhausted"),
    (Throttled, 429, "throttled"),
    (Transient, 503, "unavailable"),
    (Bug, 500, "bug"),
)


class TooLarge(HTTPException):
    """The body is. Raised to whatever reads it, in the form that FastAPI passes on."""

    def __init__(self, detail: str) -> None:
        super().__init__(413, detail)


class Misplaced(BaseModel):
    """What is wrong with one place of a request."""

    model_config = ConfigDict(frozen=True)

    place: str
    message: str


class ProblemBody(BaseModel):
    """RFC 9457, `application/problem+json`."""

    model_config = ConfigDict(frozen=True)

    type: str
    title: str
    status: int
    detail: str
    trace_id: str
    errors: list[Misplaced] = []


def trace_id(request: Request) -> str:
    return str(request.scope.get("state", {}).get("trace_id", ""))


def problem(status: int, kind: str, detail: str, *, trace: str, errors: Sequence[Misplaced] = ()) -> ProblemBody:
    title = HTTPStatus(status).phrase
    return ProblemBody(
        type=f"urn:cortex:problem:{kind}",
        title=title,
        status=status,
        detail=detail,
        trace_id=trace,
        errors=list(errors),
    )


def problem_of(error: CortexError, *, trace: str) -> ProblemBody:
    """A foreign id and an absent one give the same text; a bug gives none of its own."""
    if isinstance(error, Unauthenticated):
        return problem(401, "unauthenticated", str(error), trace=trace)
    for kind, status, name in _STATUS:
        if isinstance(error, kind):
            fixed = {"not-found": NOT_FOUND, "bug": "An invariant does not hold; the log says more."}
            return problem(status, name, fixed.get(name, str(error)), trace=trace, errors=_placed(error))
    return problem(500, "bug", "An unexpected error; the log says more.", trace=trace)


def _placed(error: CortexError) -> list[Misplaced]:
    if isinstance(error, Invalid) and error.place is not None:
        return [Misplaced(place=error.place, message=error.mend)]
    return []


def response(body: ProblemBody, headers: dict[str, str] | None = None) -> Response:
    exclude = None if body.errors else {"errors"}
    return Response(
        body.model_dump_json(exclude=exclude), status_code=body.status, media_type=MEDIA_TYPE, headers=headers
    )


def headers_of(error: CortexError) -> dict[str, str]:
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, Transient | Throttled):
        return {"Retry-After": str(ceil(error.retry_after_s or 1.0))}
    return {}


async def _cortex_error(request: Request, error: Exception) -> Response:
    known = error if isinstance(error, CortexError) else Bug()
    return response(problem_of(known, trace=trace_id(request)), headers_of(known))


async def _invalid_request(request: Request, error: Exception) -> Response:
    """The place and the mend of every wrong field; values are not repeated, since they may be anything."""
    raw = error.errors() if isinstance(error, RequestValidationError) else []
    broken = any(item["type"] == "json_invalid" for item in raw)
    if broken:
        detail = "The body is not JSON; send one object with Content-Type: application/json."
        return response(problem(400, "malformed", detail, trace=trace_id(request)))
    errors = [Misplaced(place=_place(item["loc"]), message=_mend(item["type"], item["msg"])) for item in raw]
    detail = "; ".join(f"{item.place}: {item.message}" for item in errors[:5]) or "The request is wrong."
    return response(problem(422, "invalid", detail, trace=trace_id(request), errors=errors))


def _place(location: Sequence[str | int]) -> str:
    """`filters.languages[0]`; the body's own name is left out."""
    inner = location[1:] if len(location) > 1 and location[0] in ("body", "query", "header") else location
    text = ""
    for part in inner:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _mend(kind: str, message: str) -> str:
    match kind:
        case "extra_forbidden":
            return "unknown field; remove it"
        case "missing":
            return "is required"
    return message.removeprefix("Value error, ")


async def _http_error(request: Request, error: Exception) -> Response:
    """Unknown routes and methods."""
    if not isinstance(error, HTTPException):
        return await _cortex_error(request, error)
    kept = {name: value for name, value in (error.headers or {}).items() if name.lower() in _PROPAGATED}
    kind = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}.get(error.status_code, "http")
    detail = NOT_FOUND if error.status_code == 404 else str(error.detail)
    return response(problem(error.status_code, kind, detail, trace=trace_id(request)), kept)


def install(app: FastAPI) -> None:
    app.add_exception_handler(CortexError, _cortex_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _cortex_error)


DOCUMENTED: dict[int | str, dict[str, object]] = {
    status: {"model": ProblemBody, "description": f"{HTTPStatus(status).phrase}, as {MEDIA_TYPE}"}
    for status in (401, 404, 413, 422, 429, 503)
}
