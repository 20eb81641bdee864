"""What a server on one core can take, with the load on the others: minutes a part, on two idle cores.

letters, words  typists at a server of its own, then at one that only acknowledges; these columns:

    first      first analysis after a stroke, and "echo" its bare answer: milliseconds, p50 / p99 / max
    L1         share of the words whose sentence had its best parse before the next word ended
    in 300 ms  share of the sentences that had theirs so soon after their end
    settled    share of the words after which nothing was left to improve before the next word ended
    a letter, a word   processor time of the server in milliseconds, a word with all its letters
    sent late  p99, by the load, which is one process: where that is much, the figures say more about it

overload  twice as many as there is time for, until half of them leave: how long until those who stay are
          answered again as so many should be, and until their words settle
killing   each of two workers is killed in turn, while people type
soak      people who come, type for twenty seconds, and go, again and again: memory
turns     processor time of a word with its letters, of this treewhile and of that of another interpreter
          (--old), whose servers take turns under one load

Letters are typed as people do, words come whole; see `treewhile bench typing --help`. All of them gather what
they type while an edit is unanswered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from treewhile.server.load.measurements import Load, measure_at, report, server_on_its_core, serving
from treewhile.server.load.typists import Replay, Typed, crowd
from treewhile.server.process.own_servers import OwnServer
from treewhile.server.process.running import loop_factory
from treewhile.server.process.settings import allow_many_files

WPM: Final = 80
# What is to be reached by so many, on a machine of its own.
LETTERS: Final = {
    1: "p50 echo + 0.7",
    50: "1 / 4; 0.5 a letter",
    100: "1.5 / 6",
    150: "0.32 a letter",
    200: "3 / 15",
    300: "4 / 40; L1 90%",
    500: "p99 150; in 300 ms 95%",
    1000: "p99 1,000, none lost",
}
WORDS: Final = {500: "1 / 8; L1 95%", 2000: "p99 100, none lost"}
ECHO: Final = (sys.executable, str(Path(__file__).with_name("echoing.py")))
FIRST: Final = "stroke_to_first_analysis_ms"
CHURN, CHURN_SECONDS, VICTIMS = 40, 20.0, 20
CROWD, STAYING_SECONDS = 1000, 20.0
ANSWERED, IMPROVED = (
    0.15,
    0.3,
)  # seconds to a first analysis, and from the end of a sentence to its best parse
TURNS: Final = 100  # typists

console = Console(width=160)


def load_of(typists: int, seconds: float, schedule: str = "letters", seed: int = 1) -> Load:
    return Load(typists, WPM, seconds, schedule, seed=seed)


# --- rows -------------------------------------------------------------------------------------------------

WAITS: Final = ("typists", "first", "echo", "to reach")
SHARES: Final = ("L1", "in 300 ms", "settled", "lost")
COSTS: Final = ("a letter", "a word", "core", "KiB each", "sent late")


def row(typists: int, aim: str, run: Mapping[str, Any], floor: Mapping[str, Any]) -> list[str]:
    """What the table says of a run and its floor."""
    server = run["server"] or {}
    return [
        str(typists),
        _waiting(run[FIRST]),
        _waiting(floor[FIRST]),
        aim,
        _share(run["improved_before_next_word"]),
        _share(run["sentences_improved_in_300_ms"]),
        _share(run["settled_before_next_word"]),
        str(run["lost"]),
        f"{server.get('cpu_ms_a_stroke', np.nan):.2f}",
        f"{server.get('cpu_ms_a_word', np.nan):.2f}",
        _share(server.get("cpu_share")),
        f"{server.get('memory_kib_a_typist', np.nan):.0f}",
        f"{(run['sent_late_ms'] or {}).get('p99', np.nan):.1f}",
    ]


def _waiting(found: Mapping[str, float] | None) -> str:
    return f"{found['p50']:.1f} / {found['p99']:.1f} / {found['max']:.1f}" if found else "-"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def rows(schedule: str, aims: Mapping[int, str], seconds: float) -> dict[str, Any]:
    """By their numbers of typists; the table is shown."""
    table, runs = Table(*WAITS, *SHARES, *COSTS, title=f"by {schedule}"), dict[str, Any]()
    for typists, aim in aims.items():
        load = load_of(typists, seconds, schedule)
        run, floor = figures(serving(typists), load), figures(ECHO, load)
        runs[str(typists)] = {"run": run, "echo": floor}
        table.add_row(*row(typists, aim, run, floor))
    console.print(table)
    return runs


def figures(command: Sequence[str], load: Load) -> dict[str, Any]:
    with server_on_its_core(command, print, has_search=command is not ECHO) as own:
        return measure_at(own.url, load, own)[1]


def letters(arguments: argparse.Namespace) -> dict[str, Any]:
    return rows("letters", _chosen(LETTERS, arguments.typists), arguments.seconds)


def words(arguments: argparse.Namespace) -> dict[str, Any]:
    return rows("words", _chosen(WORDS, arguments.typists), arguments.seconds)


def _chosen(aims: Mapping[int, str], typists: Sequence[int] | None) -> dict[int, str]:
    return {number: aims.get(number, "") for number in typists or aims}


# --- overload ---------------------------------------------------------------------------------------------


def overload(arguments: argparse.Namespace) -> dict[str, Any]:
    """Some leave, the others stay; in which second after that they are served as they should be."""
    typists = (arguments.typists or [CROWD])[0]
    with server_on_its_core(serving(typists), print) as own, _runner() as runner:
        leaving, staying, left = runner.run(_half_leaves(own, typists, arguments.seconds))
    during, after = ([one for one in staying.typed if (one.due >= left) is late] for late in (False, True))
    ends = [one for one in after if one.ended == "sentence"]
    words = [one for one in after if one.ended != "nothing" and one.next_word_due is not None]
    told = {
        "typists": typists,
        "until_half_left": {name: value for name, value in _report(leaving).items() if name != "server"},
        "those_who_stayed": _report(Replay(during, analyses=staying.analyses)),
        "first_analyses_in_150_ms_again_after_s": _again(
            0.99, after, left, lambda one: (one.answered, one.due + ANSWERED)
        ),
        "sentences_improved_in_300_ms_again_after_s": _again(
            0.95, ends, left, lambda one: (one.improved, one.due + IMPROVED)
        ),
        "settled_before_next_word_again_after_s": _again(
            0.9, words, left, lambda one: (one.settled, one.next_word_due or 0.0)
        ),
        "lost": sum(one.answered is None for one in [*leaving.typed, *staying.typed]),
    }
    console.print("overload", told)
    return told


async def _half_leaves(own: OwnServer, typists: int, seconds: float) -> tuple[Replay, Replay, float]:
    half = typists // 2
    some, others = load_of(half, seconds), load_of(half, seconds + STAYING_SECONDS, seed=2)
    async with crowd(own.url, others.strokes()) as staying:
        async with crowd(own.url, some.strokes()) as leaving:
            typing = asyncio.create_task(staying.type())
            gone = await leaving.type()
        return gone, await typing, max(one.due for one in gone.typed)


def _again(
    share: float, typed: Sequence[Typed], left: float, came: Callable[[Typed], tuple[float | None, float]]
) -> float | None:
    """The end of the first second after a time in which for such a share came what it should, in time."""
    for second in range(int(STAYING_SECONDS)):
        some = [came(one) for one in typed if second <= one.due - left < second + 1]
        in_time = [at for at, limit in some if at is not None and at <= limit]
        if some and len(in_time) >= share * len(some):
            return second + 1.0
    return None


def _report(replay: Replay) -> dict[str, Any]:
    told = report(replay, None, None, None, 0.0)
    return {name: told[name] for name in ("strokes", FIRST, "improved_before_next_word", "lost")}


# --- faults and time --------------------------------------------------------------------------------------


def killing(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is lost where each of two workers is killed once."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*serving(VICTIMS), "--workers", "2", "--sessions", folder]
        with server_on_its_core(command, print) as own, _runner() as runner:
            replay = runner.run(_killed(own, arguments.seconds))
    told = {"came_back": replay.came_back, "broken": replay.broken, **_report(replay)}
    console.print("killing", told)
    return told


async def _killed(own: OwnServer, seconds: float) -> Replay:
    async with crowd(own.url, load_of(VICTIMS, seconds).strokes()) as people:
        typing = asyncio.create_task(people.type())
        for _ in range(2):
            await asyncio.sleep(seconds / 3)
            os.kill(_workers(own.pid)[0], signal.SIGKILL)
        return await typing


def _workers(supervisor: int) -> list[int]:
    """The longest-lived first."""
    listed = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return [int(pid) for pid in listed if b"building" not in Path(f"/proc/{pid}/cmdline").read_bytes()]


def soak(arguments: argparse.Namespace) -> dict[str, Any]:
    """The memory of a server over the time, and how much it grows in the second half."""
    end, sizes = time.monotonic() + 60 * arguments.minutes, list[float]()
    with server_on_its_core(serving(CHURN), print) as own:
        while time.monotonic() < end:
            measure_at(own.url, load_of(CHURN, CHURN_SECONDS, seed=len(sizes)))
            used = own.use()
            sizes.append(used.memory_bytes / 2**20 if used else np.nan)
    half = sizes[len(sizes) // 2 :]
    grown = float(np.polyfit(range(len(half)), half, 1)[0]) * len(half) if len(half) > 1 else np.nan
    told = {
        "minutes": arguments.minutes,
        "people": CHURN * len(sizes),
        "mib": [round(size, 1) for size in sizes],
        "mib_grown_in_the_second_half": round(grown, 2),
    }
    console.print("soak", told)
    return told


# --- old and new ------------------------------------------------------------------------------------------


def turns(arguments: argparse.Namespace) -> dict[str, Any]:
    """Servers of both, one after the other, again and again, under the same load; only their time counts."""
    typists = (arguments.typists or [TURNS])[0]
    pythons = {"old": str(arguments.old), "new": sys.executable}
    found: dict[str, list[float]] = {name: [] for name in pythons}
    for round_ in range(arguments.rounds):
        for name, python in pythons.items():
            with server_on_its_core(serving(typists, python), print) as own:
                _, told = measure_at(own.url, load_of(typists, arguments.seconds, seed=round_), own)
            found[name].append((told["server"] or {}).get("cpu_ms_a_word", np.nan))
    ratios = [new / old for old, new in zip(found["old"], found["new"], strict=True)]
    table = Table("", "ms a word, median", "range", title=f"{typists} typists by letters, in turns")
    for name, values in found.items():
        table.add_row(name, f"{median(values):.2f}", f"{min(values):.2f} to {max(values):.2f}")
    table.add_row("new / old", f"{median(ratios):.3f}", f"{min(ratios):.3f} to {max(ratios):.3f}")
    console.print(table)
    return {"typists": typists, "cpu_ms_a_word": found, "ratios": ratios}


# --- the report -------------------------------------------------------------------------------------------

PARTS: Final = {
    "letters": letters,
    "words": words,
    "overload": overload,
    "killing": killing,
    "soak": soak,
    "turns": turns,
}


def _runner() -> asyncio.Runner:
    allow_many_files()
    return asyncio.Runner(loop_factory=loop_factory())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--seconds", type=float, default=30, help="how long a row takes")
    parser.add_argument("--typists", type=int, nargs="+", help="other numbers of them")
    parser.add_argument("--minutes", type=float, default=30, help="of the soak")
    parser.add_argument("--old", type=Path, help="the python of another checkout, for turns")
    parser.add_argument("--rounds", type=int, default=5, help="of turns")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    arguments = parser.parse_args()
    if "turns" in arguments.parts and not arguments.old:
        parser.error("turns compares two interpreters: name that of the other checkout with --old")
    before = " ".join(f"{one:.2f}" for one in os.getloadavg())
    console.print(f"{os.cpu_count()} cores, CPython {platform.python_version()}, load {before}; {WPM} wpm")
    told = {part: PARTS[part](arguments) for part in arguments.parts}
    if arguments.json:
        arguments.json.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
