from __future__ import annotations

import pytest

from treewhile.incremental.sessions.messages import Append, Open
from treewhile.oracles.errors import InputError
from treewhile.server.stores.records import Record, decoded, encoded, joined, owner_of

WHOLE = Record("me", 1, "tiny", 1, True, [Open("d", 0, words=["dog", "cat", "old", "the", "sees"])])
NEXT = Record("me", 2, "tiny", 2, False, [Append("d", 1, ["cat"])])


@pytest.mark.parametrize("place", range(0, 40, 3))
def test_damage_is_noticed(place: int) -> None:
    blob = bytearray(encoded(WHOLE))
    blob[place] ^= 1
    with pytest.raises(InputError, match="damaged"):
        decoded(bytes(blob))
    assert owner_of(bytes(blob)) == ""


def test_records_of_a_row_are_joined_from_the_last_whole_one_on() -> None:
    old = Record("other", 1, "tiny", 7, True, [Open("e", 0, words=["old"])])
    whole = joined([encoded(one) for one in (old, WHOLE, NEXT)])
    words = ["dog", "cat", "old", "the", "sees", "cat"]
    assert whole == Record("me", 2, "tiny", 2, True, [Open("d", 1, words=words)])


def test_rows_without_a_beginning_or_a_part_are_refused() -> None:
    with pytest.raises(InputError, match="has no beginning"):
        joined([encoded(NEXT)])
    later = Record("me", 2, "tiny", 4, False, [Append("d", 3, ["cat"])])
    with pytest.raises(InputError, match="a part is missing"):
        joined([encoded(one) for one in (WHOLE, NEXT, later)])
