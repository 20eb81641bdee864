from __future__ import annotations

import random
from typing import Any

import pytest
from cases import cases, each, each_seed
from reach import Reached
from searchers import Relabelling
from shells import MakeModel, Shell, fresh_text, heads_of, last, opened

from treewhile.incremental.parsers.nodes import LATER
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.search import Searcher
from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    AskSteps,
    DeltaMessage,
    Edit,
    Finish,
    Open,
    OptionChanges,
    Options,
)
from treewhile.incremental.sessions.session import Session


class Typist:
    """Types letters into a document of text, a tenth of a second apart."""

    def __init__(
        self, model: Model, searcher: Searcher | None = None, text: str = "", **options: Any
    ) -> None:
        self.model, self.shell, self.text = model, Shell(Session(model, searcher)), text
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("af", '"Die baba wil nie slaap nie."'),
        ("af", "“Nog nie.” “Hoekom nie?”"),
        ("nl", '"De baby wil niet slapen."'),
        ("nl", '"Kom binnen." "Dank je wel."'),
        ("en", "'Not yet.' 'Why not?'"),
    ],
)
def test_the_tree_just_typed_stays_when_its_quotation_is_closed(name: str, text: str) -> None:
    typist = Typist(load_model(name))
    typist.type(text[:-1])
    typist.pause()
    count, before = len(typist.shell.client.sentences), typist.last
    assert before.words[0].form == text[0]
    typist.type(text[-1])
    typist.pause()
    assert len(typist.shell.client.sentences) == count
    assert [word.form for word in typist.last.words] == [*(word.form for word in before.words), text[-1]]


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


# --- a word that is being typed is attached once it ends ---------------------------------------------------

TYPED = (
    *("The", "dog", "doesn't", "bark.", "Mr.", "3,5", "cannot", "e.g.", "(well)", "U.S.?!", "http://a.b"),
    *("cafe\u0301", "l'été", "n'", "Ολα", "собака", "犬が", "🎉", "👩\u200d💻", "\u200bx", "\ufeff"),
)
KEYS = [*"aeiost.,'!-é", "\u0301", "🎉", "\u200d"]


