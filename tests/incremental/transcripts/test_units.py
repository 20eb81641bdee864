"""Units follow analyses: what is the same stays, arcs go before their words, what is committed stays."""

from __future__ import annotations

from treewhile.incremental.transcripts.units import ArcUnit, TurnUnits, UnitEdit, WordUnit


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
