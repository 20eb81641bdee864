"""How long an edit of a grammar takes until the tree under it is there, through a real server.

    PYTHONPATH=tests/support python tests/benchmarks/bench_grammar_edits.py [MODEL] [EDITS] [FORMULAS]

The text includes the grammar of the language and has one constraint, whose penalty each edit changes; with
FORMULAS it includes nothing, and has as many constraints with a formula inside. The sentence has 20 words.
It is measured from sending the text to the settled analysis, on a server of this machine: the page adds the
time of drawing.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator
from statistics import quantiles
from time import perf_counter
from typing import Any

from bench_formulas import FORMULAS, RELATIONS
from real_servers import RealServer
from websockets.sync.client import connect

TEXT = "The old man who lives near the river sees a young dog in the garden of his new house today"
EDITED = 'constraint "mine" penalty {}, X: X.relation = det -> X.direction = {}\n'


def main(model: str = "en", edits: int = 40, formulas: int = 0) -> None:
    with RealServer(model) as server:
        server.wait_until_ready()
        with connect(server.address.replace("http", "ws"), compression=None) as socket:
            socket.send(json.dumps({"type": "open", "document": "d", "version": 0, "text": TEXT}))
            base = "english" if model == "en" else "general"
            begin = "".join(constraints_with_formulas(formulas)) or f"include {base}\n\n"
            milliseconds = [1000 * seconds_of_edit(socket, begin, number) for number in range(edits + 3)][3:]
    cuts = quantiles(milliseconds, n=20)
    print(
        f"{platform.machine()}, model {model}, {len(TEXT.split())} words, {edits} edits, {formulas} formulas"
    )
    print(f"edit of the grammar to the new tree: p50 {cuts[9]:.0f} ms, p95 {cuts[18]:.0f} ms")


def constraints_with_formulas(count: int) -> Iterator[str]:
    for number in range(count):
        formula = FORMULAS[number % len(FORMULAS)].format(RELATIONS[number % len(RELATIONS)])
        yield f'constraint "formula {number}" penalty 0.9, X: X.position > {number} and {formula}\n'


def seconds_of_edit(socket: Any, begin: str, number: int) -> float:
    text = begin + EDITED.format(0.5 / (number + 1), ["left", "right"][number % 2])
    start = perf_counter()
    socket.send(json.dumps({"type": "edit_grammar", "document": "d", "text": text, "number": number}))
    is_used = False
    while True:
        message = json.loads(socket.recv(timeout=60))
        is_used |= message["type"] == "mistakes" and message["number"] == number
        if is_used and message.get("stage") in ("settled", "final") and "L2" in message["levels"]:
            return perf_counter() - start


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:4]))
