from __future__ import annotations

from typing import Any

import pytest
from searchers import Relabelling
from shells import MakeModel, Shell, fresh_text, heads_of, last, opened

from treewhile.incremental.parsers.nodes import LATER
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.search import Searcher
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    Edit,
    Finish,
    Open,
    OptionChanges,
)
from treewhile.incremental.sessions.session import Session


class Typist:
    """Types letters into a document of text, a tenth of a second apart."""

    def __init__(
        self, model: Model, searcher: Searcher | None = None, text: str = "", **options: Any
    ) -> None:
        self.shell, self.text = Shell(Session(model, searcher)), text
        self.now, self.version = 0.0, 0
        self.shell.send(Open("d", 0, text=text, options=OptionChanges(**options)))
        self.shell.settle()

    def type(self, letters: str, at: int | None = None) -> None:
        at = len(self.text) if at is None else at
        for place, letter in enumerate(letters, at):
            self.edit(place, place, letter)

    def edit(self, start: int, end: int, new: str) -> None:
        self.now, self.version = self.now + 0.1, self.version + 1
        self.text = self.text[:start] + new + self.text[end:]
        self.shell.session.tick(self.now)
        self.shell.send(Edit("d", self.version, start, end, new))
        self.shell.settle()

    def pause(self) -> None:
        self.shell.pause()
        self.now = max(self.now, self.version / 10 + 1)

    @property
    def last(self) -> AnalysisMessage:
        return last(self.shell, len(self.shell.client.sentences) - 1)


def test_arcs_of_earlier_words_stand_still_inside_a_word_and_nothing_is_refined() -> None:
    typist = Typist(load_model("en"))
    typist.type("The old dog that Peter ")
    before = heads_of(typist.last)
    told = len(typist.shell.client.analyses)
    typist.type("sees")
    inside = typist.shell.client.analyses[told:]
    assert [analysis.words[-1].form for analysis in inside] == ["s", "se", "see", "sees"]
    assert {(analysis.stage, *analysis.levels) for analysis in inside} == {("initial", "L0")}
    bound = {head: 6 for head in before if head == LATER or head < 0}
    for analysis in inside:
        for head, shown in zip(before, heads_of(analysis), strict=False):
            assert shown in (head, bound.get(head, head))
    typist.type(" ")
    assert (typist.last.stage, typist.last.levels) == ("settled", ["L0", "L1"])
    assert typist.shell.client.answered == [*range(typist.version + 1)]


def test_a_pause_inside_a_word_refines_it_and_the_next_letter_changes_no_arc() -> None:
    typist = Typist(load_model("en"))
    typist.type("Peter drives a red ca")
    assert typist.last.stage == "initial"
    assert typist.shell.session.wake_at == pytest.approx(typist.now + 0.25)
    typist.pause()
    assert typist.last.stage == "settled"
    assert typist.shell.session.wake_at is None
    before = heads_of(typist.last)
    typist.type("r")
    assert (typist.last.stage, heads_of(typist.last)) == ("initial", before)


def test_letters_typed_into_the_middle_leave_the_other_arcs_alone() -> None:
    typist = Typist(load_model("en"), text="The dog sees a cat. It barks.\n")
    typist.pause()
    before = heads_of(last(typist.shell, 0))
    typist.type("s", at=7)
    assert (heads_of(last(typist.shell, 0)), last(typist.shell, 0).stage) == (before, "initial")
    typist.type(" big", at=3)  # a word of its own, whose arc is the only new one
    shown = heads_of(last(typist.shell, 0))
    assert len(shown) == len(before) + 1
    assert all(isinstance(head, int) and head >= 0 for head in shown)
    typist.pause()
    assert typist.shell.state("d") == fresh_text(load_model("en"), typist.text)


def test_the_word_that_was_typed_is_refined_once_the_caret_is_elsewhere() -> None:
    typist = Typist(load_model("en"), text="The dog barks\n\nThe cat sleeps")
    typist.type("s", at=13)
    assert last(typist.shell, 0).stage == "initial"
    typist.type("s", at=len(typist.text))
    assert [last(typist.shell, place).stage for place in (0, 1)] == ["final", "initial"]


@pytest.mark.parametrize("model_name", ["en", "af"])
def test_what_letters_end_with_is_what_the_whole_text_gives(model_name: str) -> None:
    model = load_model(model_name)
    typist = Typist(model)
    typist.type("Peter was hier. Sy sien 'n hond (3,5 m")
    typist.edit(len(typist.text) - 3, len(typist.text), "")
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_conflicts_do_not_come_and_go_with_every_letter(make_model: MakeModel) -> None:
    typist = Typist(make_model(seed=2), Relabelling(), text="the old dog")
    before = typist.last.conflicts
    assert before
    typist.type(" b")
    assert typist.last.words[-1].form == "b"
    assert typist.last.conflicts == [conflict for conflict in before if 4 not in conflict.words]


def test_a_time_limit_counts_from_the_end_of_the_word(model: Model) -> None:
    typist = Typist(model, text="the old", time_limit=0.05)
    typist.type(" d")
    typist.shell.session.tick(typist.now + 0.2)
    assert not typist.last.cut_short
    typist.type("og ")
    assert (typist.last.stage, typist.last.cut_short) == ("settled", False)


def test_a_full_stop_and_a_pause_make_a_whole_sentence_which_the_next_word_may_open_again() -> None:
    model = load_model("en")
    typist = Typist(model)
    typist.type("The dog barks .")
    assert not typist.last.whole
    typist.pause()
    best = model.parse(["The", "dog", "barks", "."])
    assert (typist.last.whole, typist.last.stage, typist.last.virtual) == (True, "settled", [])
    assert heads_of(typist.last) == [*best.heads]
    assert typist.last.stable_upto == 0, "it is not final"
    typist.type(" ")
    assert typist.last.whole, "white space does not open it"
    typist.type("5")
    typist.pause()
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_a_sentence_without_its_full_stop_stays_open() -> None:
    typist = Typist(load_model("en"))
    typist.type("The dog barks")
    typist.pause()
    assert (typist.last.whole, typist.last.stage) == (False, "settled")
    typist.type("! ")
    typist.pause()
    assert typist.last.whole


def test_a_whole_sentence_that_goes_on_is_as_if_nobody_had_paused() -> None:
    model = load_model("en")
    typist = Typist(model)
    typist.type("It costs 3 .")
    typist.pause()
    assert typist.last.whole
    typist.edit(len(typist.text) - 1, len(typist.text), "euros")
    typist.pause()
    assert not typist.last.whole
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_given_words_are_whole_where_they_are_finished_alone() -> None:
    shell = opened(load_model("en"), ["The", "dog", "barks", "."])
    shell.pause()
    assert not last(shell).whole
    shell.send(Finish("d", 2))
    shell.settle()
    assert (last(shell).whole, last(shell).stage) == (True, "final")
