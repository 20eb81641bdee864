"""What a session has to reach between two words: how soon it answers, searches, stops and settles.

Everything runs on the words of a treebank, in one process that is warm. Figures are medians of rounds, with
the least and the greatest round; what each includes and leaves out stands above its table.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt
from bench_session import Took, decision, one_word, read, settle
from measuring import Section, Spread, Target, machine, model_and_source, table
from searchers import first_tree
from single_costs import judge_edges

from treewhile.incremental import GrowingParse, Model, Sentence, load_model, read_sentences
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.constraints.search.frobbing import TreeSearch
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher, searcher_for
from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.scores.stream_scores import GoldWord, StreamCounts, count_stream
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.sessions.messages import AnalysisMessage, Append, Finish, Open, OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.interrupts import Interrupt

WORDS: Final = 40  # of prefixes, and of the sentences for two threads, give or take two
SEARCHED: Final = (20, 30, 40)  # lengths of prefixes that are searched
OPEN_WORDS: Final = 30  # of the session whose memory is measured
SESSIONS: Final = 20  # whose memory is measured together
PER_ROUND: Final = 5  # sequences of words, or prefixes
INTERRUPTS: Final = 100  # a round
GROUPS: Final = 5  # of sentences, which have edit overheads of their own
PROMISES: Final = (
    OptionChanges(stability=0),
    OptionChanges(stability=0.25),
    OptionChanges(stability=1),
    OptionChanges(stability=0.25, keep_promises=True),
    OptionChanges(stability=1, keep_promises=True),
)


def request_of(model: Model, words: Sequence[str], is_open: bool = True) -> SearchRequest:
    """What a search is asked for once L0 and L1 are done; the analysis before is that of L1."""
    growing = GrowingParse(model)
    for word in words[:-1]:
        growing.append(word)
    before = growing.best()
    growing.append(words[-1])
    if not is_open:
        growing.close()
    return SearchRequest(model.rescore(growing.snapshot()), growing.committed(), is_open, before)


def percentiles(rounds: Iterable[Sequence[float]]) -> dict[str, Spread]:
    """The median and the 99th percentile of every round."""
    pairs = [np.percentile(seconds, (50, 99)) for seconds in rounds]
    return {
        name: Spread(tuple(map(float, values)))
        for name, values in zip(("p50", "p99"), zip(*pairs, strict=True), strict=True)
    }


def seconds_of(task: Callable[..., object], *given: object) -> float:
    start = time.perf_counter()
    task(*given)
    return time.perf_counter() - start


def seconds_to_settle(searcher: ConstraintSearcher, request: SearchRequest) -> float:
    return seconds_of(searcher.search, request, Interrupt())


# --- one word ---------------------------------------------------------------------------------------------


def first_analyses(model: Model, words: Sequence[str], rounds: int) -> Section:
    section = Section(
        f"first analysis of a word, prefixes of 1 to {WORDS} words",
        "From the event to the message, on one thread: receive, attach, fetch. "
        f"{PER_ROUND * WORDS} words a round, each settled by L1 before the next one comes. "
        "Time of the processor leaves out what other programs took.",
    )
    typed(model, words[:WORDS])
    took = [
        [
            one
            for number in range(PER_ROUND)
            for one in typed(model, words[7 * (PER_ROUND * r + number) :][:WORDS])
        ]
        for r in range(rounds)
    ]
    for kind in Took._fields:
        found = percentiles([getattr(one, kind) / 1000 for one in round_] for round_ in took)
        for (name, spread), limit in zip(found.items(), (0.001, 0.003), strict=True):
            section.add(f"{name}, {kind}", spread, ("PreTra, quoted: 3 ms", None), target=Target(limit))
    return section


def typed(model: Model, words: Sequence[str]) -> Iterator[Took]:
    session = Session(model)
    session.receive(Open("d", 0, words=[]))
    settle(session)
    for version, word in enumerate(words, 1):
        yield one_word(session, Append("d", version, [word]))[0]


def judgements(searcher: ConstraintSearcher, requests: Sequence[SearchRequest], rounds: int) -> Section:
    section = Section(
        f"judging all new edges of a word, n = {WORDS}",
        "The word under every node and every node under it, with all labels, under the full grammar; of "
        f"{len(requests)} prefixes, {10 * len(requests)} times a round. The situations are made before.",
    )
    works = [judging(searcher, request) for request in requests]
    found = percentiles([[seconds_of(work) for work in 10 * works] for _ in range(1 + rounds)][1:])
    section.add("p50", found["p50"], ("jwcdg, quoted: worst 2 s", None), target=Target(0.005))
    section.add("p99", found["p99"])
    return section


def judging(searcher: ConstraintSearcher, request: SearchRequest) -> Callable[[], object]:
    situation = searcher.situation(request)
    assert situation.arrays
    arcs = new_arcs(situation)
    cost = np.zeros((situation.later, situation.unused + 1, len(situation.program.labels)), np.int64)
    return lambda: judge_edges(situation, arcs, cost, np.zeros(1, np.uint8))


def new_arcs(situation: Situation) -> npt.NDArray[np.int64]:
    """The last word under every node, and every node under it."""
    word, nodes = situation.t, range(situation.unused)
    under = [(word, head) for head in nodes if head != word]
    above = [(dependent, word) for dependent in nodes[1:-1] if dependent != word]
    return np.array(under + above, np.int64)


# --- searches ---------------------------------------------------------------------------------------------


def analyses_tried(searcher: ConstraintSearcher, requests: Sequence[SearchRequest], rounds: int) -> Section:
    section = Section(
        f"an analysis tried by frobbing, prefixes of {', '.join(map(str, SEARCHED))} words",
        "Seconds of a search, from every word's best edge until it is settled, by the trees that it looked "
        "at; one thread. What a bound rules out beforehand does not count as tried.",
    )
    for words in SEARCHED:
        chosen = [request for request in requests if len(request.words) == words]
        values = tuple(seconds_per_tree(searcher, chosen) for _ in range(1 + rounds))[1:]
        section.add(f"{words} words", Spread(values), target=Target(1 / 10_000))
    return section


def seconds_per_tree(searcher: ConstraintSearcher, requests: Sequence[SearchRequest]) -> float:
    seconds, tried, never = 0.0, 0, Interrupt()
    for request in requests:
        search = TreeSearch(searcher.situation(request), request.is_open)
        search.begin(first_tree(search))
        seconds += seconds_of(search.run, never)
        tried += search.tried
    return seconds / tried


def interruptions(
    searcher: ConstraintSearcher, requests: Sequence[SearchRequest], rounds: int, rng: random.Random
) -> Section:
    section = Section(
        "from an interrupt to the answer",
        f"A thread searches prefixes of {', '.join(map(str, SEARCHED))} words; at a random moment while it "
        "does, another one sets the interrupt and waits for the result: both threads' waking up is in it. "
        f"{INTERRUPTS} interrupts a round; moments are even over the time that the search would take. Time "
        "of the processor is that of the searching thread.",
    )
    settling = [min(seconds_to_settle(searcher, one) for _ in range(2)) for one in requests]
    with ThreadPoolExecutor(1) as executor:
        taken = [
            [*islice(interrupted(searcher, requests, settling, executor, rng), INTERRUPTS)]
            for _ in range(rounds)
        ]
    for kind in Took._fields:
        found = percentiles([getattr(one, kind) / 1000 for one in round_] for round_ in taken)
        section.add(f"p50, {kind}", found["p50"])
        section.add(f"p99, {kind}", found["p99"], target=Target(0.001))
    return section


def interrupted(
    searcher: ConstraintSearcher,
    requests: Sequence[SearchRequest],
    settling: Sequence[float],
    executor: Executor,
    rng: random.Random,
) -> Iterator[Took]:
    """What interrupts took that came while a search was running."""
    clock = time.pthread_getcpuclockid(executor.submit(threading.get_ident).result())
    while True:
        number, interrupt = rng.randrange(len(requests)), Interrupt()
        running = executor.submit(searcher.search, requests[number], interrupt)
        time.sleep(rng.uniform(0, settling[number]))
        is_late, start, used = running.done(), time.perf_counter(), time.clock_gettime(clock)
        interrupt.set()
        running.result()
        if not is_late:
            end, used_then = time.perf_counter(), time.clock_gettime(clock)
            yield Took(1000 * (end - start), 1000 * (used_then - used))


def threads(model: Model, requests: Sequence[SearchRequest], rounds: int) -> Section:
    section = Section(
        f"two threads against one, time to settle sentences of {WORDS} words, give or take two",
        f"L2 alone, from L1's tree on, of {len(requests)} whole sentences, in turns. Other programs on the "
        "cores take away from two threads more than from one.",
    )
    with ThreadPoolExecutor(2) as executor:
        searchers = searcher_for(model), searcher_for(model, 2, executor)
        found: list[list[float]] = [[], []]
        for _ in range(1 + rounds):
            for searcher, seconds in zip(searchers, found, strict=True):
                seconds.append(sum(seconds_to_settle(searcher, one) for one in requests))
    one, two = (Spread(tuple(seconds[1:])) for seconds in found)
    section.add("two threads", two, ("one thread", one), target=Target(1.5, times_less=True))
    return section


# --- room and changes -------------------------------------------------------------------------------------


def memory(model: Model, searcher: ConstraintSearcher, words: Sequence[str], rounds: int) -> Section:
    section = Section(
        f"memory of an open session with {OPEN_WORDS} words",
        "By tracemalloc, which sees Python and numpy, beyond model and searcher; the mean of "
        f"{SESSIONS} sessions, typed word by word and settled with L2.",
    )
    open_session(model, searcher, words[:OPEN_WORDS])
    sizes = [memory_of_sessions(model, searcher, words[OPEN_WORDS * r :][:OPEN_WORDS]) for r in range(rounds)]
    section.add("a session", Spread(tuple(sizes), "KiB"), target=Target(100))
    return section


def open_session(model: Model, searcher: ConstraintSearcher, words: Sequence[str]) -> Session:
    session = Session(model, searcher)
    session.receive(Open("d", 0, words=[]))
    for version, word in enumerate(words, 1):
        session.receive(Append("d", version, [word]))
        settle(session)
    return session


def memory_of_sessions(model: Model, searcher: ConstraintSearcher, words: Sequence[str]) -> float:
    tracemalloc.start()
    kept = [open_session(model, searcher, words) for _ in range(SESSIONS)]
    gc.collect()  # which empties the lists of small tuples and floats that the interpreter keeps
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size / len(kept) / 1024


def edit_overheads(model: Model, searcher: ConstraintSearcher, sentences: Sequence[Sentence]) -> Section:
    groups = [sentences[start::GROUPS] for start in range(GROUPS)]
    section = Section(
        "edit overhead, labelled, and what it costs",
        f"{len(sentences)} sentences in {GROUPS} groups, whose spread is shown; every prefix settled, so no "
        "clock is in it. From scratch: the same model parses every prefix as if it were a whole sentence.",
    )
    scratch = Counted(groups, partial(from_scratch, model))
    for name, given in {"L1": None, "L2": searcher}.items():
        loose, *stricter = (Counted(groups, partial(streamed, model, given, chosen)) for chosen in PROMISES)
        section.add(
            f"{name}, nothing promised",
            loose.overhead,
            ("from scratch", scratch.overhead),
            target=Target(1, True),
        )
        for chosen, counted in zip(PROMISES[1:], stricter, strict=True):
            target = Target(2, True) if chosen.stability == 1 and chosen.keep_promises else None
            beside = ("nothing promised", loose.overhead)
            section.add(f"{name}, {promise_of(chosen)}", counted.overhead, beside, target=target)
        for moment in ("initial", "final"):
            for chosen, counted in zip(PROMISES, (loose, *stricter), strict=True):
                section.add(f"{name}, {promise_of(chosen)}, {moment} right", counted.right(moment))
    section.add("from scratch, final right", scratch.right("final"))
    return section


class Counted:
    """What is counted in groups of sentences, given what is decided in the prefixes of each."""

    def __init__(
        self, groups: Sequence[Sequence[Sentence]], parse: Callable[[Sentence], list[list[Decision]]]
    ) -> None:
        self._counts = [
            sum((counts_of(one, parse(one)) for one in group), StreamCounts()) for group in groups
        ]

    @property
    def overhead(self) -> Spread:
        return Spread(tuple(100 * (counts.edit_overhead or 0) for counts in self._counts), "%")

    def right(self, moment: str) -> Spread:
        return Spread(tuple(100 * (counts.attachment[moment] or 0) for counts in self._counts), "%")


def counts_of(sentence: Sentence, prefixes: list[list[Decision]]) -> StreamCounts:
    gold = [GoldWord(int(word.head), word.deprel, word.upos) for word in sentence.words]
    return count_stream(gold, prefixes)


def from_scratch(model: Model, sentence: Sentence) -> list[list[Decision]]:
    words = [word.form for word in sentence.words]
    return [model.parse(words[:t]).decisions for t in range(1, 1 + len(words))]


def promise_of(options: OptionChanges) -> str:
    if not options.stability:
        return "nothing promised"
    end = "kept" if options.keep_promises else "taken back"
    return f"stability {options.stability:g}, {end}"


def streamed(
    model: Model, searcher: ConstraintSearcher | None, options: OptionChanges, sentence: Sentence
) -> list[list[Decision]]:
    session, prefixes = Session(model, searcher), list[list[Decision]]()
    shown: AnalysisMessage | None = None
    session.receive(Open("d", 0, words=[], options=options))
    for version, word in enumerate(sentence.words, 1):
        session.receive(Append("d", version, [word.form]))
        if word is sentence.words[-1]:
            session.receive(Finish("d", version + 1))
        shown = read(shown, settle(session))
        prefixes.append(decisions(shown))
    return prefixes


def decisions(shown: AnalysisMessage) -> list[Decision]:
    return [decision(view.head, view.label or "_") for view in shown.words]


# --- the report -------------------------------------------------------------------------------------------


def sections(arguments: argparse.Namespace) -> Iterator[Section]:
    rng, rounds, model = random.Random(arguments.seed), arguments.rounds, load_model(arguments.model)
    searcher = searcher_for(model)
    sentences = [*read_sentences(arguments.source)]
    words = [word.form for sentence in sentences for word in sentence.words]
    long = [sentence for sentence in sentences if abs(len(sentence.words) - WORDS) <= 2][: 2 * PER_ROUND]
    forms = [[word.form for word in sentence.words] for sentence in long]
    prefixes = [request_of(model, one[:t]) for t in SEARCHED for one in forms if len(one) >= t]
    whole = [request_of(model, one, is_open=False) for one in forms]
    yield first_analyses(model, words, rounds)
    yield judgements(searcher, [one for one in prefixes if len(one.words) == WORDS], rounds)
    yield analyses_tried(searcher, prefixes, rounds)
    yield interruptions(searcher, prefixes, rounds, rng)
    yield threads(model, whole, rounds)
    yield memory(model, searcher, words, rounds)
    yield edit_overheads(model, searcher, sentences[: arguments.limit])


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=100, help="how many sentences for the edit overhead")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(", ".join(f"{name}: {value}" for name, value in machine().items()))
    print(
        f"model {arguments.model}, {arguments.source.name}, {arguments.rounds} rounds, seed {arguments.seed}"
    )
    for section in sections(arguments):
        print(f"\n{table(section)}", flush=True)


if __name__ == "__main__":
    main()
