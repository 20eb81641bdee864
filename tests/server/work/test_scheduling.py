from __future__ import annotations

import random
from typing import Any

import pytest
from cases import cases, each_seed

from treewhile.incremental.sessions.jobs import Job, Rank, Rescore, Search, Weigh
from treewhile.server.work.scheduling import (
    AT_ONCE,
    BUDGET,
    HEAD_START,
    JOBS_TOGETHER,
    LOOP,
    PATIENCE,
    REFUSE,
    WORDS_AT_ONCE,
    WORDS_TOGETHER,
    Running,
    Schedule,
)

ATTACH, STEPS, PASTED, L1, L2 = Rank


class Work(Job):
    def __init__(self, rank: Rank, name: object = None, batch: str | None = None, words: int = 0) -> None:
        super().__init__("document", 0, None, None)
        self.rank, self.name = rank, name
        self.batch_name, self.word_count = batch, words

    @property
    def batch(self) -> str | None:
        return self.batch_name

    @property
    def words(self) -> int:
        return self.word_count

    def _work(self, interrupt: Any) -> object:
        return self.name


class Somebody:
    def __init__(self, name: str = "") -> None:
        self.name = name

    def job_done(self, job: Job, result: object) -> None:
        raise AssertionError("a schedule runs nothing")


def start(schedule: Schedule[Somebody], now: float = 0.0) -> Running[Somebody] | None:
    """What the loop takes, or the first free thread that has something to do."""
    for lane in (LOOP, *schedule.lanes):
        busy = sum(running.rank in lane.ranks for running in schedule.running)
        if busy < lane.threads and (running := schedule.start(lane, now)):
            return running
    return None


def started(schedule: Schedule[Somebody], now: float = 0.0) -> Running[Somebody]:
    running = start(schedule, now)
    assert running
    return running


def order(schedule: Schedule[Somebody], now: float = 0.0) -> list[Running[Somebody]]:
    """What one thread a lane runs, one after the other."""
    found = []
    while running := start(schedule, now):
        schedule.done(running)
        found.append(running)
    return found


def jobs_in_order(schedule: Schedule[Somebody], now: float = 0.0) -> list[Job]:
    return [job for running in order(schedule, now) for job in running.jobs]


def test_first_analyses_come_first_then_steps_then_refinements() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(L2), Work(L1), Work(PASTED), Work(STEPS), Work(ATTACH)], 0)
    assert [running.rank for running in order(schedule)] == [ATTACH, STEPS, PASTED, L1, L2]


@pytest.mark.parametrize("rank", [ATTACH, L2])
def test_within_a_rank_sessions_take_turns(rank: Rank) -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    paste, typist, other = Somebody("paste"), Somebody("typist"), Somebody("other")
    schedule.add(paste, [Work(rank) for _ in range(4)], 0)
    schedule.add(typist, [Work(rank)], 0)
    schedule.add(other, [Work(rank), Work(rank)], 0)
    names = [owner.name for running in order(schedule) for owner in running.owners]
    assert names == ["paste", "typist", "other", "paste", "other", "paste", "paste"]


def test_a_session_gets_its_jobs_in_the_order_in_which_it_asked() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(L1, number) for number in range(5)], 0)
    assert [job.run() for job in jobs_in_order(schedule)] == [0, 1, 2, 3, 4]


def waiting(*jobs: Work) -> Schedule[Somebody]:
    """A schedule in which each job is of another owner."""
    schedule: Schedule[Somebody] = Schedule(2)
    for job in jobs:
        schedule.add(Somebody(), [job], 0)
    return schedule


def names_together(schedule: Schedule[Somebody]) -> list[list[object]]:
    return [[job.run() for job in running.jobs] for running in order(schedule)]


def test_jobs_of_a_batch_that_are_next_go_together() -> None:
    english = [Work(L1, number, "en", 10) for number in range(3)]
    schedule = waiting(*english[:2], Work(L1, "fr", "fr", 10), english[2], Work(L1, "alone"), Work(L1, "too"))
    assert names_together(schedule) == [[0, 1], ["fr"], [2], ["alone"], ["too"]]


