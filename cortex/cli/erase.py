"""`cortex erase`: the right to be forgotten, with a certificate that can be checked."""

import base64
import binascii
import json
import time
from pathlib import Path
from typing import Annotated

import typer

from cortex.adapters.signing import PlatformSigner, verified
from cortex.cli.gateway import TENANT, Gateway
from cortex.cli.options import DATA_FOLDER, DataOption
from cortex.cli.source import TenantOption, administering, mapping
from cortex.domain.erasure import signed_bytes
from cortex.domain.errors import Bug, Invalid, NotFound
from cortex.runtime.local.folder import DataFolder

POLL_S = 0.25
app = typer.Typer(help="Erase a document or a person, or check a certificate.")


@app.callback(invoke_without_command=True)
def erase(
    context: typer.Context,
    document: Annotated[str | None, typer.Option(metavar="ID", help="A document, by its id.")] = None,
    person: Annotated[str | None, typer.Option(metavar="EMAIL", help="A person, by an address.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Until nothing is left; prints the certificate.")] = False,
    tenant: TenantOption = TENANT,
    data: DataOption = DATA_FOLDER,
) -> None:
    """Erase a document or a person everywhere. It goes on by itself, also after a crash."""
    if context.invoked_subcommand is not None:
        return
    if (document is None) == (person is None):
        raise typer.BadParameter("name one of them", param_hint="--document ID or --person EMAIL")
    body: dict[str, object] = {"document": document} if document is not None else {"person": person}
    with administering(data, tenant) as gateway:
        try:
            asked = gateway.post("/admin/v1/erasures", body)
        except NotFound as error:
            raise NotFound(f"no document {document!r}" if document else f"nobody is known as {person!r}") from error
        if not wait:
            typer.echo(f"erasure {asked['id']} is under way", err=True)
            return
        typer.echo(json.dumps(_finished(gateway, str(asked["id"])), indent=2, ensure_ascii=False))


@app.command("verify")
def verify(
    certificate: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate, as JSON.")],
    key: Annotated[str | None, typer.Option(help="The public key, base64; else the data folder's.")] = None,
    data: DataOption = DATA_FOLDER,
) -> None:
    """Check that a certificate was signed by this platform and has not been altered since."""
    stated = _read(certificate)
    public_key = base64.b64decode(key) if key else _own_key(data)
    try:
        signature = base64.b64decode(str(stated["signature"]), validate=True)
    except (KeyError, binascii.Error) as error:
        raise Invalid(f"{certificate}: there is no signature") from error
    if not verified(public_key, signed_bytes(stated), signature):
        raise Bug(f"{certificate}: was altered, or signed by another platform")
    typer.echo(f"{certificate}: erasure {stated['erasure_id']} is certified")


def _finished(gateway: Gateway, erasure: str) -> dict[str, object]:
    while True:
        found = gateway.get(f"/admin/v1/erasures/{erasure}")
        if found["state"] == "done":
            return mapping(found["certificate"])
        if found["state"] == "failed":
            raise Bug(f"erasure {erasure} failed: {found['error']}")
        time.sleep(POLL_S)


def _read(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Invalid(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise Invalid(f"{path}: expected a certificate, as `cortex erase --wait` prints it")
    return found


def _own_key(data: Path) -> bytes:
    folder = DataFolder(data.expanduser().absolute())
    if not folder.keys.is_dir():
        raise Invalid(f"there is no platform in {folder.root}; give its public key with --key")
    return PlatformSigner(folder.keys).public_key
