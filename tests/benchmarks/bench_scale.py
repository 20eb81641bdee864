"""What many typists need, from what a few cost: cores, memory, sockets, network.

A crowd types at a server of its own, by letters; processor time, bytes and memory are counted, and
multiplied:

    words a second    people * words a minute / 60
    cores             words a second * processor time of a word with its letters / the load of a core
    memory            people * growth of the server by a typist
    network           letters a second * (bytes of the messages + frames, TCP and IP)

Processor time counts and not waiting, so that a machine that is busy otherwise does little harm. But where
the server had too little of it, few words improved and settled, and a word seems cheap.
"""

from __future__ import annotations

import argparse
import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from treewhile.server.load.measurements import Load, measure

STUDY_WPM: Final = 52  # what people type on average (Dhakal et al. 2018)
CORE_LOAD: Final = 0.7  # beyond it waiting grows fast
FRAME_AND_PACKET: Final = 8 + 20 + 20 + 12  # bytes: a frame's head and mask, TCP, IP, its timestamps
PACKETS: Final = 4  # a letter: an edit and about two answers, and an acknowledgement
PORTS: Final = 28_000  # of one address, for connections from a balancer to one port of one server
GIB: Final = 2**30


def needs(people: int, wpm: float, costs: dict[str, Any]) -> dict[str, float]:
    """By their names, from the figures of a run of `treewhile bench typing`."""
    words = people * wpm / 60
    letters = words * costs["strokes"] / costs["words"]
    messages = costs["bytes_sent_a_stroke"] + costs["bytes_received_a_stroke"]
    return {
        "words a second": words,
        "letters a second": letters,
        "cores": words / words_of_a_core(costs),
        "people on a core": people * words_of_a_core(costs) / words,
        "memory GiB": people * costs["server"]["memory_kib_a_typist"] * 1024 / GIB,
        "network Gbit/s": 8 * letters * (messages + PACKETS * FRAME_AND_PACKET) / 1e9,
        "balancer addresses for one port": people / PORTS,
    }


def words_of_a_core(costs: dict[str, Any]) -> float:
    """A second."""
    return 1000 * CORE_LOAD / float(costs["server"]["cpu_ms_a_word"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--typists", type=int, default=50, help="in the crowd that is measured")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--people", type=int, nargs="+", default=[1000, 100_000, 1_000_000])
    parser.add_argument("--wpm", type=float, default=STUDY_WPM, help="of these people")
    arguments = parser.parse_args()
    console = Console(width=110)
    load = Load(arguments.typists, 80, arguments.seconds)
    _, costs = measure(load, None, None, print)
    console.print(json.dumps({name: costs[name] for name in COSTS} | costs["server"]))
    table = Table("", *map("{:,} people".format, arguments.people))
    found = [needs(people, arguments.wpm, costs) for people in arguments.people]
    for name in found[0]:
        table.add_row(
            name, *(f"{one[name]:,.3g}" if one[name] < 100 else f"{one[name]:,.0f}" for one in found)
        )
    console.print(table)


COSTS: Final = (
    "strokes",
    "words",
    "edits",
    "improved_before_next_word",
    "settled_before_next_word",
    "bytes_sent_a_stroke",
    "bytes_received_a_stroke",
)

if __name__ == "__main__":
    main()
