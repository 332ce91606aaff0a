"""Errors in SCIM's form (RFC 7644, section 3.12), within /scim/v2 and nowhere else."""

import json
import logging
from collections.abc import Callable, Coroutine
from math import ceil
from typing import Any

from fastapi import Request, Response

from cortex.domain.errors import (
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
from cortex.domain.unexpected import outline
from cortex.runtime.edge.guarded import GuardedRoute

MEDIA_TYPE = "application/scim+json"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
_STATUS: tuple[tuple[type[CortexError], int, str | None], ...] = (
    (Unauthenticated, 401, None),
    (Denied, 403, None),
    (Invalid, 400, "invalidValue"),
    (NotFound, 404, None),
    (Conflict, 409, "uniqueness"),
    (Exhausted, 413, None),
    (Throttled, 429, None),
    (Transient, 503, None),
)


class PreconditionFailed(Conflict):
    """If-Match names another version."""


def error_response(status: int, detail: str, *, scim_type: str | None = None) -> Response:
    body = {"schemas": [ERROR], "status": str(status), "detail": detail}
    if scim_type:
        body["scimType"] = scim_type
    return Response(json.dumps(body), status_code=status, media_type=MEDIA_TYPE)


def response_of(error: CortexError) -> Response:
    if isinstance(error, PreconditionFailed):
        return error_response(412, str(error))
    for kind, status, scim_type in _STATUS:
        if isinstance(error, kind):
            answer = error_response(status, str(error), scim_type=scim_type)
            if isinstance(error, Unauthenticated):
                answer.headers["WWW-Authenticate"] = "Bearer"
            if isinstance(error, Transient | Throttled):
                answer.headers["Retry-After"] = str(ceil(error.retry_after_s or 1.0))
            return answer
    logging.getLogger(__name__).error("an invariant does not hold: %s", outline(error))
    return error_response(500, "an unexpected error; the log says more")


class ScimRoute(GuardedRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def in_form(request: Request) -> Response:
            try:
                return await handle(request)
            except CortexError as error:
                return response_of(error)

        return in_form
