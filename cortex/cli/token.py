"""`cortex token`: a local bearer token, printed alone."""

import re
from datetime import timedelta
from typing import Annotated

import typer

from cortex.adapters.local_tokens import LocalClaims
from cortex.cli.gateway import TENANT, mint
from cortex.cli.options import DATA_FOLDER, DataOption
from cortex.domain.credential import Role

UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
TTL_MAX = timedelta(days=30)


def token(
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="Whose token; unknown people are made at first use.")],
    tenant: Annotated[str, typer.Option(help="Which tenant.")] = TENANT,
    role: Annotated[Role, typer.Option(help="Roles give administration, never content.")] = Role.MEMBER,
    ttl: Annotated[str, typer.Option(metavar="8h", help="How long it holds: a number and s, m, h or d.")] = "8h",
    data: DataOption = DATA_FOLDER,
) -> None:
    """Print a local bearer token for a person. Evaluation mode only."""
    typer.echo(mint(data, LocalClaims(tenant, email, role), parse_ttl(ttl)))


def parse_ttl(text: str) -> timedelta:
    """`8h`, `30m`, `7d`; at most 30 days."""
    match = re.fullmatch(r"([1-9][0-9]{0,6})([smhd])", text)
    found = timedelta(seconds=int(match[1]) * UNITS_S[match[2]]) if match else None
    if found is None or found > TTL_MAX:
        raise typer.BadParameter(f"{text!r}: expected a number and s, m, h or d, at most 30d", param_hint="--ttl")
    return found