class Keys:
    """A typist with slips, who goes back, and elsewhere; places are in UTF-16, as in a browser."""

    def __init__(self, model: Model, source: random.Random, jobs_in_any_order: bool) -> None:
        self.source, self.text, self.caret = source, "", 0
        self.now, self.version, self.at_once = 0.0, 0, 0
        self.shell = Shell(Session(model), source if jobs_in_any_order else None)
        self.shell.send(Open("d", 0, text="", positions="utf16"))
        self.shell.settle()

    def press(self) -> None:
        """One key, or a few."""
        drawn = self.source.random()
        if drawn < 0.6:
            for letter in self.source.choice(TYPED) + self.source.choice([" ", " ", "", ", ", "\n\n"]):
                self.replace(self.caret, self.caret, letter)
        elif drawn < 0.75:
            self.replace(self.caret, self.caret, self.source.choice(KEYS))
        elif drawn < 0.9:
            self.replace(max(0, self.caret - self.source.randint(1, 3)), self.caret, "")
        else:
            self.caret = self.source.choice([len(self.text), self.source.randint(0, len(self.text))])

    def replace(self, start: int, end: int, new: str) -> None:
        before, self.version = self.text, self.version + 1
        self.text, self.caret = before[:start] + new + before[end:], start + len(new)
        self.now += 0.4 if self.source.random() < 0.03 else 0.1
        wake_at = self.shell.session.wake_at
        if wake_at is not None and wake_at <= self.now:
            self.shell.session.tick(wake_at)
            self.shell.take()
            self.run_some()
        self.shell.session.tick(self.now)
        places = (len(before[:place].encode("utf-16-le")) // 2 for place in (start, end))
        were_jobs = bool(self.shell.jobs)
        self.shell.send(Edit("d", self.version, *places, new))
        self.at_once += not (were_jobs or self.shell.jobs)
        self.run_some()

    def run_some(self) -> None:
        for _ in range(self.source.choice([0, 1, 9])):
            if self.shell.jobs:
                self.shell.run_one()


@pytest.mark.reaches(0.2)
@each_seed(cases(12))
def test_however_a_text_is_typed_it_ends_as_opening_it(
    seed: int, make_model: MakeModel, reached: Reached
) -> None:
    source = random.Random(seed)
    model = load_model("en") if seed % 3 == 0 else make_model(seed=seed)
    keys = Keys(model, source, jobs_in_any_order=seed % 2 == 1)
    for _ in range(40):
        before = keys.at_once
        keys.press()
        reached(keys.at_once > before)
        if not keys.shell.jobs:
            assert is_told(keys.shell, model, keys.text), (seed, keys.text)
        if source.random() < 0.1:
            assert keys.shell.state("d") == fresh_text(model, keys.text), (seed, keys.text)
    assert keys.shell.state("d") == fresh_text(model, keys.text), (seed, keys.text)
    assert sorted(keys.shell.client.answered) == [*range(keys.version + 1)]


def said(shell: Shell) -> list[tuple[str, int, int]]:
    """The words as a client knows them, with their places."""
    return [
        (word.form, analysis.start + word.start, analysis.start + word.end)
        for analysis in shell.client.sentences
        if analysis
        for word in analysis.words
    ]


def is_told(shell: Shell, model: Model, text: str) -> bool:
    """Whether all words are told as they are, but for letters at the end that wait to be segmented."""
    told, found = said(shell), segmented(model, text)
    if told == found:
        return True
    form, *_ = told[-1]
    *before, _ = told
    return form.isalpha() and text.endswith(form) and before == found[: len(before)]


def segmented(model: Model, text: str) -> list[tuple[str, int, int]]:
    assert model.segmenter
    words = [word for sentence in model.segmenter.segment(text) for word in sentence.words]
    return [(word.form, utf16_units(text[: word.start]), utf16_units(text[: word.end])) for word in words]


def utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_letters_inside_a_word_are_answered_without_a_job() -> None:
    typist = Typist(load_model("en"))
    typist.type("The dog b")
    for letter in "arks":
        typist.version += 1
        place = len(typist.text)
        typist.text += letter
        typist.shell.session.receive(Edit("d", typist.version, place, place, letter))
        assert typist.shell.session.jobs_to_run() == []
        (message,) = typist.shell.session.messages_to_send()
        assert isinstance(message, DeltaMessage)
        assert ([*message.words], message.words[3].form) == ([3], typist.text.split()[-1])
        assert message.answers == [typist.version]
        typist.shell.client.read(message)
    typist.pause()
    assert typist.shell.state("d") == fresh_text(typist.model, typist.text)


def test_what_letters_make_of_words_is_told_once_their_word_ends() -> None:
    typist = Typist(load_model("en"))
    typist.type("She cannot")
    assert [form for form, *_ in said(typist.shell)] == ["She", "cannot"]
    typist.type(" ")
    assert [form for form, *_ in said(typist.shell)] == ["She", "can", "not"]


@pytest.mark.slow
@each("end", ["pause", " ", ".", "'", "\b", "elsewhere"])
def test_letters_that_wait_are_in_the_words_whatever_comes_next(end: str) -> None:
    model = load_model("en")
    typist = Typist(model, text="Peter sees ")
    typist.type("dogs")
    if end == "pause":
        typist.pause()
    elif end == "elsewhere":
        typist.edit(0, 1, "p")
    elif end == "\b":
        for length in range(len(typist.text), 8, -1):
            typist.edit(length - 1, length, "")
    else:
        typist.type(end)
    assert said(typist.shell) == segmented(model, typist.text)
    assert typist.shell.state("d") == fresh_text(model, typist.text)


@pytest.mark.slow
@pytest.mark.parametrize("then", ["", " ", "5", "Rex", "?"])
def test_first_letters_that_are_taken_back_leave_no_word(then: str) -> None:
    model = load_model("en")
    typist = Typist(model, text="Peter sees ")
    typist.type("do")
    typist.edit(11, 13, then)
    assert said(typist.shell) == segmented(model, typist.text)
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_a_word_that_turns_out_to_begin_a_sentence_is_in_it_once_it_ends() -> None:
    model = load_model("en")
    typist = Typist(model)
    typist.type("Dear Mr Smith Thank you for your letter")
    typist.type("\n\nIt came")
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_first_letters_come_with_a_tag_and_without_a_head() -> None:
    typist = Typist(load_model("en"))
    typist.type("Peter sees th")
    assert [word.tag for word in typist.last.words[2:]] == ["DET"]
    assert (typist.last.words[2].head, typist.last.words[2].features) == (LATER, "_")


def test_what_was_typed_and_taken_back_is_told_with_what_comes_next() -> None:
    model = load_model("en")
    typist = Typist(model, text="The old dog ")
    typist.type("er", at=7)
    session, version = typist.shell.session, typist.version
    session.receive(Edit("d", version + 1, 8, 9, ""))
    session.receive(Edit("d", version + 2, 12, 12, "s"))
    typist.shell.take()
    assert typist.shell.jobs == []
    assert said(typist.shell) == segmented(model, "The olde dogs ")
    assert typist.shell.client.answered[-2:] == [version + 1, version + 2]
    assert typist.shell.state("d") == fresh_text(model, "The olde dogs ")


def test_a_word_in_the_middle_moves_what_stands_behind_it() -> None:
    model = load_model("en")
    typist = Typist(model, text="The dog sees a cat. It barks.\n\nThe cat sleeps.")
    typist.pause()
    typist.type("gyd", at=7)
    moved = [message for message in typist.shell.client.moved if message.words == 0]
    assert [message.units for message in moved[-2:]] == [1, 1]
    assert said(typist.shell) == segmented(model, typist.text)
    typist.edit(7, 10, "")
    assert said(typist.shell) == segmented(model, typist.text)
    typist.pause()
    assert typist.shell.state("d") == fresh_text(model, typist.text)


def test_next_steps_are_about_the_whole_word_that_is_being_typed() -> None:
    typist = Typist(load_model("en"))
    typist.type("Peter drives")
    shell = typist.shell
    shell.send(AskSteps("d", typist.version, 0))
    shell.settle()
    assert "*drives*" in " ".join(choice.says for choice in shell.client.steps[-1].choices)
    assert last(shell).stage == "initial", "it is still being typed"


def test_other_levels_are_asked_for_inside_a_word() -> None:
    typist = Typist(load_model("en"))
    typist.type("Peter drives")
    typist.shell.send(Options("d", OptionChanges(levels=["L0"])))
    typist.shell.settle()
    assert (last(typist.shell).stage, last(typist.shell).words[-1].tag) == ("settled", "VERB")


def test_what_is_told_of_every_letter_is_found_for_every_letter() -> None:
    typist = Typist(load_model("en"), streams=["analyses", "steps"])
    typist.type("Peter drives")
    assert "*drives*" in " ".join(choice.says for choice in typist.shell.client.steps[-1].choices)
