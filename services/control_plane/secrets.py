"""Secrets of sources: split from the configuration that names them, replaced, brought under a new key, never shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, RootModel, SecretStr

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Invalid
from cortex.domain.identity import source_id
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.engine_store import EngineKeys
from cortex.ports.source_secrets import SourceSecrets
from cortex.ports.source_types import SourceTypes
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.ports import SourceAdministration

SECRET_CHARACTERS_MAX = 20_000


class SecretsBody(RootModel[dict[str, SecretStr]]):
    model_config = ConfigDict(frozen=True)


class SecretNames(BaseModel):
    names: list[str]


class Rewrapped(BaseModel):
    """How many data keys were under an older key."""

    rewrapped: int


@dataclass(frozen=True, slots=True)
class Split:
    """A configuration without its secrets, and those."""

    config: Mapping[str, object]
    secrets: Mapping[str, str] = field(repr=False)


def split(config: Mapping[str, object], secret_names: frozenset[str]) -> Split:
    """Raises Invalid that names a secret which is no text, and not what it is."""
    secrets: dict[str, str] = {}
    for name in sorted(secret_names & config.keys()):
        value = config[name]
        if not isinstance(value, str) or not 0 < len(value) <= SECRET_CHARACTERS_MAX:
            raise Invalid(f"config.{name}: expected a text of 1 to {SECRET_CHARACTERS_MAX} characters")
        secrets[name] = value
    return Split({name: value for name, value in config.items() if name not in secret_names}, secrets)


@dataclass(frozen=True, slots=True)
class SecretPorts:
    authenticator: Authenticator
    sources: SourceAdministration
    types: SourceTypes
    secrets: SourceSecrets
    keys: EngineKeys


def secrets_line(credential: Credential, source: str, secrets: Mapping[str, str]) -> AuditEntry:
    """Which were put, and not what they are."""
    return AuditEntry(credential.email, "secrets.put", source, {"names": ",".join(sorted(secrets))})


def secrets_router(ports: SecretPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1", tags=["secrets"], route_class=GuardedRoute)
    owner = Depends(requires(ports.authenticator, Role.OWNER, Role.ADMIN))
    admin = Depends(requires(ports.authenticator, Role.ADMIN))

    @router.get("/sources/{name}/secrets")
    async def list_secrets(name: str, credential: Credential = owner) -> SecretNames:
        """Which there are; what they are is shown to nobody."""
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, name)
        await ports.sources.source(tenant, identifier)
        return SecretNames(names=await ports.secrets.names(tenant, identifier))

    @router.put("/sources/{name}/secrets", status_code=204)
    async def put_secrets(name: str, body: SecretsBody, credential: Credential = owner) -> None:
        """Those named replace what was there: for a credential that was changed at the source."""
        tenant, identifier = credential.tenant_id, source_id(credential.tenant_id, name)
        source = await ports.sources.source(tenant, identifier)
        known = await ports.types.secrets(source.type)
        if unknown := sorted(body.root.keys() - known):
            raise Invalid(f"{unknown[0]}: sources of type {source.type} have the secrets {', '.join(sorted(known))}")
        plain = {secret: value.get_secret_value() for secret, value in body.root.items()}
        line = secrets_line(credential, name, plain)
        await ports.secrets.audited(line).put(tenant, identifier, split(plain, known).secrets)

    @router.post("/secrets/rewrap")
    async def rewrap(credential: Credential = admin) -> Rewrapped:
        """After a rotation: every data key of this tenant under the platform's current key."""
        tenant, line = credential.tenant_id, AuditEntry(credential.email, "secrets.rewrap", "secrets")
        number = await ports.secrets.audited(line).rewrap(tenant) + await ports.keys.audited(line).rewrap(tenant)
        return Rewrapped(rewrapped=number)

    return router
