"""`cortex audit`: check the chain, export it."""

from typing import Annotated

import typer

from cortex.cli.exits import ExitCode
from cortex.cli.gateway import TENANT
from cortex.cli.options import DATA_FOLDER, DataOption
from cortex.cli.source import TenantOption, administering

app = typer.Typer(help="The audit: check it, export it.", no_args_is_help=True)


@app.command("verify")
def verify(tenant: TenantOption = TENANT, data: DataOption = DATA_FOLDER) -> None:
    """Walk the chain and compare it with the signed heads. Exits with 1 where something was altered or is missing."""
    with administering(data, tenant) as gateway:
        found = gateway.post("/admin/v1/audit/verify", {})
    if found["broken_at"] is not None:
        typer.echo(f"entry {found['broken_at']} is altered or missing; {found['entries']} before it hold", err=True)
        raise typer.Exit(ExitCode.UNEXPECTED)
    typer.echo(f"{found['entries']} entries hold; signed heads vouch for the first {found['anchored']}")


@app.command("export")
def export(
    after: Annotated[int, typer.Option(min=0, help="Only entries behind this one.")] = 0,
    tenant: TenantOption = TENANT,
    data: DataOption = DATA_FOLDER,
) -> None:
    """Print the audit as JSON lines, oldest first."""
    with administering(data, tenant) as gateway:
        for line in gateway.lines("/admin/v1/audit", after=after):
            typer.echo(line)
