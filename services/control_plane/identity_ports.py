"""What signing in, keys, people and provisioning stand on."""

from dataclasses import dataclass

from cortex.ports.api_keys import ApiKeys
from cortex.ports.audit_log import AuditLog
from cortex.ports.authenticator import Authenticator
from cortex.ports.clock import Clock
from cortex.ports.directory import Directory
from cortex.ports.identities import Identities
from cortex.ports.people import People
from cortex.ports.provisioning import ProvisionedGroups, ProvisionedUsers
from cortex.ports.sessions import Sessions, SignIns
from cortex.runtime.edge.authenticate import Foreign, Site
from cortex.runtime.edge.refusals import Refusals


@dataclass(frozen=True, slots=True)
class IdentityPorts:
    """`foreign` None: no identity provider is configured."""

    authenticator: Authenticator
    audit: AuditLog
    clock: Clock
    directory: Directory
    people: People
    identities: Identities
    keys: ApiKeys
    sessions: Sessions
    sign_ins: SignIns
    users: ProvisionedUsers
    groups: ProvisionedGroups
    site: Site
    refusals: Refusals
    foreign: Foreign | None = None
