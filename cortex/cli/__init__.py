"""The `cortex` command: one module a command, registered here by one line each."""

import json
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from cortex.cli import ask, audit, doctor, down, erase, models, search, secrets, source, status, token, up
from cortex.cli import eval as evaluation
from cortex.cli.demo import command as demo
from cortex.cli.exits import exit_code_for
from cortex.domain.errors import CortexError

app = typer.Typer(
    name="cortex",
    help="Permission-checked, cited answers over everything a company writes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"cortex {version('cortex-platform')}")
        raise typer.Exit


@app.callback()
def root(
    shown: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_version, help="Print the version."),
    ] = False,
) -> None:
    """Permission-checked, cited answers over everything a company writes."""


app.command("up")(up.up)
app.command("down")(down.down)
app.command("status")(status.status)
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)
app.command("token")(token.token)
app.command("search")(search.search)
app.command("ask")(ask.ask)
app.add_typer(source.app, name="source")
app.add_typer(models.app, name="models")
app.add_typer(erase.app, name="erase")
app.add_typer(audit.app, name="audit")
app.add_typer(secrets.app, name="secrets")
app.add_typer(evaluation.app, name="eval")


def main() -> None:
    """Exit codes are those of `exits`; an error of ours is one message on stderr, never a traceback."""
    try:
        app()
    except CortexError as error:
        if "--json" in sys.argv:
            print(json.dumps({"error": {"title": type(error).__name__, "detail": str(error)}}))
        print(f"cortex: {error}", file=sys.stderr)
        sys.exit(exit_code_for(error))
