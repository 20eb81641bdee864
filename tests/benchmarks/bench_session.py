"""How fast a session answers, how much room it takes, and what stability costs.

    first analysis  from an event with one more word to the message, at prefixes of 10 and 40 words: receive,
                    the job that attaches, fetching the message, all on one thread
    settled         from there to the settled analysis, L1
    paste           10,000 words at once: to the first analysis, to the last first one, until all is settled
    memory          of an open session with one sentence of 30 words, by tracemalloc, beside the model
    stability       sentences streamed word by word, each settled, promises kept: edit overhead and accuracy

Words come from a treebank, in a row, whatever its sentences are. Beside the time on the clock stands that of
the processor: on a machine that is shared, the former has other people's work in it.
"""

from __future__ import annotations

import gc
import os
import platform
import time
import tracemalloc
from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from measuring import model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Model, Sentence, load_model, read_sentences
from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.nodes import LATER, Virtual
from treewhile.incremental.scores.stream_scores import GoldWord, StreamCounts, count_stream
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AnyMessage,
    Append,
    DeltaMessage,
    Edit,
    Finish,
    Open,
    OptionChanges,
    SentencesMessage,
    apply_delta,
)
from treewhile.incremental.sessions.session import Session

PREFIXES: Final = (10, 40)
PASTED: Final = 10_000
SESSIONS: Final = 20  # whose memory is measured together


def settle(session: Session) -> list[AnyMessage]:
    """Runs all there is to do, and gives all there is to say."""
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    return session.messages_to_send()


# --- speed ------------------------------------------------------------------------------------------------


class Took(NamedTuple):
    """Milliseconds on the clock, and of the processor."""

    clock: float
    processor: float


class Watch:
    """Tells what passed since it was asked last."""

    def __init__(self) -> None:
        self.last = time.perf_counter(), time.thread_time()

    def took(self) -> Took:
        before, self.last = self.last, (time.perf_counter(), time.thread_time())
        return Took(*(1000 * (now - then) for now, then in zip(self.last, before, strict=True)))


def word_times(model: Model, words: Sequence[str], as_text: bool, repeats: int) -> dict[str, list[Took]]:
    """Of one more word at the prefixes: to the first analysis, and from there to the settled one."""
    times: dict[str, list[Took]] = {}
    for start in range(repeats):
        chosen = words[7 * start : 7 * start + max(PREFIXES) + 1]
        session, typed = Session(model), " ".join(chosen[: PREFIXES[0]])
        session.receive(Open("d", 0, text=typed) if as_text else Open("d", 0, words=[*chosen[: PREFIXES[0]]]))
        settle(session)
        for t, word in enumerate(chosen[PREFIXES[0] :], PREFIXES[0]):
            event = Edit("d", t, len(typed), len(typed), f" {word}") if as_text else Append("d", t, [word])
            first, rest = one_word(session, event)
            typed += f" {word}"
            if t in PREFIXES:
                times.setdefault(f"first analysis, {t} words", []).append(first)
                times.setdefault(f"settled, {t} words", []).append(rest)
    return times


def one_word(session: Session, event: object) -> tuple[Took, Took]:
    watch = Watch()
    session.receive(event)
    (job,) = session.jobs_to_run()
    session.job_done(job, job.run())
    assert session.messages_to_send()
    first = watch.took()
    settle(session)
    return first, watch.took()


def paste_times(model: Model, words: Sequence[str]) -> dict[str, float]:
    """The seconds from a paste to some moments."""
    session, moments = Session(model), dict[str, float]()
    start = time.perf_counter()
    session.receive(Open("d", 0, text=" ".join(words)))
    jobs = session.jobs_to_run()
    while jobs:
        job = jobs.pop(0)
        session.job_done(job, job.run())
        jobs = sorted([*jobs, *session.jobs_to_run()], key=lambda job: job.rank)
        if session.messages_to_send():
            moments.setdefault("first analysis", time.perf_counter() - start)
        if job.level == "L0":
            moments["all first analyses"] = time.perf_counter() - start
    moments["all settled"] = time.perf_counter() - start
    return moments


# --- room -------------------------------------------------------------------------------------------------


