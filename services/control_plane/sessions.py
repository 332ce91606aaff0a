"""Routes of one's own browser session, and its cookie."""

from datetime import UTC

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from cortex.domain.credential import Credential
from cortex.ports.audit_log import AuditEntry
from cortex.ports.sessions import StartedSession
from cortex.runtime.edge.authenticate import Site, csrf_token
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import anyone
from services.control_plane.identity_ports import IdentityPorts


class SessionView(BaseModel):
    """`csrf_token` None: the request came without a session's cookie."""

    person_id: str
    email: str
    role: str
    scopes: list[str]
    csrf_token: str | None


def set_session(answer: Response, site: Site, session: StartedSession) -> None:
    answer.set_cookie(
        site.session_cookie,
        session.secret,
        expires=session.expires_at.astimezone(UTC),
        secure=site.secure,
        httponly=True,
        samesite="lax",
    )


def session_router(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(prefix="/auth", tags=["sign-in"], route_class=GuardedRoute)
    signed_in = Depends(anyone(ports.authenticator))
    cookie = ports.site.session_cookie

    @router.get("/session")
    async def get_session(request: Request, credential: Credential = signed_in) -> SessionView:
        secret = None if request.headers.get("authorization") else request.cookies.get(cookie)
        return SessionView(
            person_id=str(credential.person_id),
            email=credential.email,
            role=credential.role.value,
            scopes=sorted(credential.scopes),
            csrf_token=None if secret is None else csrf_token(secret),
        )

    @router.post("/sign-out", status_code=204)
    async def sign_out(
        request: Request, response: Response, everywhere: bool = False, credential: Credential = signed_in
    ) -> None:
        """`everywhere` ends all sessions of the person."""
        line = AuditEntry(credential.email, "session.end", str(credential.person_id), {"everywhere": everywhere})
        if everywhere:
            await ports.sessions.audited(line).end_all(credential.tenant_id, credential.person_id)
        elif secret := request.cookies.get(cookie):
            await ports.sessions.audited(line).end(secret)
        response.delete_cookie(cookie, secure=ports.site.secure, httponly=True, samesite="lax")

    return router