def test_nobody_is_overtaken_by_who_has_more_jobs_for_a_batch() -> None:
    schedule = waiting(Work(L1, "one", "en"), Work(L1, "other", "en"))
    many = Somebody()
    schedule.add(many, [Work(L1, number, "en") for number in range(JOBS_TOGETHER)], 0)
    assert names_together(schedule) == [["one", "other", *range(JOBS_TOGETHER - 2)], [6, 7]]


def test_a_batch_counts_as_one_thread_and_first_analyses_need_not_wait_for_it() -> None:
    schedule = waiting(*(Work(L1, number, "en") for number in range(4)))
    assert len(started(schedule).jobs) == 4
    schedule.add(Somebody(), [Work(ATTACH)], 0)
    assert started(schedule).rank == ATTACH


def test_only_the_job_of_who_has_gone_is_stopped_in_a_batch() -> None:
    jobs, owners = [Work(L1, number, "en") for number in range(3)], [Somebody() for _ in range(3)]
    schedule: Schedule[Somebody] = Schedule(2)
    for owner, job in zip(owners, jobs, strict=True):
        schedule.add(owner, [job], 0)
    assert started(schedule).jobs == jobs
    schedule.drop(owners[1])
    assert [job.interrupt.is_set for job in jobs] == [False, True, False]


def test_while_the_first_thread_is_stuck_others_take_steps() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    schedule.add(Somebody("teacher"), [Work(STEPS)], 0)
    schedule.add(Somebody("reader"), [Work(L2)], 0)
    assert [started(schedule).rank, started(schedule).rank] == [STEPS, L2]
    schedule.add(Somebody("pupil"), [Work(STEPS)], 0)
    refining = schedule.lanes[1]
    soon, late = STEPS.slice_seconds / 2, STEPS.slice_seconds
    schedule.stop_for_others(soon)
    searches = [one for one in schedule.running if one.rank == L2]
    assert not searches[0].jobs[0].interrupt.is_set
    assert schedule.start(refining, soon) is None
    schedule.stop_for_others(late)
    assert searches[0].jobs[0].interrupt.is_set
    taken = schedule.start(refining, late)
    assert taken
    assert [owner.name for owner in taken.owners] == ["pupil"]
    assert not schedule.is_stuck(late)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_paste_takes_turns_with_refinements(threads: int) -> None:
    schedule: Schedule[Somebody] = Schedule(threads)
    paste, reader = Somebody(), Somebody()
    schedule.add(reader, [Work(L1), Work(L2)], 0)
    ranks = []
    for _ in range(4):
        schedule.add(paste, [Work(PASTED)], 0)
        running = started(schedule)
        schedule.done(running)
        ranks.append(running.rank)
    assert ranks == [PASTED, L1, PASTED, L2]


def test_a_long_paste_takes_turns_with_refinements_while_others_type() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    paste, reader = Somebody(), Somebody()
    schedule.add(reader, [Work(L1), Work(L2)], 0)
    ranks = []
    for _ in range(8):
        schedule.add(paste, [Work(PASTED)], 0)
        schedule.add(Somebody(), [Work(ATTACH)], 0)
        for lane in (LOOP, schedule.lanes[1]):
            running = schedule.start(lane, 0)
            assert running
            schedule.done(running)
            ranks.append(running.rank)
    assert [rank for rank in ranks if rank != ATTACH][:4] == [PASTED, L1, PASTED, L2]
    assert ranks.count(ATTACH) == 8


def test_too_many_pastes_are_overload_too() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    for _ in range(100):
        schedule.add(Somebody(), [Work(PASTED)], 100 - 2 * REFUSE)
        schedule.done(started(schedule, 100))
    assert schedule.refuses(100)
    assert not schedule.is_loaded(100)  # nobody who types waits
    assert not schedule.refuses(102)


