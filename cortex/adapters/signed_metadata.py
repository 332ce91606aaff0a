"""Who a call between our processes is for: tenant, person and time in its metadata, signed with the internal key."""

import hashlib
import hmac
import uuid
from collections.abc import Mapping

from cortex.domain.errors import Denied
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.clock import Clock

TENANT_KEY = "cortex-tenant"
PERSON_KEY = "cortex-person"
TIME_KEY = "cortex-time"
SIGNATURE_KEY = "cortex-signature"
AGE_MAX_S = 60.0
_NO_TENANT = TenantId(uuid.UUID(int=0))


class SignedMetadata:
    """Both ends of it. A signature holds for a minute either way, so that a recorded call is of no use later."""

    def __init__(self, key: str, clock: Clock) -> None:
        self._key = key.encode()
        self._clock = clock

    def sign(self, tenant: TenantId, person: PersonId | None = None) -> tuple[tuple[str, str], ...]:
        moment, who = f"{self._clock.now().timestamp():.3f}", "" if person is None else str(person)
        return (
            (TENANT_KEY, str(tenant)),
            (PERSON_KEY, who),
            (TIME_KEY, moment),
            (SIGNATURE_KEY, self._signature(str(tenant), who, moment)),
        )

    def sign_for_platform(self) -> tuple[tuple[str, str], ...]:
        """For what is the same for every tenant."""
        return self.sign(_NO_TENANT)

    def tenant(self, metadata: Mapping[str, str]) -> TenantId:
        """Raises Denied for a call that was not signed just now."""
        tenant, who, moment = (str(metadata.get(key, "")) for key in (TENANT_KEY, PERSON_KEY, TIME_KEY))
        if not hmac.compare_digest(self._signature(tenant, who, moment), str(metadata.get(SIGNATURE_KEY, ""))):
            raise Denied("the call is not signed by this platform")
        if abs(self._clock.now().timestamp() - float(moment)) > AGE_MAX_S:
            raise Denied("the call's signature is too old: check the clocks")
        return TenantId(uuid.UUID(tenant))

    def caller(self, metadata: Mapping[str, str]) -> tuple[TenantId, PersonId]:
        """Raises Denied for a call that was not signed just now, or for nobody."""
        tenant, who = self.tenant(metadata), str(metadata.get(PERSON_KEY, ""))
        if not who:
            raise Denied("the call is signed for no person")
        return tenant, PersonId(uuid.UUID(who))

    def _signature(self, tenant: str, person: str, moment: str) -> str:
        return hmac.new(self._key, f"{tenant}\n{person}\n{moment}".encode(), hashlib.sha256).hexdigest()
