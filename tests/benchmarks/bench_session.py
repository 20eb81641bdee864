"""What stability costs: edit overhead and accuracy of sentences that are streamed word by word.

Each word is settled before the next one comes, and promises are kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

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
    Finish,
    LanguageMessage,
    Open,
    OptionChanges,
    SentencesMessage,
    apply_delta,
)
from treewhile.incremental.sessions.session import Session


def settle(session: Session) -> list[AnyMessage]:
    """Runs all there is to do, and gives all there is to say."""
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    return session.messages_to_send()


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


def one_word(session: Session, event: object) -> tuple[Took, Took]:
    watch = Watch()
    session.receive(event)
    (job,) = session.jobs_to_run()
    session.job_done(job, job.run())
    assert session.messages_to_send()
    first = watch.took()
    settle(session)
    return first, watch.took()


class Promised(NamedTuple):
    """Words that were stable before the end, and how many words after their own they became so, summed up."""

    words: int
    late: int


def streamed(model: Model, sentence: Sentence, stability: float) -> tuple[StreamCounts, Promised]:
    """The counts of a sentence, and what was promised before its end."""
    session, prefixes, stable, late = Session(model), list[list[Decision]](), 0, 0
    shown: AnalysisMessage | None = None
    session.receive(Open("d", 0, words=[], options=OptionChanges(stability=stability, keep_promises=True)))
    for version, one in enumerate(sentence.words, 1):
        if shown:
            late += sum(version - 1 - word for word in range(stable + 1, shown.stable_upto + 1))
            stable = shown.stable_upto
        session.receive(Append("d", version, [one.form]))
        if one is sentence.words[-1]:
            session.receive(Finish("d", version + 1))
        shown = read(shown, settle(session))
        prefixes.append([decision(view.head, view.label or "_") for view in shown.words])
    gold = [GoldWord(int(word.head), word.deprel, word.upos) for word in sentence.words]
    return count_stream(gold, prefixes), Promised(stable, late)


def read(shown: AnalysisMessage | None, messages: list[AnyMessage]) -> AnalysisMessage:
    for message in messages:
        if isinstance(message, DeltaMessage) and shown:
            shown = apply_delta(shown, message)
        elif isinstance(message, AnalysisMessage):
            shown = message
        else:
            assert isinstance(message, SentencesMessage | LanguageMessage), message
    assert shown
    return shown


def decision(head: int | str | None, label: str) -> Decision:
    if isinstance(head, int):
        return Decision(head if head >= 0 else Virtual(-head, ""), label)
    return Decision(LATER, label)


def stability_rows(model: Model, sentences: Sequence[Sentence], settings: Sequence[float]) -> list[list[str]]:
    rows = []
    for setting in settings:
        counts, stable, late = StreamCounts(), 0, 0
        for sentence in sentences:
            more, promised = streamed(model, sentence, setting)
            counts, stable, late = counts + more, stable + promised.words, late + promised.late
        shares = [
            counts.edit_overhead,
            *(counts.attachment[name] for name in ("initial", "delay_2", "final")),
        ]
        cells = [f"{100 * (share or 0):.2f}" for share in [*shares, stable / counts.words]]
        rows.append([f"{setting:g}", *cells, f"{late / stable:.2f}" if stable else ""])
    return rows


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--limit", type=int, default=300, help="how many sentences")
    parser.add_argument("--stability", type=float, nargs="*", default=[0, 0.25, 0.5, 0.75, 1])
    arguments = parser.parse_args()
    sentences = [*islice(read_sentences(arguments.source), arguments.limit)]
    table = Table(
        "stability", "edit overhead", "initial", "2 later", "final", "stable before the end", "words late"
    )
    for row in stability_rows(load_model(arguments.model), sentences, arguments.stability):
        table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
