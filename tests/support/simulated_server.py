"""A server on one processor, and people who type at it, on a simulated clock.

What decides is the server's own: its `Schedule`, a `Refinement` for each sentence, and `TypingPauses`. What
is simulated is the time that work takes, the loop and the one thread that share a processor, and sentences,
which are no more than numbers of words. Typists send a letter at a time, or all that they have typed while an
edit was unanswered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from random import Random
from typing import Any, Final, NamedTuple, cast

import numpy as np

from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Snapshot
from treewhile.incremental.sessions.jobs import Job, Rank, Rescore, Search
from treewhile.incremental.sessions.refinement import Refinement
from treewhile.incremental.sessions.typed_word import TypingPauses
from treewhile.oracles.interrupts import Interrupt
from treewhile.server.load.invented_texts import invented_words
from treewhile.server.load.typing_schedules import Stroke, by_letters, spread_speeds
from treewhile.server.work.scheduling import AT_ONCE, LOOP, Running, Schedule
from treewhile.server.work.worker_threads import IN_A_TURN

THREAD_SHARE: Final = 0.1  # what their niceness leaves to threads of a processor that the loop could use up
STOPPING: Final = 0.0002  # seconds until a search has stopped
LOOKS: Final = 0.0005  # seconds between looks of a thread that has nothing to do
NO_TOPS: Final = np.empty((0, 0), np.float32)

NOTHING: Final = cast(Any, None)
FOUND: Final = cast(Any, object())  # a best parse


class Costs(NamedTuple):
    """Seconds of a processor."""

    letter: float = 0.00015  # inside a word, taken in and answered
    word: float = 0.00075  # the end of one, taken in, attached and answered
    parse: float = 0.0009  # a best parse
    parse_more: float = 0.0007  # the same in a batch, beside others
    search: float = 0.001
    told: float = 0.0002  # what a thread has found, taken and sent

    def times(self, factor: float) -> Costs:
        """Those of a slower processor."""
        return Costs(*(factor * seconds for seconds in self))


class AttachWords(Job):
    """Words of a sentence, and what is still being typed."""

    rank = Rank.ATTACH

    def _work(self, interrupt: Interrupt) -> object:
        raise AssertionError("a simulation does no work")


@dataclass(eq=False)
class Word:
    """When its end was typed, when the next one's, and when a best parse was told that has it."""

    due: float
    ends_sentence: bool
    next_due: float | None = None
    parsed: float | None = None


