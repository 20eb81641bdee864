"""Getting ready: models are loaded, and kernels compiled once for the disk cache, which later starts read.

What first analyses and level 1 run on takes seconds to compile; where there is a second core, another process
begins with what comes last. The rest, next steps and level 2, takes minutes, and compiling holds the
interpreter: so that is done by another process, too, while this one serves. Both processes are `python -m
treewhile.server.warming`.
"""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Literal

from treewhile.oracles.errors import InputError
from treewhile.server.work.engines import Engine, load_engines, warm_backwards

Say = Callable[[str], None]
Part = Literal["last", "search"]

LONG = 2.0  # seconds; who waits longer is told why
HELP_AFTER = 1.0  # seconds: loading takes less where all is compiled


async def warm_engines(names: Sequence[str], say: Say) -> dict[str, Engine]:
    """Engines that can give first analyses and L1."""
    start = perf_counter()
    loop = asyncio.get_running_loop()
    told = loop.call_later(LONG, say, "compiling, once: later starts take a second or two")
    try:
        return await asyncio.to_thread(warm, names)
    finally:
        told.cancel()
        say(f"{', '.join(names)}: loaded in {perf_counter() - start:.1f} s")


def warm(names: Sequence[str]) -> dict[str, Engine]:
    """Engines that can give first analyses and L1, once this is done."""
    with _helped(names):
        engines = load_engines(names)
        for engine in engines.values():
            engine.warm()
    return engines


@contextmanager
def _helped(names: Sequence[str]) -> Iterator[None]:
    """What takes long here is helped by another process, which compiles first what comes last here."""
    helpers: list[subprocess.Popen[bytes]] = []
    command = compiling_command("last", names)
    timer = threading.Timer(
        HELP_AFTER, lambda: helpers.append(subprocess.Popen(command, stdin=subprocess.PIPE))
    )
    if (os.cpu_count() or 1) > 1:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.is_alive():
            timer.join()
        for helper in helpers:
            helper.kill()
            helper.communicate()


async def warm_rest(engines: Mapping[str, Engine], names: Sequence[str], say: Say) -> None:
    """Gives the engines next steps at once, and their search, when these are compiled."""
    start = perf_counter()
    loop = asyncio.get_running_loop()
    told = loop.call_later(LONG, say, "compiling the search for better analyses, once, beside serving")
    command = compiling_command("search", names)
    compiling = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE)
    try:
        code = await compiling.wait()
    finally:
        told.cancel()
        if compiling.returncode is None:
            compiling.kill()
    if code:
        say(not_compiled(code))
        return
    await join_search(engines, say, start)


async def join_search(engines: Mapping[str, Engine], say: Say, start: float) -> None:
    """Gives the engines next steps and their search, which are compiled."""
    for engine in engines.values():
        await asyncio.to_thread(engine.warm_rest)
    say(f"the search has joined after {perf_counter() - start:.1f} s")


def compiling_command(part: Part, names: Sequence[str]) -> list[str]:
    """What compiles all that a part takes; it ends when its standard input does."""
    return [sys.executable, "-m", __name__, part, *names]


def not_compiled(code: int) -> str:
    return f"the search could not be compiled (exit code {code}): analyses are those of levels 0 and 1"


def main(part: Part, names: Sequence[str]) -> None:
    """Compiles what a part takes into the cache."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    if part == "last":
        warm_backwards(names)
        return
    os.nice(10)
    for engine in load_engines(names).values():
        engine.warm_rest()


def _end_with_input() -> None:
    """Ends with whoever has begun this, since nothing can come from there any more then."""
    mode = os.fstat(0).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        while os.read(0, 4096):
            pass
        os._exit(1)


if __name__ == "__main__":
    try:
        main("last" if sys.argv[1] == "last" else "search", sys.argv[2:])
    except InputError as error:
        sys.exit(str(error))
