from __future__ import annotations

from random import Random
from typing import get_args

import pytest
from cases import cases, each_seed

from treewhile.incremental.sessions.document_edits import TextPositions, units
from treewhile.incremental.sessions.messages import Positions


def code_points(text: str, place: int, positions: Positions) -> int | None:
    """By going through the text."""
    found = [end for end in range(len(text) + 1) if units(text[:end], positions) == place]
    return found[0] if found else None


@pytest.mark.parametrize("positions", get_args(Positions))
@each_seed(cases(20))
def test_places_after_edits_are_those_of_the_text(seed: int, positions: Positions) -> None:
    drawn, text, known = Random(seed), "", TextPositions(positions)
    for _ in range(40):
        start = drawn.randint(0, len(text))
        end = min(len(text), start + drawn.choice([0, 0, 1, 4]))
        new_text = "".join(drawn.choices(["a", "é", "🎉", "\n"], k=drawn.randint(0, 3)))
        known.replace(start, end, new_text)
        text = text[:start] + new_text + text[end:]
        assert len(known) == len(text)
        assert [known.in_units(place) for place in range(len(text) + 1)] == [
            units(text[:place], positions) for place in range(len(text) + 1)
        ]
        for place in range(units(text, positions) + 3):
            assert known.in_code_points(place) == code_points(text, place, positions)
