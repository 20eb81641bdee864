"""Units follow analyses: what is the same stays, arcs go before their words, what is committed stays."""

from __future__ import annotations

import random

import pytest
from cases import cases, each_seed
from reach import Reached
from recognizers import Replay

from treewhile.incremental.transcripts.units import ArcUnit, TurnUnits, UnitEdit, WordUnit, joined_edits
from treewhile.incremental.transcripts.updates import Update


def words(text: str) -> list[WordUnit]:
    return [WordUnit(0, number, form) for number, form in enumerate(text.split(), 1)]


def told(edits: list[UnitEdit]) -> list[str]:
    return [
        f"{edit.kind} {edit.unit.form}"
        if isinstance(edit.unit, WordUnit)
        else f"{edit.kind} {edit.unit.word}<-{edit.unit.head}"
        for edit in edits
    ]


def test_a_word_that_is_revised_takes_the_arcs_that_touch_it_along() -> None:
    units = TurnUnits()
    arcs = [ArcUnit(0, 1, 2, "det"), ArcUnit(0, 2, 3, "nsubj"), ArcUnit(0, 3, 0, "root")]
    assert told(units.become(words("the dock barks"), arcs, 0)) == [
        *["add the", "add dock", "add barks"],
        *["add 1<-2", "add 2<-3", "add 3<-0"],
    ]
    assert told(units.become(words("the dog barks"), arcs, 3)) == [
        *["revoke 2<-3", "revoke 1<-2", "revoke dock", "add dog", "add 1<-2", "add 2<-3"],
        *["commit the", "commit dog", "commit barks", "commit 1<-2", "commit 2<-3", "commit 3<-0"],
    ]
    assert units.become(words("the dog barks"), arcs, 3) == []


def test_another_label_is_another_arc() -> None:
    units = TurnUnits()
    units.become(words("dog"), [ArcUnit(0, 1, 0, "root")], 0)
    assert told(units.become(words("dog"), [ArcUnit(0, 1, 0, "vocative")], 0)) == ["revoke 1<-0", "add 1<-0"]


def test_all_that_stands_can_be_committed() -> None:
    units = TurnUnits()
    units.become(words("old dog"), [ArcUnit(0, 2, 0, "root")], 1)
    assert told(units.commit_all()) == ["commit dog", "commit 2<-0"]


def test_all_that_stands_can_be_revoked() -> None:
    units = TurnUnits()
    units.become(words("old dog"), [ArcUnit(0, 1, 2, "amod"), ArcUnit(0, 2, 0, "root")], 1)
    assert told(units.revoke_all()) == ["revoke 2<-0", "revoke 1<-2", "revoke dog", "revoke old"]


@pytest.mark.reaches(0.9)
@each_seed(cases(50))
def test_edits_that_are_joined_lead_where_all_of_them_lead(seed: int, reached: Reached) -> None:
    source, units = random.Random(seed), TurnUnits()
    parts = [random_edits(source, units) for _ in range(8)]
    whole, joined = Replay(), Replay()
    begin = source.randint(1, 4)
    together: list[UnitEdit] = []
    for part in parts[begin:]:
        together = joined_edits(together, part)
    for replay, told_so in ((whole, parts), (joined, [*parts[:begin], together])):
        for edits in told_so:
            replay.take(Update(0, "", [], edits, None, is_over=False))
    assert vars(joined) == vars(whole)
    reached(len(together) < sum(map(len, parts[begin:])))


def random_edits(source: random.Random, units: TurnUnits) -> list[UnitEdit]:
    """Those to some words, of which the first three stay, and to any arcs among them."""
    forms = ["so", "it", "is", *source.choices(["dog", "dock", "cat"], k=source.randint(0, 4))]
    heads = [
        source.choice([head for head in range(len(forms) + 1) if head != n]) for n in range(4, len(forms) + 1)
    ]
    arcs = [ArcUnit(0, n, head, "dep") for n, head in enumerate([2, 0, 2, *heads], 1)]
    return units.become(words(" ".join(forms)), arcs, source.randint(0, 3))
