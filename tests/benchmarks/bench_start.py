"""Length of the first minute: with nothing built, with kernels compiled or built; server, command, library.

Every run is a process of its own. CPU is processor time of the process and all that it has begun, until then.
"page" is the first answer to GET /; "refused" counts connections, made one after the other from the moment
the port is open, that were not greeted.

    first start      nothing is built: kernels are plain, and built in the background
    busy start       the same, while as many processes as there are cores do nothing but count
    compiled start   numba has compiled all, since there is no C compiler
    built start      all is built

Bias: files are in the system's cache, so that a start right after installing takes longer by what it takes to
read them from the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidMessage

from treewhile.server.process.own_servers import OwnServer

COMMAND: Final = [sys.executable, "-m", "treewhile.server.commands"]
SENTENCE: Final = "Peter drives a red car."
LEVELS: Final = ("L0", "L1", "L2")
PAUSE: Final = 0.1  # seconds between connections
TARGETS: Final = {
    "first start, L0": 1.5,
    "first start, L1": 2.0,
    "first start, L2": 5.0,
    "busy start, L0": 4.0,
    "busy start, L1": 5.0,
    "busy start, L2": 15.0,
    "first growing of the library": 2.0,
    "first parse": 4.0,
    "next parse": 0.5,
}
NO_COMPILER: Final = {"CC": "no-such-compiler"}
LIBRARY: Final = {
    "optimal_steps": (
        "from treewhile.oracles import Configuration, optimal_steps\n"
        "optimal_steps(Configuration.initial(3), [2, 0, 2])"
    ),
    "parse": "from treewhile.incremental import load_model; load_model().parse(['dogs', 'bark'])",
    "growing": (
        "from treewhile.incremental import GrowingParse, load_model\n"
        "parse = GrowingParse(load_model())\n"
        "parse.append('dogs')\n"
        "parse.best()"
    ),
}
WARM_UP: Final = [sys.executable, "-c", "from treewhile.incremental import warm_up; warm_up()"]
COUNT: Final = [sys.executable, "-c", "while True: pass"]


class Row(NamedTuple):
    """What a run has taken, in seconds on the wall and of processors."""

    name: str
    wall: float
    cpu: float


# --- servers ------------------------------------------------------------------------------------------------


def starts(name: str, cache: Path, workers: int) -> tuple[list[Row], int]:
    """When a server that is begun now has its page and its levels, and how many connections it refused."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [*COMMAND, "serve", "--port", "0", "--workers", str(workers)]
    begin = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as process:
        try:
            assert process.stdout
            address = (
                next(line for line in process.stdout if "ready:" in line).split("open ")[1].split(" ")[0]
            )
            server = OwnServer(address.replace("http", "ws"), process.pid)
            urllib.request.urlopen(address, timeout=60).close()
            rows = [Row(f"{name}, page", time.monotonic() - begin, cpu(server))]
            more, refused = asyncio.run(levels_of(server, name, begin))
            return [*rows, *more], refused
        finally:
            process.terminate()


async def levels_of(server: OwnServer, name: str, begin: float) -> tuple[list[Row], int]:
    """When an analysis of each level comes to a document that was opened at once."""
    rows: list[Row] = []
    ended = asyncio.Event()
    refusals = asyncio.create_task(refused_by(server, ended))
    async with connect(server.url) as socket:
        await socket.send(
            json.dumps({"type": "open", "document": "d", "version": 0, "text": SENTENCE + " It"})
        )
        while len(rows) < len(LEVELS):
            message = json.loads(await socket.recv())
            for level in message.get("levels", ()) if message["type"] in ("analysis", "delta") else ():
                if level == LEVELS[len(rows)]:
                    rows.append(Row(f"{name}, {level}", time.monotonic() - begin, cpu(server)))
                    break
    ended.set()
    return rows, await refusals


async def refused_by(server: OwnServer, ended: asyncio.Event) -> int:
    """How many connections are not greeted, until that has ended."""
    refused = 0
    while not ended.is_set():
        try:
            async with connect(server.url) as socket:
                await socket.send('{"type": "hello"}')
                refused += json.loads(await socket.recv())["type"] != "welcome"
        except (OSError, ConnectionClosed, InvalidMessage):
            refused += 1
        await asyncio.sleep(PAUSE)
    return refused


def cpu(server: OwnServer) -> float:
    use = server.use()
    return use.cpu_seconds if use else float("nan")


# --- commands and the library -------------------------------------------------------------------------------


def run(name: str, cache: Path, command: list[str], **more: str) -> Row:
    """What a process takes from its begin to its end."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **more}
    before, begin = os.times(), time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.monotonic() - begin, os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return Row(name, wall, used)


@contextmanager
def empty_cache() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep as many cores busy as there are."""
    busy = [subprocess.Popen(COUNT) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def measured(rounds: int, workers: int) -> tuple[list[list[Row]], int]:
    """All rows, of some rounds, and how many connections were refused in all of them."""
    rounds_of_rows, refused = [], 0
    for _ in range(rounds):
        with empty_cache() as cache:
            first, refused_first = starts("first start", cache, workers)
        with empty_cache() as cache, busy_cores():
            busy, refused_busy = starts("busy start", cache, workers)
        with empty_cache() as cache:
            later = [run("compiling", cache, WARM_UP, **NO_COMPILER)]
            compiled, refused_later = starts("compiled start", cache, workers)
            later += compiled
            later.append(run("next parse, 40 words", cache, [*COMMAND, "parse", " ".join([SENTENCE] * 8)]))
        with empty_cache() as cache:
            built = [run("building", cache, [sys.executable, "-m", "treewhile.incremental.building"])]
            starting, refused_built = starts("built start", cache, workers)
            built += starting
            built.append(run("built parse", cache, [*COMMAND, "parse", SENTENCE]))
            built.append(run("built parse of the library", cache, [sys.executable, "-c", LIBRARY["parse"]]))
        with empty_cache() as cache:
            parses = [
                run(f"{name} parse", cache, [*COMMAND, "parse", SENTENCE]) for name in ("first", "next")
            ]
            parses.append(run("first parse, 40 words", cache, [*COMMAND, "parse", " ".join([SENTENCE] * 8)]))
        library = []
        for name, code in LIBRARY.items():
            with empty_cache() as cache:
                library.append(run(f"first {name} of the library", cache, [sys.executable, "-c", code]))
        rounds_of_rows.append([*first, *busy, *later, *built, *parses, *library])
        refused += refused_first + refused_busy + refused_later + refused_built
    return rounds_of_rows, refused


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--workers", type=int, default=1)
    chosen = options.parse_args()
    console = Console()
    console.print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    rounds, refused = measured(chosen.rounds, chosen.workers)
    table = Table("", "wall s, least", "median", "CPU s, least", "to reach")
    for rows in zip(*rounds, strict=True):
        walls = sorted(row.wall for row in rows)
        numbers = (walls[0], walls[len(walls) // 2], min(row.cpu for row in rows))
        target: Any = TARGETS.get(rows[0].name, "")
        table.add_row(rows[0].name, *(f"{number:.2f}" for number in numbers), str(target))
    console.print(table)
    console.print(f"connections refused while it started: {refused}")


if __name__ == "__main__":
    main()
