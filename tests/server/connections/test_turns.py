from __future__ import annotations

from time import perf_counter

from treewhile.server.connections.pacing import (
    LONG_TURN,
    LONGEST_PAUSE,
    SHARE,
    LoopShare,
    TokenBucket,
    pause_after,
)
from treewhile.server.limits import Limits


def test_a_bucket_gives_a_burst_and_then_so_many_a_second() -> None:
    bucket = TokenBucket(10, 3, 0)
    assert [bucket.take(0) for _ in range(5)] == [0, 0, 0, 0.1, 0.2]
    assert [bucket.take(0.3), bucket.take(0.3)] == [0, 0.1]
    assert [bucket.take(100) for _ in range(4)] == [0, 0, 0, 0.1]


def test_short_turns_cost_nothing_and_long_ones_leave_the_loop_to_others() -> None:
    assert pause_after(LONG_TURN / 2) == 0
    turn = 10 * LONG_TURN
    assert turn / (turn + pause_after(turn)) <= SHARE + 1e-9


def test_time_that_was_spent_on_edits_counts_but_one_long_text_is_soon_forgiven() -> None:
    share = LoopShare(Limits())
    assert share.pause_after_message(perf_counter(), 0.0) == 0
    assert share.pause_after_message(perf_counter(), 10 * LONG_TURN) > 10 * LONG_TURN
    assert share.pause_after_message(perf_counter(), 60.0) == LONGEST_PAUSE
