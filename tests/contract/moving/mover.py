"""Moves the records from a process of its own, which a test kills: ``python mover.py FROM TO [--finish]``."""

import asyncio
import sys

from contract.moving.moves import move_between


async def main(url: str, to: str, *options: str) -> None:
    async with move_between(url, to) as move:
        print("begun", flush=True)
        move.show = lambda *what: print(*what, flush=True)
        if "--finish" in options:
            finished = await move.finish()
            print(f"  writes refused for {finished.refused_seconds:.1f} s", file=sys.stderr, flush=True)
        else:
            await move.copy()
            await move.catch_up()
        print("finished", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
