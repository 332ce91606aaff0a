"""The Python enhancement proposals as a second corpus: 736 real documents under a source of type `files`.

    python -m eval.python_peps --data SHARED/data/enterprise/python_peps --out FOLDER    unpacks them
    python -m eval.python_peps --data ... --ask                                          and asks questions of them

The texts stay as they are; `acl.yaml` opens them to the tenant, and each file has the day of its `Created:` header.
"""

import argparse
import asyncio
import json
import os
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cortex.cli.gateway import Gateway
from cortex.cli.source import integer, mapping, mappings, progress, start_sync, wait_until_indexed
from cortex.domain.credential import Role
from eval.local_platform import LocalPlatform, started

ARCHIVE, HEADERS = "python_peps.tar.gz", "pep_headers.jsonl"
SOURCE = "peps"
URL_PREFIX = "https://github.com/python/peps/blob/main/peps"
ASKER = "reader@localhost"
CITATIONS_COUNTED = 3


@dataclass(frozen=True, slots=True)
class Question:
    """`peps`: any of them answers it."""

    text: str
    peps: tuple[int, ...]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(f"pep-{pep:04}.rst" for pep in self.peps)


QUESTIONS = (
    Question("How many characters may a line of code have at most?", (8,)),
    Question("What is the formal name of the walrus operator?", (572,)),
    Question("How many members does the steering council have?", (13,)),
    Question("When does Python 2.7 reach the end of its life?", (373,)),
    Question("What does except* do with an exception group?", (654,)),
    Question("What does building with --disable-gil change?", (703,)),
    Question("Which operator merges two dictionaries?", (584,)),
    Question("Which file names the build dependencies of a project?", (518,)),
    Question("How are the expressions in f-strings evaluated?", (498, 701)),
    Question("What is a __getattr__ function of a module for?", (562,)),
    Question("What does the Zen of Python say about errors?", (20,)),
    Question("Which file marks a virtual environment?", (405,)),
    Question("Which module reads TOML?", (680,)),
)


@dataclass(frozen=True, slots=True)
class Answered:
    question: Question
    answer: str
    abstained: bool
    cited: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not {*self.question.files}.isdisjoint(self.cited[:CITATIONS_COUNTED])


def unpack(data: Path, folder: Path, *, first: int = 0, documents: int | None = None) -> int:
    """Writes `documents` of them in the order of their numbers, from the `first` on; returns how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    lines = (data / HEADERS).read_text(encoding="utf-8").splitlines()
    created = {header["file"]: header.get("Created", "") for header in map(json.loads, lines)}
    until = None if documents is None else first + documents
    wanted = set(sorted(created)[first:until])
    written = 0
    with tarfile.open(data / ARCHIVE) as archive:
        for member in archive:
            name = Path(member.name).name
            content = archive.extractfile(member) if name in wanted else None
            if content is None:
                continue
            path = folder / name
            path.write_bytes(content.read())
            if day := _day(created[name]):
                os.utime(path, (day.timestamp(), day.timestamp()))
            written += 1
    return written


def _day(text: str) -> datetime | None:
    try:
        return datetime.strptime(text.strip(), "%d-%b-%Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def add_source(gateway: Gateway, name: str, folder: Path) -> str:
    """Returns the first run."""
    config = {"path": str(folder.absolute()), "url_prefix": URL_PREFIX, "include": ["*.rst"]}
    gateway.post("/admin/v1/sources", {"name": name, "type": "files", "config": config})
    return start_sync(gateway, name)


def ask(gateway: Gateway, question: Question) -> Answered:
    found = gateway.post("/v1/chat", {"question": question.text})
    urls = {str(source["n"]): str(source["url"]) for source in mappings(found["sources"])}
    cited = [urls[str(citation["n"])].rpartition("/")[2] for citation in mappings(found["citations"])]
    return Answered(question, str(found["answer"]), bool(found["abstained"]), tuple(dict.fromkeys(cited)))


def ask_all(platform: LocalPlatform, console: Console, folder: Path) -> list[Answered]:
    with platform.gateway(role=Role.ADMIN) as administration, progress(console) as bar:
        administration.put(f"/admin/v1/people/{ASKER}", {"name": "Reader", "guest": False})
        began = time.monotonic()
        run_id = add_source(administration, SOURCE, folder)
        documents = mapping(wait_until_indexed(administration, SOURCE, run_id, bar=bar)["documents"])
        took_s = time.monotonic() - began
    chunks = integer(documents["chunks"])
    console.print(f"{documents['indexed']} documents, {chunks} chunks in {took_s:.0f} s ({chunks / took_s:.1f}/s)")
    with platform.gateway(email=ASKER) as reader:
        return [ask(reader, question) for question in QUESTIONS]


def table(answers: list[Answered]) -> Table:
    shown = Table("question", "expected", "cited", "right", "answer", show_lines=True)
    for found in answers:
        answer = "(no answer)" if found.abstained else found.answer
        right = "yes" if found.right else "no"
        cells = (found.question.text, " or ".join(found.question.files), ", ".join(found.cited), right, answer)
        shown.add_row(*map(Text, cells))  # as they are: an answer's brackets are no mark-up
    return shown


async def run(arguments: argparse.Namespace, environment: dict[str, str], console: Console) -> int:
    with tempfile.TemporaryDirectory(prefix="cortex-peps-") as scratch:
        folder = arguments.out or Path(scratch) / "peps"
        count = await asyncio.to_thread(unpack, arguments.data, folder, documents=arguments.documents)
        console.print(f"{count} documents in {folder}")
        if not arguments.ask:
            return 0
        async with started(Path(scratch) / "data", port=arguments.port, environment=environment) as platform:
            answers = await asyncio.to_thread(ask_all, platform, console, folder)
    console.print(table(answers))
    right = sum(found.right for found in answers)
    console.print(f"{right} of {len(answers)} cite the expected document among the first {CITATIONS_COUNTED}")
    return 0 if right == len(answers) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.python_peps", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help=f"folder with {ARCHIVE} and {HEADERS}")
    parser.add_argument("--out", type=Path, help="where the files go (default: a folder that is removed again)")
    parser.add_argument("--documents", type=int, help="only so many, in the order of their numbers")
    parser.add_argument("--ask", action="store_true", help="start a platform, read them all, and ask")
    parser.add_argument("--port", type=int, default=18081, help="of the gateway")
    return asyncio.run(run(parser.parse_args(), dict(os.environ), Console()))


if __name__ == "__main__":
    sys.exit(main())