def test_first_analyses_are_for_the_loop_and_never_for_a_thread() -> None:
    schedule: Schedule[Somebody] = Schedule(3)
    for _ in range(3):
        schedule.add(Somebody(), [Work(ATTACH)], 0)
    assert [schedule.start(lane, 0) for lane in schedule.lanes] == [None, None]
    assert [start(schedule) is not None for _ in range(2)] == [True, False]
    schedule.add(Somebody(), [Work(L1)], 0)
    assert started(schedule).rank == L1


def test_the_loop_finds_short_best_parses_behind_first_analyses() -> None:
    schedule, long = waiting(Work(L1, words=WORDS_AT_ONCE), Work(ATTACH)), Work(L1, words=WORDS_AT_ONCE + 1)
    assert schedule.start(AT_ONCE, 0) is None, "a first analysis waits"
    assert started(schedule).rank == ATTACH
    short = schedule.start(AT_ONCE, 0)
    assert short
    assert short.rank == L1
    schedule.done(short)
    schedule.add(Somebody(), [long], 0)
    assert schedule.start(AT_ONCE, 0) is None
    assert started(schedule).jobs == [long], "it is for a thread"


@pytest.mark.parametrize("kind", [Search, Weigh])
def test_what_may_take_long_runs_in_slices_on_a_thread(kind: type[Job]) -> None:
    schedule = waiting(Work(kind.rank, words=1))
    assert schedule.start(AT_ONCE, 0) is None
    running = started(schedule)
    assert running.is_slice_over(0.03)
    assert not Running(running.owners, [Work(Rescore.rank)], 0).is_slice_over(0.03)


def test_the_loop_leaves_best_parses_to_threads_while_first_analyses_wait_for_long() -> None:
    schedule = overloaded(4 * PATIENCE)
    schedule.add(Somebody(), [Work(L1, words=1)], 100)
    assert schedule.is_loaded(100)
    assert schedule.start(AT_ONCE, 100) is None
    assert started(schedule, 100).rank == L1
    schedule.add(Somebody(), [Work(L1, words=1)], 110)
    assert schedule.start(AT_ONCE, 110)


def test_who_has_ended_a_sentence_has_its_best_parse_from_the_loop_under_any_load() -> None:
    schedule = overloaded(4 * PATIENCE)
    schedule.add(Somebody("reader"), [awaited()], 100)
    schedule.add(Somebody("typist"), [Work(ATTACH), Work(L1, words=1)], 100)
    found = schedule.start(AT_ONCE, 100)
    assert found
    assert [owner.name for owner in found.owners] == ["reader"]
    schedule.done(found)
    assert schedule.start(AT_ONCE, 100) is None
    schedule.spend(BUDGET, 100)
    schedule.add(Somebody("reader"), [awaited()], 100)
    assert schedule.start(AT_ONCE, 100) is None, "within its budget"


def test_a_batch_in_the_loop_is_short() -> None:
    schedule = waiting(*(Work(L1, batch="en", words=WORDS_AT_ONCE // 2) for _ in range(3)))
    running = schedule.start(AT_ONCE, 0)
    assert running
    assert len(running.jobs) == 2


def test_one_thread_is_kept_free_of_refinements() -> None:
    schedule: Schedule[Somebody] = Schedule(3)
    schedule.add(Somebody(), [Work(L2) for _ in range(5)], 0)
    assert [start(schedule) is not None for _ in range(3)] == [True, True, False]
    schedule.add(Somebody(), [Work(ATTACH)], 0)
    assert started(schedule).rank == ATTACH


def test_steps_stop_a_refinement_if_all_threads_are_busy() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(L2)], 0)
    search = started(schedule)
    schedule.stop_for_others(10)
    assert not search.jobs[0].interrupt.is_set
    schedule.add(Somebody(), [Work(STEPS)], 10)
    schedule.stop_for_others(10)
    assert search.jobs[0].interrupt.is_set


@pytest.mark.parametrize("rank", [ATTACH, STEPS])
def test_who_types_stops_nothing_if_the_loop_or_a_thread_is_free(rank: Rank) -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    schedule.add(Somebody(), [Work(L2)], 0)
    search = started(schedule)
    schedule.add(Somebody(), [Work(rank)], 0)
    schedule.stop_for_others(0)
    assert not search.jobs[0].interrupt.is_set


@pytest.mark.parametrize("rank", [STEPS, L1, L2])
def test_a_slice_ends_when_it_is_over_and_others_of_the_rank_wait(rank: Rank) -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(rank)], 0)
    first = started(schedule)
    schedule.stop_for_others(100)
    assert not first.jobs[0].interrupt.is_set
    schedule.add(Somebody(), [Work(rank)], 0)
    schedule.stop_for_others(rank.slice_seconds / 2)
    assert not first.jobs[0].interrupt.is_set
    schedule.stop_for_others(rank.slice_seconds)
    assert first.jobs[0].interrupt.is_set


