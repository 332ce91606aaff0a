"""`cortex source add | list | sync | rm`: sources of the local platform."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from cortex.cli.gateway import TENANT, Gateway, segment
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption, option_for
from cortex.domain.credential import Role
from cortex.domain.errors import Bug, Invalid, NotFound

POLL_S = 0.25
PIPED_WIDTH = 400
app = typer.Typer(help="Sources: add, list, sync and remove them.", no_args_is_help=True)

TenantOption = Annotated[str, typer.Option("--tenant", help="Which tenant.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME")]


def administering(data: Path, tenant: str) -> Gateway:
    return Gateway.at(data, role=Role.ADMIN, tenant=tenant)


@app.command("add")
def add(
    type_: Annotated[str, typer.Argument(metavar="TYPE", help="Such as files.")],
    name: Annotated[str, typer.Option(help="Its name: a-z, 0-9 and hyphens; it cannot be changed.")],
    config: Annotated[Path, typer.Option(help="A YAML or JSON file with its configuration.")],
    tenant: TenantOption = TENANT,
    data: DataOption = DATA_FOLDER,
) -> None:
    """Add a source. It is read at the next `cortex source sync NAME`, and every few minutes from then on."""
    body = {"name": name, "type": type_, "config": read_config(config)}
    with administering(data, tenant) as gateway:
        added = gateway.post("/admin/v1/sources", body)
    for warning in strings(added["warnings"]):
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(f"added {name}; `cortex source sync {name} --wait{option_for(data)}` reads it", err=True)


@app.command("list")
def list_(tenant: TenantOption = TENANT, data: DataOption = DATA_FOLDER, json_output: JsonOption = False) -> None:
    """List sources with what is indexed, waiting and failed."""
    with administering(data, tenant) as gateway:
        found = gateway.get("/admin/v1/sources")
    if json_output:
        typer.echo(json.dumps(found))
        return
    table = Table("source", "type", "state", "readable", "unreadable", "not read", "waiting", "last run", box=None)
    for source in mappings(found["items"]):
        documents = mapping(source["documents"])
        run = mapping(source["last_run"]) if source["last_run"] else {}
        counts = (readable(documents), *(str(documents[name]) for name in ("unreadable", "not_read", "waiting")))
        last = f"{run['state']} {to_the_second(run['finished_at'] or run['started_at'])}" if run else "never"
        table.add_row(str(source["name"]), str(source["type"]), str(source["state"]), *counts, last)
    console = Console()
    console.print(table, width=None if console.is_terminal else PIPED_WIDTH, no_wrap=not console.is_terminal)


@app.command("sync")
def sync(
    name: NameArgument,
    full: Annotated[bool, typer.Option("--full", help="Read everything again, changed or not.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Until all of it is indexed.")] = False,
    tenant: TenantOption = TENANT,
    data: DataOption = DATA_FOLDER,
) -> None:
    """Read a source now."""
    with administering(data, tenant) as gateway:
        with known(name, data):
            run_id = start_sync(gateway, name, full=full)
        if not wait:
            typer.echo(f"started run {run_id}", err=True)
            return
        console = Console(stderr=True)
        with progress(console) as bar:
            detail = wait_until_indexed(gateway, name, run_id, bar=bar)
        show_outcome(console, name, detail, run_id)


@app.command("rm")
def remove(name: NameArgument, tenant: TenantOption = TENANT, data: DataOption = DATA_FOLDER) -> None:
    """Remove a source with everything that came from it."""
    with administering(data, tenant) as gateway, known(name, data):
        gateway.delete(f"/admin/v1/sources/{segment(name)}")
    typer.echo(f"removing {name}; `cortex source list{option_for(data)}` shows when it is gone", err=True)


@contextmanager
def known(name: str, data: Path) -> Iterator[None]:
    """An administrator may know which sources there are: says so where `name` is none of them."""
    try:
        yield
    except NotFound as error:
        raise NotFound(f"no source {name!r}; `cortex source list{option_for(data)}` shows them") from error


def read_config(path: Path) -> dict[str, object]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise Invalid(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise Invalid(f"{path}: expected a mapping such as `path: /srv/docs`")
    return found


def start_sync(gateway: Gateway, name: str, *, full: bool = False) -> str:
    return str(gateway.post(f"/admin/v1/sources/{segment(name)}/sync", {"full": full})["run_id"])


def progress(console: Console) -> Progress:
    """Nothing but the end of it where there is no terminal."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, disable=not console.is_terminal)


def wait_until_indexed(gateway: Gateway, name: str, run_id: str, *, bar: Progress) -> dict[str, object]:
    """Until the run has ended and nothing of the source waits to be indexed; returns the source's details."""
    task = bar.add_task(name, total=None)
    while True:
        detail = gateway.get(f"/admin/v1/sources/{segment(name)}")
        documents = mapping(detail["documents"])
        indexed, waiting = integer(documents["indexed"]), integer(documents["waiting"])
        bar.update(task, completed=indexed, total=indexed + waiting)
        if waiting == 0 and run_of(detail, run_id).get("state") in ("done", "failed"):
            return detail
        time.sleep(POLL_S)


def run_of(detail: dict[str, object], run_id: str) -> dict[str, object]:
    """Empty until the run has begun."""
    return next((run for run in mappings(detail["runs"]) if run["id"] == run_id), {})


def show_outcome(console: Console, name: str, detail: dict[str, object], run_id: str) -> None:
    run, documents = run_of(detail, run_id), mapping(detail["documents"])
    folders = integer(run["containers"])
    permissions = f"; permissions set on {folders} folder{'s' * (folders > 1)}" if folders else ""
    console.print(
        f"{name}: {run['seen']} seen, {run['changed']} changed, {run['deleted']} deleted,"
        f" {readable(documents)} readable, {documents['unreadable']} unreadable, {documents['not_read']} not read"
        f"{permissions}",
        highlight=False,
    )
    for failure in mappings(detail["failures"]):
        console.print(f"  {failure['place']}: {failure['message']}", highlight=False, markup=False, soft_wrap=True)
    if run["state"] == "failed":
        raise Invalid(f"{name}: {run['error']}")


def readable(documents: dict[str, object]) -> str:
    """How many are indexed with something in them."""
    return str(max(0, integer(documents["indexed"]) - integer(documents["unreadable"])))


def to_the_second(moment: object) -> str:
    return f"{datetime.fromisoformat(str(moment)).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Bug("the gateway answered in another shape than its OpenAPI file says")
    return value


def mappings(value: object) -> list[dict[str, object]]:
    return [mapping(item) for item in value] if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def integer(value: object) -> int:
    return int(str(value))
