"""What a server on one core can take, with the load on the others: typists, overload, killed workers.

Each row of the first table is `treewhile bench typing`, run on a server of its own, then with --echo on a
bare echo server. Waiting is counted from when a word was due to its first analysis, or to its echo:
milliseconds, p50 / p99 / max.

    settled    share of the words that have settled before the next one was due
    misses     first analyses that came after the next word was due
    CPU        of the server, with its refinements; 100% is one core
    KiB each   memory that came with the typists, by their number
    sent late  p99, by the load, which is one process: where that is much, the figures say more about it

Overload: five typists beside twice the typists with which the server has nothing left to do, and once they
have been gone for ten seconds. Killing: of two workers, in turn, while twenty people type. The soak (--soak
MINUTES): twenty typists who come, type for twenty seconds, and go, again and again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from treewhile.server.load.own_servers import SERVE, OwnServer, own_server

WPM: Final = 80
TYPISTS: Final = {1: "p50 2, p99 6", 100: "", 500: "p99 30, settled > 90%", 2000: "p99 150, none lost"}
FIRST: Final = "word_to_first_analysis_ms"
PROBES, CHURN, VICTIMS = 5, 20, 20  # typists
RECOVERY_SECONDS: Final = 10.0


def typing(typists: int, seconds: float, *more: str) -> subprocess.Popen[str]:
    """Typists at work, in a process of their own."""
    command = [sys.executable, "-m", "treewhile.server.commands", "bench", "typing", "--json", *more]
    sizes = ["--typists", str(typists), "--wpm", str(WPM), "--seconds", str(seconds)]
    return subprocess.Popen([*command, *sizes], stdout=subprocess.PIPE, text=True)


def figures(running: subprocess.Popen[str]) -> dict[str, Any]:
    """All that they have found."""
    out, _ = running.communicate()
    told: dict[str, Any] = json.loads(out)
    return told


def bench(typists: int, seconds: float, *more: str) -> dict[str, Any]:
    return figures(typing(typists, seconds, *more))


@contextmanager
def server(*more: str) -> Iterator[OwnServer]:
    """One on the first core, while this process and what it begins have the others."""
    before = os.sched_getaffinity(0)
    first, *others = sorted(before)
    os.sched_setaffinity(0, others or before)
    try:
        with own_server([*SERVE, *more], core=first) as own:
            own.wait_for_search(print)
            yield own
    finally:
        os.sched_setaffinity(0, before)


# --- typists ------------------------------------------------------------------------------------------------

COLUMNS: Final = (
    "typists",
    "first analysis",
    "echo",
    "to reach",
    "settled",
    "misses",
    "lost",
    "CPU",
    "KiB each",
    "sent late",
)


def row(typists: int, aim: str, run: dict[str, Any], floor: dict[str, Any]) -> list[str]:
    """What the table says of a run and its floor."""
    settled, server = run["settled_before_next_word"], run["server"] or {}
    return [
        str(typists),
        _waiting(run[FIRST]),
        _waiting(floor[FIRST]),
        aim,
        "-" if settled is None else f"{100 * settled:.1f}%",
        str(run["deadline_misses"]),
        str(run["lost"]),
        f"{100 * server.get('cpu_share', float('nan')):.0f}%",
        f"{server.get('memory_kib_a_typist', float('nan')):.0f}",
        f"{(run['sent_late_ms'] or {}).get('p99', float('nan')):.1f}",
    ]


def _waiting(found: dict[str, float] | None) -> str:
    return f"{found['p50']:.1f} / {found['p99']:.1f} / {found['max']:.1f}" if found else "-"


def crowds(seconds: float) -> tuple[Table, dict[int, dict[str, Any]]]:
    table, runs = Table(*COLUMNS), dict[int, dict[str, Any]]()
    for typists, aim in TYPISTS.items():
        runs[typists] = bench(typists, seconds)
        table.add_row(*row(typists, aim, runs[typists], bench(typists, seconds, "--echo")))
    return table, runs


# --- faults -------------------------------------------------------------------------------------------------


def overload(typists: int, seconds: float) -> dict[str, Any]:
    """How a few typists fare before, while and after many others type."""
    found: dict[str, Any] = {"typists": typists}
    with server("--connections", str(4 * typists)) as own:
        found["before"] = bench(PROBES, seconds, "--url", own.url)[FIRST]
        crowd = typing(typists, seconds + 6, "--url", own.url)
        time.sleep(4)
        found["during"] = bench(PROBES, seconds, "--url", own.url)
        others = figures(crowd)
        found["others"] = {name: others[name] for name in (FIRST, "refused", "broken", "lost", "words")}
        time.sleep(RECOVERY_SECONDS)
        found["after"] = bench(PROBES, seconds, "--url", own.url)[FIRST]
    return found


def killing(seconds: float) -> dict[str, Any]:
    """What is lost where each of two workers is killed once."""
    with tempfile.TemporaryDirectory() as folder, server("--workers", "2", "--sessions", folder) as own:
        people = typing(VICTIMS, seconds, "--url", own.url)
        for _ in range(2):
            time.sleep(seconds / 3)
            os.kill(_workers(own.pid)[0], signal.SIGKILL)
        run = figures(people)
    return {name: run[name] for name in (FIRST, "typists_connected", "words", "lost", "broken")}


def _workers(supervisor: int) -> list[int]:
    """The longest-lived first."""
    listed = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return [int(pid) for pid in listed if b"warming" not in Path(f"/proc/{pid}/cmdline").read_bytes()]


def soak(minutes: float) -> dict[str, Any]:
    """The memory of a server over the time, and how much it grows in the second half."""
    end, sizes = time.monotonic() + 60 * minutes, list[float]()
    with server() as own:
        while time.monotonic() < end:
            bench(CHURN, 20, "--url", own.url)
            used = own.use()
            sizes.append(used.memory_bytes / 2**20 if used else float("nan"))
    half = sizes[len(sizes) // 2 :]
    return {
        "minutes": minutes,
        "mib": [round(size, 1) for size in sizes],
        "mib_a_round_in_the_second_half": round(float(np.polyfit(range(len(half)), half, 1)[0]), 3),
    }


# --- the report ---------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    arguments = parser.parse_args()
    console = Console(width=130)
    load = " ".join(f"{one:.2f}" for one in os.getloadavg())
    console.print(
        f"{os.cpu_count()} cores, CPython {platform.python_version()}, load before {load}; {WPM} wpm"
    )
    table, runs = crowds(arguments.seconds)
    console.print(table)
    bears = int(100 / runs[100]["server"]["cpu_share"])
    told: dict[str, Any] = {"crowds": runs, "overload": overload(2 * bears, arguments.seconds)}
    console.print("overload", told["overload"])
    told["killing"] = killing(arguments.seconds)
    console.print("killing", told["killing"])
    if arguments.soak:
        told["soak"] = soak(arguments.soak)
        console.print("soak", told["soak"])
    if arguments.json:
        arguments.json.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