def test_a_search_makes_room_for_l1_but_neither_for_refinements_of_less_worth() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    schedule.add(Somebody(), [Work(L2)], 0)
    search = started(schedule)
    schedule.add(Somebody(), [Work(L1)], 0)
    schedule.stop_for_others(0)
    assert search.jobs[0].interrupt.is_set
    schedule.done(search)
    rescoring = started(schedule)
    assert rescoring.rank == L1
    schedule.add(Somebody(), [Work(L2)], 0)
    schedule.stop_for_others(100)
    assert not rescoring.jobs[0].interrupt.is_set


def test_a_best_parse_loses_what_it_has_done_to_who_waits_for_steps_alone() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(L1)], 0)
    rescoring = started(schedule)
    for rank in (PASTED, L1, L2):
        schedule.add(Somebody(), [Work(rank)], 0)
        schedule.stop_for_others(L1.slice_seconds / 2)
        assert not rescoring.jobs[0].interrupt.is_set
    schedule.add(Somebody(), [Work(STEPS)], 0)
    schedule.stop_for_others(0)
    assert rescoring.jobs[0].interrupt.is_set


def test_a_paste_stops_a_best_parse_that_takes_longer_than_its_slice() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(L1)], 0)
    rescoring = started(schedule)
    schedule.add(Somebody(), [Work(PASTED)], 0)
    schedule.stop_for_others(L1.slice_seconds)
    assert rescoring.jobs[0].interrupt.is_set


def test_waiting_refinements_never_stop_first_analyses() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(ATTACH)], 0)
    attaching = started(schedule)
    schedule.add(Somebody(), [Work(STEPS), Work(L1), Work(L2)], 0)
    schedule.stop_for_others(100)
    assert not attaching.jobs[0].interrupt.is_set


def test_superseded_refinements_are_given_back_and_never_run() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    typist = Somebody()
    old, attach = [Work(L1), Work(L2)], Work(ATTACH)
    schedule.add(typist, [*old, attach], 0)
    for job in (*old, attach):
        job.interrupt.set()
    new = Work(L1)
    assert schedule.add(typist, [new], 0) == old
    # words are never lost: what attaches them runs, however late it is
    assert jobs_in_order(schedule) == [attach, new]


def test_work_of_a_session_that_has_ended_is_dropped() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    gone, other = Somebody(), Somebody()
    schedule.add(gone, [Work(L2)], 0)
    running = started(schedule)
    schedule.add(gone, [Work(rank) for rank in Rank], 0)
    schedule.add(other, [Work(L1)], 0)
    assert schedule.owes(gone)
    schedule.drop(gone)
    assert running.jobs[0].interrupt.is_set
    schedule.done(running)
    assert not schedule.owes(gone)
    assert [one.owners for one in order(schedule)] == [[other]]


def test_a_session_is_owed_first_analyses_and_steps_not_refinements() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    typist = Somebody()
    schedule.add(typist, [Work(ATTACH), Work(L2)], 0)
    attaching = started(schedule)
    assert schedule.owes(typist)
    schedule.done(attaching)
    assert not schedule.owes(typist)


