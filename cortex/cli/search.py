"""`cortex search`: results that a person may open."""

import json
import re
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from cortex.cli.gateway import ADMINISTRATOR, TENANT, Gateway
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption
from cortex.cli.source import integer, mapping, mappings, strings
from cortex.domain.query import Mode

MOMENT = "2026-01-31 (midnight UTC) or 2026-01-31T09:00:00Z"
INDENT = (0, 0, 0, 4)
AsOption = Annotated[str, typer.Option("--as", metavar="EMAIL", help="Whose question it is; needs the token key.")]


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY")],
    as_: AsOption = ADMINISTRATOR,
    mode: Annotated[Mode, typer.Option(help="Which arms search, and how their lists become one.")] = Mode.HYBRID,
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many results.")] = 10,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="T", help=f"Hide what is younger: {MOMENT}.")] = None,
    known_at: Annotated[
        str | None, typer.Option("--known-at", metavar="T", help=f"What was known then: {MOMENT}.")
    ] = None,
    tenant: Annotated[str, typer.Option(help="Which tenant.")] = TENANT,
    data: DataOption = DATA_FOLDER,
    json_output: JsonOption = False,
) -> None:
    """Search as a person: only what they may open is found, counted or shown."""
    body: dict[str, object] = {"query": query, "mode": mode.value, "limit": limit}
    body |= {name: moment(value) for name, value in (("as_of", as_of), ("known_at", known_at)) if value is not None}
    with Gateway.at(data, email=as_, tenant=tenant) as gateway:
        found = gateway.post("/v1/search", body)
    if json_output:
        typer.echo(json.dumps(found))
        return
    console = Console(highlight=False)
    for number, result in enumerate(mappings(found["results"]), start=1):
        _print(console, number, result)
    if not found["results"]:
        console.print("nothing found that this person may open")
    for hint in strings(found.get("hints")):
        console.print(Text(hint, style="dim"))
    for part in strings(found.get("degraded")):
        console.print(f"[yellow]without {part}[/]")


def moment(text: str) -> str:
    """A date is its midnight, UTC; anything else is left to the gateway."""
    return f"{text}T00:00:00Z" if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else text


def _print(console: Console, number: int, result: dict[str, object]) -> None:
    source = mapping(result["source"])
    title = Text(f"{number:>2}  {result['title']}", style="bold")
    about = [str(source["name"]), str(result["author"] or ""), str(result["updated_at"] or "")[:10]]
    console.print(title)
    console.print(Text("    " + "  ".join(part for part in about if part), style="dim"))
    console.print(Padding(_snippet(result), INDENT))
    if where := whereabouts(result):
        console.print(Text(f"    {where}", style="blue"))
    if copies := mappings(result.get("copies", [])):
        console.print(Text(f"    the same in {', '.join(str(copy['title']) for copy in copies)}", style="dim"))


def whereabouts(found: dict[str, object]) -> str:
    """Where a person finds it: its address, or a file without one by its path in its source."""
    place = str(found.get("place") or "")
    return str(found["url"] or (f"{mapping(found['source'])['name']}: {place}" if place else ""))


def _snippet(result: dict[str, object]) -> Text:
    """The snippet with its highlights, which count code points."""
    snippet = Text(str(result["snippet"]).replace("\n", " "))
    highlights = result.get("highlights")
    for highlight in highlights if isinstance(highlights, list) else []:
        start, end = highlight if isinstance(highlight, list) else (highlight["start"], highlight["end"])
        snippet.stylize("bold yellow", integer(start), integer(end))
    return snippet
