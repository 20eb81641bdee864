from __future__ import annotations

from treewhile.server.connections.turns import LONG_TURN, SHARE, TokenBucket, pause_after


def test_a_bucket_gives_a_burst_and_then_so_many_a_second() -> None:
    bucket = TokenBucket(10, 3, 0)
    assert [bucket.take(0) for _ in range(5)] == [0, 0, 0, 0.1, 0.2]
    assert [bucket.take(0.3), bucket.take(0.3)] == [0, 0.1]
    assert [bucket.take(100) for _ in range(4)] == [0, 0, 0, 0.1]


def test_short_turns_cost_nothing_and_long_ones_leave_the_loop_to_others() -> None:
    assert pause_after(LONG_TURN / 2) == 0
    turn = 10 * LONG_TURN
    assert turn / (turn + pause_after(turn)) <= SHARE + 1e-9
