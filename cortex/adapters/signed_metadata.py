"""Who a call between our processes is for: tenant and time in its metadata, signed with the platform's internal key."""

import hashlib
import hmac
import uuid
from collections.abc import Mapping

from cortex.domain.errors import Denied
from cortex.domain.identity import TenantId
from cortex.ports.clock import Clock

TENANT_KEY = "cortex-tenant"
TIME_KEY = "cortex-time"
SIGNATURE_KEY = "cortex-signature"
AGE_MAX_S = 60.0


class SignedMetadata:
    """Both ends of it. A signature holds for a minute either way, so that a recorded call is of no use later."""

    def __init__(self, key: str, clock: Clock) -> None:
        self._key = key.encode()
        self._clock = clock

    def sign(self, tenant: TenantId) -> tuple[tuple[str, str], ...]:
        moment = f"{self._clock.now().timestamp():.3f}"
        return (
            (TENANT_KEY, str(tenant)),
            (TIME_KEY, moment),
            (SIGNATURE_KEY, self._signature(str(tenant), moment)),
        )

    def tenant(self, metadata: Mapping[str, str]) -> TenantId:
        """Raises Denied for a call that was not signed just now."""
        tenant, moment = str(metadata.get(TENANT_KEY, "")), str(metadata.get(TIME_KEY, ""))
        if not hmac.compare_digest(self._signature(tenant, moment), str(metadata.get(SIGNATURE_KEY, ""))):
            raise Denied("the call is not signed by this platform")
        if abs(self._clock.now().timestamp() - float(moment)) > AGE_MAX_S:
            raise Denied("the call's signature is too old: check the clocks")
        return TenantId(uuid.UUID(tenant))

    def _signature(self, tenant: str, moment: str) -> str:
        return hmac.new(self._key, f"{tenant}\n{moment}".encode(), hashlib.sha256).hexdigest()
