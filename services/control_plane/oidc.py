"""Signing in at the identity provider: the authorization code flow with PKCE, state and nonce."""

import base64
import hashlib
import hmac
import secrets
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse

from cortex.domain.credential import Refused
from cortex.domain.errors import Denied
from cortex.domain.sign_in import local_path
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Presented
from cortex.ports.sessions import PendingSignIn
from cortex.runtime.edge.authenticate import Foreign, Site
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.sessions import set_session

SECRET_BYTES = 32
SIGN_IN_S = 600
Parameter = Annotated[str | None, Query(max_length=4_096)]


def challenge_of(verifier: str) -> str:
    """RFC 7636, S256."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).decode("ascii").rstrip("=")


def oidc_router(ports: IdentityPorts, foreign: Foreign) -> APIRouter:
    router = APIRouter(prefix="/auth", tags=["sign-in"], route_class=GuardedRoute)
    site = ports.site

    @router.get("/sign-in", status_code=303, response_class=RedirectResponse)
    async def sign_in(return_to: Parameter = None) -> RedirectResponse:
        state, nonce, verifier = (secrets.token_urlsafe(SECRET_BYTES) for _ in range(3))
        address = await foreign.provider.authorization_url(state=state, nonce=nonce, challenge=challenge_of(verifier))
        await ports.sign_ins.put(foreign.tenant, state, PendingSignIn(nonce, verifier, local_path(return_to)))
        answer = RedirectResponse(address, status_code=303)
        # The provider's page leads back here from another site: a strict cookie would not come along.
        answer.set_cookie(
            site.sign_in_cookie, state, max_age=SIGN_IN_S, secure=site.secure, httponly=True, samesite="lax"
        )
        return answer

    @router.get("/callback", status_code=303, response_class=RedirectResponse)
    async def callback(
        request: Request,
        state: Parameter = None,
        code: Parameter = None,
        error: Parameter = None,
        iss: Parameter = None,
    ) -> RedirectResponse:
        presented = Presented.of(request.method, request.headers)
        try:
            pending = await _pending(ports, foreign, site, presented=presented, state=state)
            if error is not None or code is None:
                raise Denied("the identity provider did not sign you in; start again")
            if iss is not None and iss != foreign.issuer:
                raise Denied("the answer is another identity provider's")
            subject = await foreign.provider.exchange(code, verifier=pending.verifier, nonce=pending.nonce)
            signed = await foreign.signed(subject)
        except Denied as refusal:
            await ports.refusals.note("sign-in.fail", Refused(str(refusal), tenant=foreign.tenant))
            raise
        line = AuditEntry(actor=signed.email, action="session.start", object=str(signed.person_id))
        session = await ports.sessions.audited(line).start(foreign.tenant, signed.person_id)
        if before := presented.cookies.get(site.session_cookie):
            await ports.sessions.end(before)
        answer = RedirectResponse(pending.return_to, status_code=303)
        set_session(answer, site, session)
        answer.delete_cookie(site.sign_in_cookie, secure=site.secure, httponly=True, samesite="lax")
        return answer

    return router


async def _pending(
    ports: IdentityPorts, foreign: Foreign, site: Site, *, presented: Presented, state: str | None
) -> PendingSignIn:
    """What this browser began, once. A link that somebody else began would sign one in as them."""
    begun = presented.cookies.get(site.sign_in_cookie, "")
    if not state or not hmac.compare_digest(begun.encode(), state.encode()):
        raise Denied("this browser did not begin this sign-in; start again")
    return await ports.sign_ins.take(foreign.tenant, state)
