"""`cortex up`: start the platform here and keep it running until Ctrl-C, SIGTERM or `cortex down`."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from cortex.cli.board import Board
from cortex.cli.options import DATA_FOLDER, DataOption, PortOption
from cortex.runtime.local import Hooks, PlatformOptions, Role, platform
from cortex.runtime.local.options import GATEWAY_PORT
from cortex.runtime.local.platform import RunningPlatform

T = TypeVar("T")


def up(
    data: DataOption = DATA_FOLDER,
    port: PortOption = GATEWAY_PORT,
    ports: Annotated[
        str, typer.Option(metavar="NAME=PORT,...", help="Fixed ports of other processes; the rest are chosen and kept.")
    ] = "",
    roles: Annotated[
        str, typer.Option(metavar="ROLE,...", help="Which of Cortex's own processes to start; `none` for servers only.")
    ] = ",".join(Role),
) -> None:
    """Start the local platform and keep it running.

    A server whose CORTEX_*_URL is set is used and not started.
    """
    options = PlatformOptions(
        data=data, port=port, ports=parse_ports(ports), roles=parse_roles(roles), environment=dict(os.environ)
    )
    console = Console(stderr=True)

    async def until_stopped(running: RunningPlatform) -> None:
        console.print(_invitation(options, running.boot_s), highlight=False)
        await running.until_stopped()

    asyncio.run(serve(options, console, until_stopped))


async def serve(options: PlatformOptions, console: Console, use: Callable[[RunningPlatform], Awaitable[T]]) -> T | None:
    """Uses the platform, or stops at a signal and gives None. The first stops all in order, a second one at once."""
    board = Board(console)
    task = asyncio.current_task()
    if task is None:
        return None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        async with AsyncExitStack() as stack:
            with board.shown():
                running = await stack.enter_async_context(platform(options, Hooks(observe=board.observe)))
            return await use(running)
    except asyncio.CancelledError:
        console.print("stopped", highlight=False)
        return None


def parse_ports(text: str) -> dict[str, int]:
    """`postgres=5433,nats=4222`."""
    ports: dict[str, int] = {}
    for entry in filter(None, text.split(",")):
        name, _, number = entry.partition("=")
        if not number.isdecimal() or not 1 <= int(number) <= 65_535:
            raise typer.BadParameter(f"{entry!r}: expected NAME=PORT, such as postgres=5433", param_hint="--ports")
        ports[name.strip()] = int(number)
    return ports


def parse_roles(text: str) -> frozenset[Role]:
    if text == "none":
        return frozenset()
    try:
        return frozenset(Role(name.strip()) for name in text.split(",") if name.strip())
    except ValueError as error:
        raise typer.BadParameter(f"{error}: choose from {', '.join(Role)} or none", param_hint="--roles") from error


def _invitation(options: PlatformOptions, boot_s: float) -> str:
    where = f" at http://127.0.0.1:{options.port}" if Role.GATEWAY in options.roles else ""
    return f"ready{where} after {boot_s:.1f} s; Ctrl-C stops it"
