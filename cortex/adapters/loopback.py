"""The owner of a loopback connection, from the kernel's table of sockets (Linux)."""

import os
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from cortex.adapters.local_tokens import LocalClaims, LocalTokens
from cortex.domain.credential import Role
from cortex.ports.loopback import Connection

# 127.0.0.1 as the table writes it: in the byte order of the machine.
_LOOPBACK = "0100007F"
_ESTABLISHED = "01"
_LOCAL, _REMOTE, _STATE, _USER = 1, 2, 3, 7


@dataclass(frozen=True, slots=True)
class SocketTable:
    """Implements LoopbackPeers. Without the table, on other systems than Linux, nobody is the same user."""

    path: Path = Path("/proc/net/tcp")
    user: int = field(default_factory=os.getuid)

    def is_same_user(self, connection: Connection) -> bool:
        try:
            lines = self.path.read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            return False
        client = f"{_LOOPBACK}:{connection.client_port:04X}"
        server = f"{_LOOPBACK}:{connection.server_port:04X}"
        owners = [
            fields[_USER]
            for fields in map(str.split, lines)
            if fields[_LOCAL] == client and fields[_REMOTE] == server and fields[_STATE] == _ESTABLISHED
        ]
        return owners == [str(self.user)]


@dataclass(frozen=True, slots=True)
class MemberTokens:
    """Implements LocalTokenMaker."""

    tokens: LocalTokens

    def token(self, tenant: str, email: str, *, ttl: timedelta) -> str:
        return self.tokens.mint(LocalClaims(tenant, email, Role.MEMBER), ttl=ttl)
