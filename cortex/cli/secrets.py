"""`cortex secrets`: the platform's key that connector secrets are under."""

from typing import Annotated

import typer

from cortex.adapters.sealing import KeyFile
from cortex.cli.gateway import TENANT
from cortex.cli.options import DATA_FOLDER, DataOption
from cortex.cli.source import TenantOption, administering
from cortex.runtime.local.folder import DataFolder

app = typer.Typer(help="Keys of connector secrets.", no_args_is_help=True)


@app.command("rotate")
def rotate(tenant: TenantOption = TENANT, data: DataOption = DATA_FOLDER) -> None:
    """Make a new key and bring a tenant's secrets under it. The old key stays for other tenants, and for backups."""
    name = KeyFile(DataFolder(data.expanduser().absolute()).master_keys).rotate()
    typer.echo(f"key {name} is the current one", err=True)
    rewrap(tenant, data)


@app.command("rewrap")
def rewrap(tenant: TenantOption = TENANT, data: DataOption = DATA_FOLDER) -> None:
    """Bring a tenant's secrets under the current key."""
    with administering(data, tenant) as gateway:
        found = gateway.post("/admin/v1/secrets/rewrap", {})
    typer.echo(f"{found['rewrapped']} secrets of {tenant} were under an older key", err=True)


@app.command("retire")
def retire(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The older key's name.")], data: DataOption = DATA_FOLDER
) -> None:
    """Forget an older key for good: what is still under it can never be read again."""
    KeyFile(DataFolder(data.expanduser().absolute()).master_keys).retire(key)
    typer.echo(f"key {key} is gone", err=True)
