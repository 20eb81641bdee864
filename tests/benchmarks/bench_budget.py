"""What a server on one core does for 100 to 5,000 people at their keys, on a simulated clock.

First the costs of work are measured, in this process: sentences are typed letter by letter into a session,
which has its words attached, parsed and searched. What a frame costs the server is given (--socket). Then the
server's own schedule and refinements are driven with these costs, whatever the machine does meanwhile; see
`tests/support/simulated_server.py`, which tests use, too. Each crowd types for some seconds, of which the
first two do not count. Prints a table, and draws it (--plot).

    p50, p99    milliseconds from a stroke to its answer
    in time     share of the words that were in a best parse before the next one had ended
    ends        share of the sentences whose best parse came within 300 ms of their end
    loop, best  shares of the processor that the loop took, and refinements
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final, NamedTuple

from measuring import machine
from rich.console import Console
from rich.table import Table
from simulated_server import Costs, Told, simulated

from treewhile.incremental import load_model
from treewhile.incremental.constraints import searcher_for
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.jobs import Attach, Job, Rescore, Search
from treewhile.incremental.sessions.messages import Close, Edit, Open
from treewhile.incremental.sessions.session import Session
from treewhile.server.load.invented_texts import sentence
from treewhile.server.protocol.frames import MSGPACK

CROWDS: Final = (100, 200, 300, 500, 700, 1000, 2000, 5000)
SENTENCES, TOGETHER = 40, 8
BLUE, ORANGE, GREEN = "#2563a8", "#c2570c", "#3a7d44"


class Measured:
    """Seconds of the processor that each kind of work took, time after time."""

    def __init__(self) -> None:
        self.letters: list[float] = []
        self.words: list[float] = []
        self.parses: list[float] = []
        self.searches: list[float] = []
        self.told: list[float] = []

    def costs(self, socket: float, batched: float) -> Costs:
        """Medians, with a frame in and one out for what is typed, and one out for what is found."""
        return Costs(
            median(self.letters) + socket,
            median(self.words) + socket,
            median(self.parses),
            median(self.parses) * batched,
            median(self.searches),
            median(self.told) + socket / 2,
        )


def type_sentences(session: Session, texts: Sequence[str], found: Measured) -> list[Rescore]:
    """Types them, and does all that is asked for; gives the best parses that were asked for."""
    asked: list[Rescore] = []
    for number, text in enumerate(texts):
        session.receive(Open(str(number), 0, text=""))
        _settle(session, found, asked)
        for at, letter in enumerate(text):
            begin = process_time()
            session.receive(Edit(str(number), at + 1, at, at, letter))
            jobs = session.jobs_to_run()
            if not jobs:
                _send(session)
                found.letters.append(process_time() - begin)
            _do(session, jobs, found, asked, begin)
            _settle(session, found, asked)
        session.receive(Close(str(number)))
    return asked


def _settle(session: Session, found: Measured, asked: list[Rescore]) -> None:
    while jobs := session.jobs_to_run():
        _do(session, jobs, found, asked, process_time())


def _do(session: Session, jobs: Sequence[Job], found: Measured, asked: list[Rescore], begin: float) -> None:
    for job in jobs:
        ran = process_time()
        result = job.run()
        done = process_time()
        session.job_done(job, result)
        _send(session)
        if isinstance(job, Attach):
            found.words.append(process_time() - begin)
        elif isinstance(job, Rescore):
            asked.append(job)
            found.parses.append(done - ran)
            found.told.append(process_time() - done)
        elif isinstance(job, Search):
            found.searches.append(done - ran)


def _send(session: Session) -> None:
    for message in session.messages_to_send():
        MSGPACK.encode(message)


def batched(jobs: Sequence[Rescore]) -> float:
    """What a best parse takes in a batch, as a share of what it takes alone."""
    begin = process_time()
    for job in jobs:
        job.run()
    alone = process_time() - begin
    for start in range(0, len(jobs), TOGETHER):
        jobs[start].run_together(jobs[start + 1 : start + TOGETHER])
    return (process_time() - begin - alone) / alone


def measured_costs(model: Model, socket: float) -> Costs:
    source, session, found = Random(1), Session(model, searcher_for(model)), Measured()
    texts = [f"{sentence(source)} " for _ in range(SENTENCES)]
    type_sentences(session, texts[:3], Measured())
    jobs = type_sentences(session, texts, found)
    return found.costs(socket, batched(jobs[: 10 * TOGETHER]))


class Row(NamedTuple):
    """What became of a crowd."""

    typists: int
    p50: float
    p99: float
    in_time: float
    ends: float
    loop: float
    best: float
    lost: int


def row_of(typists: int, told: Told, seconds: float) -> Row:
    counted = seconds - told.since
    return Row(
        typists,
        1000 * told.wait(50),
        1000 * told.wait(99),
        told.parsed_in_time,
        told.ends_parsed_within(0.3),
        told.loop_seconds / counted,
        told.refining_seconds / counted,
        told.lost,
    )


def table_of(rows: Sequence[Row]) -> Table:
    table = Table("typists", "p50", "p99", "in time", "ends", "loop", "best", "lost")
    for row in rows:
        shares = (f"{share:.0%}" for share in (row.in_time, row.ends, row.loop, row.best))
        table.add_row(str(row.typists), f"{row.p50:.1f}", f"{row.p99:.0f}", *shares, str(row.lost))
    return table


def draw(rows: Sequence[Row], path: Path) -> None:
    """Writes the picture."""
    import_module("matplotlib").use("Agg")
    pyplot = import_module("matplotlib.pyplot")
    typists = [row.typists for row in rows]
    figure, (waits, shares) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    _line(waits, typists, [row.p50 for row in rows], "half of the strokes", BLUE)
    _line(waits, typists, [row.p99 for row in rows], "99 in 100", ORANGE)
    waits.set(yscale="log", title="from a stroke to its answer, ms")
    _line(shares, typists, [row.in_time for row in rows], "words with a best parse in time", BLUE)
    _line(shares, typists, [row.ends for row in rows], "sentences within 300 ms of their end", ORANGE)
    _line(shares, typists, [row.best for row in rows], "of the processor: refinements", GREEN)
    shares.set(ylim=(0, 1.04), title="shares")
    for panel in (waits, shares):
        panel.set(xscale="log", xlabel="people who type by letters, 80 words a minute")
        panel.set_xticks(typists, [f"{one:,}" for one in typists], fontsize=8)
        panel.minorticks_off()
        panel.grid(color="#dddddd", linewidth=0.6)
        panel.legend(frameon=False, fontsize=9)
        panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150, facecolor="white")
    pyplot.close(figure)


def _line(panel: Any, across: Sequence[int], up: Sequence[float], label: str, color: str) -> None:
    panel.plot(across, up, color=color, label=label, marker="o", markersize=4, linewidth=1.8)


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en")
    parser.add_argument("--socket", type=float, default=0.1, help="milliseconds for a frame in and one out")
    parser.add_argument("--seconds", type=float, default=6, help="how long each crowd types")
    parser.add_argument("--crowds", type=int, nargs="+", default=CROWDS)
    parser.add_argument("--plot", type=Path, help="where to write the picture")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    costs, console = measured_costs(load_model(arguments.model), arguments.socket / 1000), Console(width=110)
    rows = [
        row_of(typists, simulated(typists, arguments.seconds, costs), arguments.seconds)
        for typists in arguments.crowds
    ]
    if arguments.json:
        print(json.dumps({"costs": costs._asdict(), "rows": [row._asdict() for row in rows]}))
    else:
        console.print(", ".join(machine().values()))
        console.print("costs, ms: " + ", ".join(f"{k} {1000 * v:.3f}" for k, v in costs._asdict().items()))
        console.print(table_of(rows))
    if arguments.plot:
        draw(rows, arguments.plot)


if __name__ == "__main__":
    main()
