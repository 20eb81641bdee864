from __future__ import annotations

import socket

from treewhile.server.process.workers import LONGEST_PAUSE, STEADY_SECONDS, Worker


def pauses_of(worker: Worker, lives: list[float]) -> list[float]:
    """What it waits after lives of these seconds."""
    found, now = [], 100.0
    for seconds in lives:
        worker.begin(now).close()
        now += seconds
        worker.bury()
        found.append(worker.wait_for_next(now))
        now += found[-1]
    return found


def test_one_that_dies_again_and_again_waits_longer_and_longer_but_not_for_ever() -> None:
    pauses = pauses_of(Worker(0), [1.0] * 10)
    assert pauses[:4] == [0.25, 0.5, 1.0, 2.0]
    assert pauses[-1] == LONGEST_PAUSE


def test_after_a_steady_life_the_next_one_begins_at_once() -> None:
    assert pauses_of(Worker(0), [1.0, 1.0, STEADY_SECONDS, 1.0]) == [0.25, 0.5, 0.0, 0.25]


def test_in_a_long_pause_its_clients_reach_others() -> None:
    worker = Worker(0, [socket.socket()])
    pauses_of(worker, [1.0] * 3)
    assert worker.sockets
    pauses_of(worker, [1.0])
    assert worker.sockets == []


def test_what_it_says_comes_in_whole_lines_until_it_is_mute() -> None:
    worker = Worker(0)
    theirs = worker.begin(0.0)
    theirs.send(b"desk\nhttp://127")
    assert worker.told() == [b"desk"]
    theirs.send(b".0.0.1/\n")
    assert worker.told() == [b"http://127.0.0.1/"]
    assert worker.is_heard
    theirs.close()
    assert worker.told() == []
    assert not worker.is_heard
    worker.bury()