def memory_of_a_session(model: Model, words: Sequence[str], as_text: bool) -> float:
    """KiB of a session with one open sentence, which came word by word."""

    def grown() -> Session:
        session, typed = Session(model), ""
        session.receive(Open("d", 0, text="") if as_text else Open("d", 0, words=[]))
        for version, word in enumerate(words, 1):
            session.receive(
                Edit("d", version, len(typed), len(typed), f"{word} ")
                if as_text
                else Append("d", version, [word])
            )
            typed += f"{word} "
            settle(session)
        return session

    grown()
    tracemalloc.start()
    kept = [grown() for _ in range(SESSIONS)]
    gc.collect()  # which empties the lists of small tuples and floats that the interpreter keeps
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size / len(kept) / 1024


# --- stability --------------------------------------------------------------------------------------------


def streamed(model: Model, sentence: Sentence, stability: float) -> tuple[StreamCounts, int]:
    """The counts of a sentence, and how many words were stable one word before the end."""
    session, prefixes, stable = Session(model), list[list[Decision]](), 0
    shown: AnalysisMessage | None = None
    session.receive(Open("d", 0, words=[], options=OptionChanges(stability=stability, keep_promises=True)))
    for version, word in enumerate(sentence.words, 1):
        stable = shown.stable_upto if shown else 0
        session.receive(Append("d", version, [word.form]))
        if word is sentence.words[-1]:
            session.receive(Finish("d", version + 1))
        shown = read(shown, settle(session))
        prefixes.append([decision(view.head, view.label or "_") for view in shown.words])
    gold = [GoldWord(int(word.head), word.deprel, word.upos) for word in sentence.words]
    return count_stream(gold, prefixes), stable


def read(shown: AnalysisMessage | None, messages: list[AnyMessage]) -> AnalysisMessage:
    for message in messages:
        if isinstance(message, DeltaMessage) and shown:
            shown = apply_delta(shown, message)
        elif isinstance(message, AnalysisMessage):
            shown = message
        else:
            assert isinstance(message, SentencesMessage), message
    assert shown
    return shown


def decision(head: int | str | None, label: str) -> Decision:
    if isinstance(head, int):
        return Decision(head if head >= 0 else Virtual(-head, ""), label)
    return Decision(LATER, label)


def stability_rows(model: Model, sentences: Sequence[Sentence], settings: Sequence[float]) -> list[list[str]]:
    rows = []
    for setting in settings:
        counts, stable, words = StreamCounts(), 0, sum(len(sentence.words) for sentence in sentences)
        for sentence in sentences:
            more, at_end = streamed(model, sentence, setting)
            counts, stable = counts + more, stable + at_end
        shares = [
            counts.edit_overhead,
            *(counts.attachment[name] for name in ("initial", "delay_2", "final")),
        ]
        rows.append([f"{setting:g}", *(f"{100 * (share or 0):.2f}" for share in [*shares, stable / words])])
    return rows


# --- the report -------------------------------------------------------------------------------------------


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--limit", type=int, default=300, help="how many sentences for stability; 0 for none")
    parser.add_argument("--stability", type=float, nargs="*", default=[0, 0.25, 0.5, 0.75, 1])
    arguments = parser.parse_args()
    model, console = load_model(arguments.model), Console(width=110)
    sentences = [*read_sentences(arguments.source)]
    words = [word.form for sentence in sentences for word in sentence.words]
    machine = f"{platform.machine()}, CPython {platform.python_version()}, {os.cpu_count()} cores"
    console.print(f"{machine}; {arguments.source.name}, {arguments.repeats} repeats")
    for as_text in (False, True):
        table = Table("text" if as_text else "given words", "p50 ms", "p99 ms", "processor p50", "p99")
        word_times(model, words, as_text, 3)
        for name, values in word_times(model, words, as_text, arguments.repeats).items():
            table.add_row(
                name, *(f"{value:.3f}" for value in np.percentile(values, (50, 99), axis=0).T.ravel())
            )
        console.print(table)
    for moment, seconds in paste_times(model, words[:PASTED]).items():
        console.print(f"paste of {PASTED:,} words, {moment}: {seconds:.3f} s")
    for as_text in (False, True):
        size = memory_of_a_session(model, words[:30], as_text)
        console.print(f"memory of 30 words, {'text' if as_text else 'given words'}: {size:.1f} KiB")
    if arguments.limit:
        table = Table("stability", "edit overhead", "initial", "2 later", "final", "stable before the end")
        for row in stability_rows(model, [*islice(sentences, arguments.limit)], arguments.stability):
            table.add_row(*row)
        console.print(table)


if __name__ == "__main__":
    main()
