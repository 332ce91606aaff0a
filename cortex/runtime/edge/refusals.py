"""Lines in the audit about credentials that do not hold: few, whatever comes."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from cortex.domain.credential import Credential, Refused
from cortex.domain.errors import CrossSite, Denied, Transient
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditEntry, AuditLog
from cortex.ports.authenticator import Authenticator, Presented
from cortex.ports.clock import Clock
from cortex.runtime.lifecycle import Loop, every

SETTLE_EVERY_S = 10.0
WINDOW = timedelta(minutes=1)
KINDS_MAX = 100
NOBODY = "unknown"
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class _Kind:
    tenant: TenantId
    action: str
    about: str
    reason: str


@dataclass(slots=True)
class _Window:
    """`more`: how many came after the one that has its line."""

    began: datetime
    more: int = 0


class Refusals:
    """The first of a kind leaves its line at once, those of the minute after it one together.

    At most KINDS_MAX kinds are told apart at a time; what is beyond them counts as others of its tenant. A credential
    itself is never part of a line. What belongs to no tenant goes to `home`'s. While the audit is out of reach, lines
    are lost, and whoever was refused is refused all the same.
    """

    def __init__(self, audit: AuditLog, clock: Clock, *, home: Callable[[], Awaitable[TenantId]]) -> None:
        self._audit = audit
        self._clock = clock
        self._home = home
        self._open: dict[_Kind, _Window] = {}

    async def note(self, action: str, error: Denied) -> None:
        await self.settle()
        with suppress(Transient):
            kind = await self._kind(action, error)
            if (window := self._open.get(kind)) is not None:
                window.more += 1
                return
            self._open[kind] = _Window(self._clock.now())
            await self._leave(kind, 1)

    async def settle(self, *, all_: bool = False) -> None:
        """Writes what was counted in windows that are over, or in all of them."""
        ended = self._clock.now() - WINDOW
        over = [kind for kind, window in self._open.items() if all_ or window.began <= ended]
        for kind in over:
            window = self._open.pop(kind, None)
            if window is not None and window.more:
                with suppress(Transient):
                    await self._leave(kind, window.more)

    async def _kind(self, action: str, error: Denied) -> _Kind:
        refused = error if isinstance(error, Refused) else Refused(str(error))
        tenant = refused.tenant or await self._home()
        kind = _Kind(tenant, action, refused.about or NOBODY, str(error))
        if kind in self._open or len(self._open) < KINDS_MAX:
            return kind
        return _Kind(tenant, action, OTHERS, "")

    async def _leave(self, kind: _Kind, times: int) -> None:
        entry = AuditEntry(kind.about, kind.action, "credential", {"reason": kind.reason, "times": times})
        await self._audit.append(kind.tenant, [entry])


def settling(refusals: Refusals) -> Loop:
    """What was refused again and again is written down once a window, also when nothing is refused any more."""

    async def settle() -> bool:
        await refusals.settle()
        return False

    return partial(every, SETTLE_EVERY_S, settle)


class NotedAuthenticator:
    """Implements Authenticator. Cookies are left out: browsers keep showing sessions that have ended."""

    def __init__(self, authenticator: Authenticator, refusals: Refusals) -> None:
        self._authenticator = authenticator
        self._refusals = refusals

    async def authenticate(self, presented: Presented) -> Credential:
        try:
            return await self._authenticator.authenticate(presented)
        except CrossSite:
            raise
        except Denied as error:
            if presented.authorization is not None:
                await self._refusals.note("token.refuse", error)
            raise
