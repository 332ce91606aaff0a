"""A process that owns a pool, says who its children are, and then does nothing, so that a test may kill it."""

import asyncio
import sys

from services.parse.pool import ParserPool
from services.parse.settings import ParseSettings


async def main() -> None:
    async with ParserPool(ParseSettings()) as pool:
        await asyncio.gather(*(pool.parse(b"text", name=f"{number}.txt") for number in range(8)))
        sys.stdout.write(" ".join(str(process_id) for process_id in pool.process_ids) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
