"""`cortex ask`: a cited answer, streamed."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from cortex.cli.gateway import ADMINISTRATOR, TENANT, Gateway
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption
from cortex.cli.search import AsOption, whereabouts
from cortex.cli.source import mapping, mappings
from cortex.domain.errors import Transient

_NOTHING = "nothing that this person may open answers the question."
WHY_NOT = {
    "not_found": _NOTHING,
    "no_support": _NOTHING,
    "nothing_found": "nothing was found that this person may open.",
    "no_question": "no word of it tells what is asked for.",
    "unsupported": "what was written is not in any source.",
}


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    as_: AsOption = ADMINISTRATOR,
    tenant: Annotated[str, typer.Option(help="Which tenant.")] = TENANT,
    data: DataOption = DATA_FOLDER,
    json_output: JsonOption = False,
) -> None:
    """Ask as a person: an answer from what they may open, each sentence cited, or that there is none."""
    if not question.strip():
        raise typer.BadParameter("ask something", param_hint="QUESTION")
    with Gateway.at(data, email=as_, tenant=tenant) as gateway:
        if json_output:
            typer.echo(json.dumps(gateway.post("/v1/chat", {"question": question})))
            return
        if not _stream(Console(highlight=False), gateway, question) and as_ == ADMINISTRATOR:
            typer.echo(f"(asked as {as_}; --as EMAIL)", err=True)


def why_not(reason: object) -> str:
    """An abstention in words. What the person may not open is never hinted at."""
    return WHY_NOT.get(str(reason), f"{reason}.")


def _stream(console: Console, gateway: Gateway, question: str) -> bool:
    """Whether there was an answer."""
    answered = False
    sources: list[dict[str, object]] = []
    cited: set[object] = set()
    for kind, data in gateway.events("/v1/chat", {"question": question}):
        event = json.loads(data)
        match kind:
            case "sources":
                sources = mappings(event if isinstance(event, list) else event.get("sources"))
            case "token":
                console.print(Text(str(event["text"])), end="")
            case "citation":
                cited.add(event["n"])
            case "error":
                raise Transient(str(mapping(event["problem"])["detail"]))
            case "done" if event["abstained"]:
                console.print(f"[yellow]No answer:[/] {why_not(event.get('reason'))}")
            case "done":
                answered = True
                console.print()
    for source in sources:
        if source["n"] in cited:
            console.print(Text(f"[{source['n']}] {source['title']}  {whereabouts(source)}".rstrip(), style="dim"))
    return answered