def overloaded(wait: float, now: float = 100.0) -> Schedule[Somebody]:
    """A schedule whose first analyses have all waited so long, with refinements that wait, too."""
    schedule: Schedule[Somebody] = Schedule(2)
    for _ in range(100):
        schedule.add(Somebody(), [Work(ATTACH)], now - wait)
        schedule.done(started(schedule, now))
    schedule.add(Somebody(), [Work(L1), Work(L2)], now)
    return schedule


def test_under_load_refinements_keep_to_a_budget_and_first_analyses_are_always_done() -> None:
    calm, busy, overfull = overloaded(PATIENCE / 2), overloaded(2 * PATIENCE), overloaded(2 * REFUSE)
    assert [one.is_loaded(100) for one in (calm, busy, overfull)] == [False, True, True]
    assert [one.refuses(100) for one in (calm, busy, overfull)] == [False, False, True]
    assert [running.rank for running in order(calm, 100)] == [L1, L2]
    for schedule in (busy, overfull):
        assert [running.rank for running in order(schedule, 100)] == [L1], "a search can wait"
        schedule.spend(2 * BUDGET, 100)
        schedule.add(Somebody(), [Work(L1), Work(ATTACH), Work(STEPS)], 100)
        assert [running.rank for running in order(schedule, 100)] == [ATTACH, STEPS]


@pytest.mark.parametrize("load", [1.25, 2.5])
def test_what_refinements_may_take_under_load_is_a_share_of_the_time(load: float) -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    spent, work = 0.0, 0.01
    for step in range(1000):
        now = step * work
        schedule.add(Somebody(), [Work(ATTACH), Work(L1)], now - load * PATIENCE)
        schedule.done(started(schedule, now))
        if running := schedule.start(schedule.lanes[1], now):
            schedule.done(running)
            schedule.spend(work, now + work)
            spent += work
    assert spent / (1000 * work) == pytest.approx(BUDGET / load, rel=0.4)
    assert schedule.refining(1000 * work) == pytest.approx(BUDGET / load, rel=0.4)
    assert schedule.refining(2000 * work) < 0.01


def test_the_longer_first_analyses_wait_the_less_is_left_but_for_who_has_ended_a_sentence() -> None:
    schedule = overloaded(20 * PATIENCE)
    schedule.spend(0.1 * BUDGET, 100)
    assert start(schedule, 100) is None
    jobs = [Work(L1, batch="en"), awaited(), awaited()]
    for job in jobs:
        job.batch_name = "en"
        schedule.add(Somebody(), [job], 100)
    assert started(schedule, 100).jobs == jobs[1:]
    assert start(schedule, 100) is None
    schedule.spend(2 * BUDGET, 100)
    schedule.add(Somebody(), [awaited()], 100)
    assert start(schedule, 100) is None, "all of the budget is used up"


def test_one_hiccup_is_no_overload() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    schedule.add(Somebody(), [Work(ATTACH)], 0)
    schedule.done(started(schedule, 5 * PATIENCE))
    assert not schedule.is_loaded(5 * PATIENCE)


# --- whose best parse is next -------------------------------------------------------------------------------


def awaited(rank: Rank = L1) -> Work:
    job = Work(rank)
    job.is_awaited = True
    return job


def served(schedule: Schedule[Somebody], now: float) -> str:
    """Who has the next best parse."""
    running = schedule.start(schedule.lanes[1], now)
    assert running
    schedule.done(running)
    return running.owners[0].name


def test_who_had_a_best_parse_longest_ago_has_the_next() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    first, second, third = Somebody("first"), Somebody("second"), Somebody("third")
    for now, owner in enumerate((first, second, third)):
        schedule.add(owner, [Work(L1)], now)
        assert served(schedule, now) == owner.name
    for owner in (third, second, first):
        schedule.add(owner, [Work(L1)], 4)
    assert [served(schedule, 5) for _ in range(3)] == ["first", "second", "third"]


def test_who_asks_again_for_what_was_superseded_keeps_the_turn() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    patient, other = Somebody("patient"), Somebody("other")
    old = Work(L1)
    schedule.add(patient, [old], 0)
    schedule.add(other, [Work(L1)], 1)
    old.is_superseded = True
    assert schedule.add(patient, [Work(L1)], 2) == [old]
    assert [served(schedule, 3) for _ in range(2)] == ["patient", "other"]


