"""Draws the pictures of the documents from what the commands print: `python docs/pictures/make.py [--data DIR]`.

Needs a running platform with the demo company (`make demo`). Each picture is an SVG of a terminal.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
COLUMNS = 96
# A picture fetches nothing: the reader's own monospaced font will do.
FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
SALARY = "What is the salary band for a senior engineer in Hamburg in 2026?"
PICTURES = {
    "two-people": (
        ["ask", SALARY, "--as", "katrin.vogel@kelvane.example"],
        ["ask", SALARY, "--as", "liam.tremblay@kelvane.example"],
    ),
    "search": (["search", "E_CONN_42", "--as", "kofi.mensah@kelvane.example", "--limit", "3"],),
    "status": (["status"],),
}


def printed(arguments: list[str], data: str) -> Text:
    """The command as typed, and what it printed, colours included."""
    environment = {**os.environ, "CORTEX_DATA": data, "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1"}
    command = [str(Path(sys.executable).parent / "cortex"), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Text.assemble((f"$ cortex {shlex.join(arguments)}\n", "bold"), Text.from_ansi(done.stdout), "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=".cortex", help="data folder of the platform (default: %(default)s)")
    data = parser.parse_args().data
    for name, commands in PICTURES.items():
        console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115, PTH123
        for arguments in commands:
            console.print(printed(arguments, data))
        picture = FONT_FACE.sub("", console.export_svg(title="cortex"))
        (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")
        sys.stdout.write(f"{HERE / name}.svg\n")


if __name__ == "__main__":
    main()