class Sentence:
    """Its words that have ended, maybe one that has not, and how far it has come."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.is_typed = self.is_closed = False
        self.revision = 0
        self.refinement = Refinement()
        self.settled: float | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        return ("w",) * len(self.words) + ("…",) * self.is_typed

    def begin(self, is_held: bool) -> None:
        """It has other words."""
        self.revision += 1
        self.refinement.begin(is_held, self.forms)

    def job(self) -> Job | None:
        """What refines it, if that may be handed out."""
        if not self.refinement.may_run:
            return None
        about = "d", self.revision, 0, None
        if self.refinement.next_level == "L2":
            return self.refinement.start(Search(*about, NOTHING, NOTHING))
        snapshot = Snapshot(self.forms, NO_TOPS, not self.is_closed)
        return self.refinement.start(Rescore(*about, NOTHING, snapshot, NO_PREFERENCE))

    def take(self, job: Job, is_done: bool, now: float) -> bool:
        """What a job has given, as a session takes it; whether that is told."""
        is_earlier = job is self.refinement.earlier
        self.refinement.hand_back(job)
        is_current = job.version == self.revision and job.level == self.refinement.next_level
        if not is_done or not (is_earlier or is_current):
            return False
        if isinstance(job, Rescore):
            self._note_parse(job.words, now)
        if is_earlier:
            if self.refinement.is_held and job.words == len(self.forms) - 1:
                self.refinement.catch_up()
        elif isinstance(job, Rescore):
            self.refinement.go_on_with(FOUND)
        else:
            self.refinement.rest("settled")
            self.settled = now
        return True

    def _note_parse(self, words: int, now: float) -> None:
        for word in self.words[:words]:
            word.parsed = word.parsed or now


@dataclass(eq=False)
class Typist:
    """Somebody who types until a time; `waits` for what was sent, and gathers what is typed meanwhile."""

    strokes: Iterator[Stroke]
    leaves_at: float
    begins_at: float
    sentences: list[Sentence] = field(default_factory=lambda: [Sentence()])
    waits: Sequence[Stroke] = ()
    gathered: list[Stroke] = field(default_factory=list)
    parsed_at: float | None = None  # when a best parse was told last
    pauses: TypingPauses = field(default_factory=TypingPauses)

    def job_done(self, job: Job, result: object) -> None:
        raise AssertionError("the simulation takes results")

    @property
    def sentence(self) -> Sentence:
        return self.sentences[-1]


@dataclass
class Told:
    """What became of what was typed from a time on."""

    since: float
    waits: list[float] = field(default_factory=list)  # of strokes for their answers
    words: list[Word] = field(default_factory=list)
    strokes: int = 0
    given_up: int = 0
    loop_seconds: float = 0.0
    refining_seconds: float = 0.0

    @property
    def lost(self) -> int:
        """Strokes without an answer."""
        return self.strokes - len(self.waits)

    def wait(self, percent: float) -> float:
        return float(np.percentile(self.waits, percent))

    @property
    def parsed_in_time(self) -> float:
        """The share of words that were in a best parse before the next one had ended."""
        followed = [word for word in self.words if word.next_due is not None]
        return _share(
            [word.parsed is not None and word.parsed <= (word.next_due or inf) for word in followed]
        )

    def ends_parsed_within(self, seconds: float) -> float:
        """The share of sentences whose best parse came so soon after their ends."""
        ends = [word for word in self.words if word.ends_sentence]
        return _share([word.parsed is not None and word.parsed - word.due <= seconds for word in ends])


def _share(those: Sequence[bool]) -> float:
    return sum(those) / max(1, len(those))


class Server:
    """A loop and a thread on one processor, as `WorkerThreads` and sessions have them."""

    def __init__(self, costs: Costs, typists: Sequence[Typist], told: Told) -> None:
        self.costs, self.told, self.now, self.until = costs, told, 0.0, typists[0].leaves_at
        self.schedule: Schedule[Typist] = Schedule(2)
        self._numbers = count()
        self._strokes = [(one.begins_at, next(self._numbers), one, None) for one in typists]
        heapify(self._strokes)
        self._pauses: list[tuple[float, int, Typist]] = []
        self._came = deque[Typist]()
        self._found = deque[tuple[Typist, Job, bool]]()
        self._sentences: dict[Job, Sentence] = {}
        self._refined: Running[Typist] | None = None
        self._loop, self._thread = self._turns(), self._refine()
        self._loop_left, self._thread_left = inf, inf
        self._looked_at = 0.0

    # --- the processor --------------------------------------------------------------------------------------

    def run(self, until: float) -> None:
        """Goes on until a time."""
        while self.now < until:
            self._wake()
            loop, thread = self._loop_left < inf, self._thread_left < inf
            fast = (1 - THREAD_SHARE) if loop and thread else 1.0
            slow = THREAD_SHARE if loop and thread else 1.0
            ends = self.now + self._loop_left / fast, self.now + self._thread_left / slow
            next_look = self._looked_at + LOOKS if self.schedule.is_contended and not thread else inf
            coming = min(self._strokes[0][0] if self._strokes else inf, self._next_pause, next_look)
            then = min(*ends, max(coming, self.now), until)
            if loop:
                self._loop_left -= (then - self.now) * fast
                self.told.loop_seconds += (then - self.now) * fast * (self.told.since < then < self.until)
            if thread:
                self._thread_left -= (then - self.now) * slow
                self.told.refining_seconds += (then - self.now) * slow * (self.told.since < then < self.until)
            self.now = then
            if then == ends[0]:
                self._loop_left = inf
            if then == ends[1]:
                self._thread_left = inf
            self._let_time_pass()

    def _wake(self) -> None:
        """Those who have nothing to do look whether there is something."""
        if self._loop_left == inf:
            self._loop_left = next(self._loop)
        if self._thread_left == inf and self.now >= self._looked_at + LOOKS:
            self._looked_at = self.now
            self._thread_left = next(self._thread)
        refined = self._refined
        if refined and refined.rank.goes_on and refined.jobs[0].interrupt.is_set:
            self._thread_left = min(self._thread_left, STOPPING)

    def _let_time_pass(self) -> None:
        while self._strokes and self._strokes[0][0] <= self.now:
            _, _, typist, stroke = heappop(self._strokes)
            self._type(typist, cast("Stroke | None", stroke))
        while self._pauses and self._next_pause <= self.now:
            _, _, typist = heappop(self._pauses)
            if (typist.pauses.begins_at or inf) <= self.now:
                self._pause(typist)
        self.schedule.stop_for_others(self.now)

    @property
    def _next_pause(self) -> float:
        return self._pauses[0][0] if self._pauses else inf

    # --- clients --------------------------------------------------------------------------------------------

    def _type(self, typist: Typist, stroke: Stroke | None) -> None:
        following = next(typist.strokes)
        due = typist.begins_at + following.at
        if due < typist.leaves_at:
            heappush(self._strokes, (due, next(self._numbers), typist, following))
        if stroke is None:
            return
        self.told.strokes += self.now >= self.told.since
        typist.gathered.append(stroke._replace(at=self.now))
        if not typist.waits:
            self._send(typist)

    def _send(self, typist: Typist) -> None:
        typist.waits, typist.gathered = typist.gathered, []
        self._came.append(typist)

    def _answer(self, typist: Typist) -> None:
        since = self.told.since
        self.told.waits += [self.now - stroke.at for stroke in typist.waits if stroke.at >= since]
        typist.waits = ()
        if typist.gathered:
            self._send(typist)

    # --- the loop -------------------------------------------------------------------------------------------

    def _turns(self) -> Iterator[float]:
        while True:
            is_idle = True
            for _ in range(len(self._came)):
                typist, is_idle = self._came.popleft(), False
                yield self.costs.letter
                self._receive(typist)
            for _ in range(len(self._found)):
                what, is_idle = self._found.popleft(), False
                yield self.costs.told if what[-1] else 0.0
                self._take(*what)
            begin, attached = self.now, list[Typist]()
            while self.now - begin < IN_A_TURN and (running := self._next_here()):
                is_idle = False
                yield from self._work_here(running, attached)
            for typist in attached:
                self._answer(typist)
            if is_idle:
                yield inf

    def _next_here(self) -> Running[Typist] | None:
        return self.schedule.start(AT_ONCE, self.now) or self.schedule.start(LOOP, self.now)

    def _work_here(self, running: Running[Typist], attached: list[Typist]) -> Iterator[float]:
        """A first analysis, or best parses that are told with those that are attached in this turn."""
        if running.rank is Rank.ATTACH:
            yield self.costs.word - self.costs.letter
            self.schedule.done(running)
            self._attach(running.owners[0])
            attached += running.owners
        else:
            seconds = self._cost(running.rank, len(running.jobs))
            yield seconds
            self.schedule.done(running)
            self.schedule.spend(seconds, self.now)
            for typist, job in zip(running.owners, running.jobs, strict=True):
                self._take(typist, job, is_done=True)

    def _receive(self, typist: Typist) -> None:
        sentence = typist.sentence
        typist.pauses.put_off(self.now)
        heappush(self._pauses, (typist.pauses.begins_at or inf, next(self._numbers), typist))
        if any(stroke.ended != "nothing" for stroke in typist.waits):
            sentence.refinement.give_way()
            self._add(typist, AttachWords("d", 0, None, None))
            return
        if not sentence.is_typed:
            sentence.is_typed = True
            sentence.begin(is_held=True)
        self._answer(typist)

    def _attach(self, typist: Typist) -> None:
        """Takes the words that have ended, or a pause."""
        sentence, since = typist.sentence, self.told.since
        if not typist.waits:
            sentence.begin(is_held=False)
        for place, stroke in enumerate(typist.waits, 1):
            if stroke.ended == "nothing":
                continue
            if sentence.is_closed:
                self._ask(typist, sentence)
                typist.sentences.append(sentence := Sentence())
            word = Word(stroke.at, stroke.ended == "sentence")
            self._note_next(typist, stroke.at)
            sentence.words.append(word)
            if stroke.at >= since:
                self.told.words.append(word)
            sentence.is_closed = word.ends_sentence
            sentence.is_typed = place < len(typist.waits) and not word.ends_sentence
            sentence.begin(sentence.is_typed)
            sentence.refinement.is_awaited = sentence.is_closed
        self._ask(typist, sentence)
        if sentence.is_closed:
            typist.sentences.append(Sentence())

    def _note_next(self, typist: Typist, due: float) -> None:
        """The word before has a next one now."""
        before = [sentence for sentence in typist.sentences[-2:] if sentence.words]
        if before:
            before[-1].words[-1].next_due = due

    def _pause(self, typist: Typist) -> None:
        """What is being typed is looked at, if it is not on its way anyhow."""
        typist.pauses.begins_at = None
        if typist.sentence.refinement.is_held and not typist.waits:
            self._add(typist, AttachWords("d", 0, None, None))

    def _take(self, typist: Typist, job: Job, is_done: bool) -> None:
        sentence = self._sentences.pop(job)
        self.told.given_up += not is_done and isinstance(job, Rescore)
        if sentence.take(job, is_done, self.now) and isinstance(job, Rescore):
            typist.parsed_at = self.now
        self._ask(typist, sentence)
        typist.sentences = [one for one in typist.sentences if not one.settled or one is typist.sentence]

    def _ask(self, typist: Typist, sentence: Sentence) -> None:
        job = sentence.job()
        if job:
            self._sentences[job] = sentence
            self._add(typist, job)

    def _add(self, typist: Typist, job: Job) -> None:
        for gone in self.schedule.add(typist, [job], self.now):
            self._found.append((typist, gone, False))

    # --- the thread -----------------------------------------------------------------------------------------

    def _refine(self) -> Iterator[float]:
        lane = self.schedule.lanes[-1]
        while True:
            running = self._refined = self.schedule.start(lane, self.now)
            if running is None:
                yield inf
                continue
            wanted = [not job.is_unwanted for job in running.jobs]
            seconds = self._cost(running.rank, sum(wanted))
            yield seconds
            self.schedule.done(running)
            self.schedule.spend(seconds, self.now)
            for owner, job, is_wanted in zip(running.owners, running.jobs, wanted, strict=True):
                is_done = running.rank is Rank.L1 or not job.interrupt.is_set  # as of projective trees
                self._found.append((owner, job, is_wanted and is_done))

    def _cost(self, rank: Rank, jobs: int) -> float:
        if rank is Rank.L2:
            return self.costs.search * jobs
        return self.costs.parse + self.costs.parse_more * (jobs - 1) if jobs else 0.0


def typists_for(count: int, seconds: float, words_a_minute: float = 80, seed: int = 1) -> list[Typist]:
    """So many of them, who begin within a second and type for a time."""
    speeds = spread_speeds(count, words_a_minute)
    typists = []
    for number, speed in enumerate(speeds):
        source = Random(f"{seed} {number}")
        strokes = by_letters(invented_words(source), speed, source)
        typists.append(Typist(strokes, seconds, source.random()))
    return typists


def simulated(count: int, seconds: float, costs: Costs, since: float = 2.0) -> Told:
    """What becomes of what so many people type in a time, from a moment on when all are at it."""
    told = Told(since)
    server = Server(costs, typists_for(count, seconds), told)
    server.run(seconds + 10.0)
    return told
