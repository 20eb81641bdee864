"""Texts in other languages than the model's: noticed, or refused if their script is unknown."""

from __future__ import annotations

import random
from copy import copy

import pytest
from cases import cases, each_seed
from reach import Reached
from shells import MakeModel, Shell, fresh_text

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import (
    Append,
    AskAnalyses,
    Close,
    Edit,
    Finish,
    Gold,
    LanguageMessage,
    Open,
    OptionChanges,
    Revoke,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.errors import InputError

HEBREW = "אתמול קראתי ספר מעניין מאוד. "
ENGLISH = "yesterday we sat on the beach for the whole day and did nothing. "
PORTUGUESE = "você sabe se a padaria da esquina ainda está aberta hoje? "


@pytest.fixture
def model(make_model: MakeModel) -> Model:
    english = copy(make_model())
    english.language = "en"
    return english


class Typist:
    """Types at the end of a text, and keeps what it is told of languages."""

    def __init__(self, model: Model) -> None:
        self.shell = Shell(Session(model))
        self.version, self.text = 0, ""
        self.told: list[str | None] = []
        self.shell.send(Open("d", 0, text=""))

    def replace(self, start: int, end: int, text: str) -> None:
        self.version += 1
        self.text = self.text[:start] + text + self.text[end:]
        self.shell.send(Edit("d", self.version, start, end, text))
        self.shell.settle()
        if not self.told or self.told[-1] != self.looks_like:
            self.told.append(self.looks_like)

    def type(self, text: str) -> None:
        for letter in text:
            self.replace(len(self.text), len(self.text), letter)

    @property
    def looks_like(self) -> str | None:
        return self.shell.client.view.looks_like

    @property
    def codes(self) -> list[str]:
        return [error.code for error in self.shell.client.errors]


# --- languages --------------------------------------------------------------------------------------------


def test_another_language_is_told_once_when_it_begins_and_once_when_it_ends(model: Model) -> None:
    typist = Typist(model)
    typist.type(ENGLISH)
    assert typist.told == [None]
    typist.type(PORTUGUESE * 2)
    assert typist.told == [None, "pt"]
    typist.type(ENGLISH * 2)
    assert typist.told == [None, "pt", None]
    assert typist.codes == []


def test_it_is_told_to_documents_of_words(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, words=PORTUGUESE.split()))
    shell.settle()
    assert shell.client.view.looks_like == "pt"


def test_it_is_told_again_to_those_who_ask_for_everything(model: Model) -> None:
    typist = Typist(model)
    typist.replace(0, 0, PORTUGUESE)
    typist.shell.client.view.clear()
    typist.shell.send(AskAnalyses("d"))
    assert typist.looks_like == "pt"


def test_the_message_says_which_version_it_is_about(model: Model) -> None:
    session = Session(model)
    session.receive(Open("d", 3, text=PORTUGUESE))
    for job in session.jobs_to_run():
        session.job_done(job, job.run())
    told = [one for one in session.messages_to_send() if isinstance(one, LanguageMessage)]
    assert told == [LanguageMessage("d", 3, "pt")]


def test_nothing_is_told_for_a_model_of_an_unknown_language(make_model: MakeModel) -> None:
    typist = Typist(make_model())
    typist.replace(0, 0, PORTUGUESE)
    assert typist.looks_like is None


# --- scripts ----------------------------------------------------------------------------------------------


def test_a_text_in_an_unknown_script_is_refused_once_and_kept(model: Model) -> None:
    typist = Typist(model)
    typist.type(HEBREW * 2)
    [error] = typist.shell.client.errors
    assert (error.code, error.document, error.version) == ("unsupported_script", "d", None)
    assert error.message.startswith("the text is in Hebrew letters, and the model knows Latin ones")
    assert typist.shell.client.sentences == []
    assert typist.shell.client.answered[-1] == typist.version
    typist.type(ENGLISH)
    assert typist.shell.state("d") == fresh_text(model, typist.text)
    assert typist.codes == ["unsupported_script"]


def test_a_text_becomes_readable_again_by_any_edit(model: Model) -> None:
    typist = Typist(model)
    typist.replace(0, 0, ENGLISH + HEBREW * 4)
    assert (typist.codes, typist.shell.client.sentences) == (["unsupported_script"], [])
    typist.replace(len(ENGLISH), len(typist.text), "")
    assert typist.shell.state("d") == fresh_text(model, ENGLISH)
    typist.replace(0, len(ENGLISH), HEBREW)
    assert (typist.codes, typist.shell.client.sentences) == (["unsupported_script"] * 2, [])


def test_a_view_keeps_the_error_until_there_is_an_analysis(model: Model) -> None:
    session, typist = Session(model), Typist(model)
    view = typist.shell.client.view
    session.receive(Open("d", 0, text=HEBREW))
    for job in session.jobs_to_run():
        session.job_done(job, job.run())
    for message in session.messages_to_send():
        view.receive(message)
    assert view.error
    assert view.error.code == "unsupported_script"
    typist.replace(0, 0, ENGLISH)
    assert view.error is None


def test_requests_about_sentences_that_are_not_there_are_refused(model: Model) -> None:
    typist = Typist(model)
    typist.replace(0, 0, HEBREW)
    typist.shell.send(Gold("d", typist.version, 0, [0]), Finish("d", typist.version + 1), Close("d"))
    assert typist.codes == ["unsupported_script", "unknown_sentence"]
    assert typist.shell.client.is_closed


def test_words_whose_trees_a_client_has_may_be_in_any_script(model: Model) -> None:
    shell = Shell(Session(model))
    words = HEBREW.split()
    shell.send(Open("d", 0, words=words, options=OptionChanges(levels=["L0"])), Gold("d", 0, 0, [0]))
    shell.settle()
    assert shell.session.sentence_count("d") == 1
    assert "unsupported_script" not in [error.code for error in shell.client.errors]


def test_words_come_back_with_the_ends_of_their_sentences(model: Model) -> None:
    hidden, plain = Shell(Session(model)), Shell(Session(model))
    for shell in (hidden, plain):
        shell.send(Open("d", 0, words=["the", "dog", "barks"]), Finish("d", 1))
    hidden.send(Append("d", 2, HEBREW.split() * 2), Finish("d", 3), Append("d", 4, ["the"]))
    hidden.settle()
    assert (hidden.client.sentences, hidden.session.sentence_count("d")) == ([], 0)
    hidden.send(Revoke("d", 5, 11), Append("d", 6, ["old", "cat"]))
    plain.send(Append("d", 6, ["old", "cat"]))
    assert hidden.state("d") == plain.state("d")
    assert hidden.session.sentence_count("d") == 2


def test_a_run_over_such_a_text_is_an_error(model: Model) -> None:
    with pytest.raises(InputError, match="in Hebrew letters"):
        [*Session(model).run(HEBREW, time_limit=0)]


@pytest.mark.reaches(0.5)
@each_seed(cases(40))
def test_any_edits_end_as_the_final_text_does(make_model: MakeModel, seed: int, reached: Reached) -> None:
    source, typist = random.Random(seed), Typist(make_model())
    for _ in range(12):
        start = source.randint(0, len(typist.text))
        end = min(len(typist.text), start + source.choice((0, 0, 1, 9, 60)))
        pieces = ("", "d", "dog ", "the dog barks. ", HEBREW, HEBREW[:9], HEBREW * 2)
        typist.replace(start, end, source.choice(pieces))
    reached("unsupported_script" in typist.codes)
    assert typist.shell.state("d") == fresh_text(make_model(), typist.text)