def test_who_has_ended_a_sentence_goes_ahead_but_nobody_starves() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    writer, ender = Somebody("writer"), Somebody("ender")
    schedule.add(writer, [Work(L1)], 0)
    names, now = [], 0.0
    while "writer" not in names:
        now += 0.5
        schedule.add(ender, [awaited()], now)
        names.append(served(schedule, now))
    assert now == pytest.approx(HEAD_START + 0.5)


def test_a_session_with_much_to_refine_takes_turns_with_others() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    paste, typist = Somebody("paste"), Somebody("typist")
    schedule.add(paste, [Work(L1) for _ in range(4)], 0)
    assert served(schedule, 0) == "paste"
    schedule.add(typist, [Work(L1)], 0.1)
    assert [served(schedule, now) for now in (0.2, 0.3)] == ["paste", "typist"]
    schedule.add(typist, [Work(L1)], 0.4)
    assert [served(schedule, now) for now in (0.5, 0.6)] == ["paste", "typist"]


def test_what_is_awaited_goes_first_in_its_session() -> None:
    schedule: Schedule[Somebody] = Schedule(2)
    job = awaited()
    schedule.add(Somebody(), [Work(L1), job], 0)
    assert started(schedule).jobs == [job]


def test_who_waits_now_counts_before_it_is_known_how_long() -> None:
    schedule: Schedule[Somebody] = Schedule(1)
    schedule.add(Somebody(), [Work(ATTACH)], 0)
    assert schedule.waited(2 * REFUSE) == 2 * REFUSE
    assert schedule.refuses(2 * REFUSE)


def random_work(source: random.Random) -> Work:
    return Work(source.choice([*Rank]), batch=source.choice([None, "en", "fr"]), words=source.randint(0, 60))


@each_seed(cases(20))
def test_every_job_runs_or_is_given_back_once(seed: int) -> None:
    source = random.Random(seed)
    schedule: Schedule[Somebody] = Schedule(source.randint(1, 3))
    owners = [Somebody(str(number)) for number in range(4)]
    given: list[Job] = []
    ended: list[Job] = []
    running: list[Running[Somebody]] = []
    for now in range(200):
        if source.random() < 0.5:
            jobs: list[Job] = [random_work(source) for _ in range(source.randint(0, 3))]
            given += jobs
            ended += schedule.add(source.choice(owners), jobs, now / 1000)
        if source.random() < 0.2 and given:
            source.choice(given).interrupt.set()
        if source.random() < 0.5 and (more := start(schedule, now / 1000)):
            running.append(more)
        if source.random() < 0.5 and running:
            done = running.pop(source.randrange(len(running)))
            schedule.done(done)
            ended += done.jobs
        schedule.stop_for_others(now / 1000)
        under_way = sum(len(one.jobs) for one in running)
        assert sum(schedule.lengths.values()) + under_way + len(ended) == len(given)
    assert len(set(map(id, ended))) == len(ended)


def test_a_batch_has_an_end() -> None:
    schedule = waiting(*(Work(L1, number, "en", 1) for number in range(2 * JOBS_TOGETHER + 1)))
    assert [len(names) for names in names_together(schedule)] == [JOBS_TOGETHER, JOBS_TOGETHER, 1]
    half = WORDS_TOGETHER // 2
    schedule = waiting(*(Work(L1, words, "en", words) for words in (half, half, half, 3 * half, 1, 1)))
    assert names_together(schedule) == [[half, half], [half], [3 * half], [1, 1]]


@pytest.mark.parametrize("threads", range(1, 5))
def test_each_rank_has_threads_in_one_lane(threads: int) -> None:
    lanes = Schedule(threads).lanes
    assert [rank for lane in (LOOP, *lanes) for rank in lane.ranks] == [ATTACH, STEPS, PASTED, L1, L2]
    assert sum(lane.threads for lane in lanes) == threads
