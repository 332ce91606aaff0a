"""Who asks: the credential, then the person with all their groups."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from cortex.domain.credential import Credential, Reader, Role, Scope
from cortex.domain.errors import CrossSite, Denied, NotFound, Unauthenticated
from cortex.ports.authenticator import Authenticator, Presented
from cortex.ports.directory import Directory
from cortex.ports.tracer import Span, Tracer
from cortex.runtime.edge.guarded import Guard
from cortex.runtime.edge.problems import trace_id
from services.query_gateway.deadline import within
from services.query_gateway.metrics import Metrics
from services.query_gateway.stages import Stages

_BEARER = HTTPBearer(auto_error=False, description="OIDC access token, API key `ck_...`, or a local token.")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]


@dataclass(frozen=True, slots=True)
class Asking:
    """One request of a known reader."""

    reader: Reader
    stages: Stages
    trace_id: str


class Operator(Guard[Credential]):
    """A dependency of routes for those who run the platform: an administrator or auditor, or a key of that role.

    Raises Denied, with what would do. Unauthenticated without a credential that holds.
    """

    roles = frozenset({Role.ADMIN, Role.AUDITOR})
    scope = Scope.READ

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    async def __call__(self, request: Request, _documented: Bearer) -> Credential:
        return await self.admitted(request)

    async def admit(self, request: Request) -> Credential:
        credential = await authenticated(self._authenticator, Presented.of(request.method, request.headers))
        if credential.role not in self.roles or self.scope not in credential.scopes:
            raise Denied("this takes the role admin or auditor, with the scope read")
        return credential


async def authenticated(authenticator: Authenticator, presented: Presented) -> Credential:
    try:
        return await authenticator.authenticate(presented)
    except CrossSite:
        raise
    except Denied as error:
        raise Unauthenticated(str(error) or "Send Authorization: Bearer TOKEN.") from error


class Identify(Guard[Asking]):
    """A dependency of routes. An unknown or inactive person is as good as no credential.

    Looking and asking take the scope `read`; changing what is kept of a person takes `write`.
    """

    def __init__(
        self,
        *,
        authenticator: Authenticator,
        directory: Directory,
        metrics: Metrics,
        tracer: Tracer,
        timeout_s: float,
        scope: Scope = Scope.READ,
    ) -> None:
        self.scope = scope
        self._authenticator = authenticator
        self._directory = directory
        self._metrics = metrics
        self._tracer = tracer
        self._timeout_s = timeout_s

    def writing(self) -> "Identify":
        return Identify(
            authenticator=self._authenticator,
            directory=self._directory,
            metrics=self._metrics,
            tracer=self._tracer,
            timeout_s=self._timeout_s,
            scope=Scope.WRITE,
        )

    async def __call__(self, request: Request, _documented: Bearer) -> Asking:
        return await self.admitted(request)

    async def admit(self, request: Request) -> Asking:
        stages = Stages(self._metrics, self._tracer)
        with stages.stage("auth"):
            async with within(self._timeout_s, "the directory"):
                reader = await self._reader(Presented.of(request.method, request.headers))
        span: Span = request.state.span
        span.note(tenant_id=str(reader.tenant_id), person_id=str(reader.credential.person_id))
        return Asking(reader, stages, trace_id(request))

    async def _reader(self, presented: Presented) -> Reader:
        credential = await authenticated(self._authenticator, presented)
        try:
            asker = await self._directory.expand(credential.tenant_id, credential.person_id)
        except NotFound:
            raise Unauthenticated("The person of this credential is unknown or inactive.") from None
        if self.scope not in credential.scopes:
            raise Denied(f"this takes a credential with the scope {self.scope}")
        return Reader(credential, asker)
