from __future__ import annotations

from typing import Any

import pytest
from growing_parses import grown
from shells import SENTENCE, MakeModel, Shell, opened

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import (
    Append,
    AskAnalyses,
    CompletenessMessage,
    Edit,
    Finish,
    Open,
    OptionChanges,
    Options,
    Revoke,
)
from treewhile.incremental.sessions.session import Session

BOTH = ["analyses", "completeness"]


@pytest.fixture
def model(make_model: MakeModel) -> Model:
    return make_model(with_completeness=True)


def test_a_model_that_has_not_learnt_it_tells_nothing(make_model: MakeModel) -> None:
    shell = opened(make_model(), SENTENCE, streams=BOTH)
    shell.settle()
    assert shell.client.view.completeness is None
    assert shell.client.errors == []


def told(shell: Shell) -> CompletenessMessage:
    message = shell.client.view.completeness
    assert message
    return message


def expected(model: Model, words: list[str]) -> tuple[Any, ...]:
    return tuple(round(one, 4) for one in grown(model, words).completeness())


def test_those_who_do_not_ask_are_told_nothing(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    assert shell.client.view.completeness is None


def test_it_comes_with_the_words_of_every_version(model: Model) -> None:
    shell = opened(model, [], streams=BOTH)
    shell.settle()
    for t, word in enumerate(SENTENCE, 1):
        shell.send(Append("d", 1 + t, [word]))
        while shell.run_one().level != "L0":
            pass
        about = told(shell)
        assert (about.version, about.sentence, about.words) == (1 + t, 0, t)
        assert (about.may_end, about.ends) == expected(model, SENTENCE[:t])


def test_it_is_about_the_last_sentence(model: Model) -> None:
    shell = opened(model, SENTENCE, streams=BOTH)
    shell.settle()
    shell.send(Finish("d", 2))
    shell.settle()
    assert (told(shell).sentence, told(shell).may_end, told(shell).ends) == (0, 1, 1)
    shell.send(Append("d", 3, SENTENCE[:2]))
    shell.settle()
    assert (told(shell).sentence, told(shell).words) == (1, 2)
    shell.send(Revoke("d", 4, 2))
    shell.settle()
    assert (told(shell).version, told(shell).sentence, told(shell).words) == (4, 0, 5)


def test_it_comes_where_nothing_else_is_streamed(model: Model) -> None:
    shell = opened(model, SENTENCE[:2], streams=["completeness"])
    shell.settle()
    assert (told(shell).words, shell.client.analyses) == (2, [])
    assert shell.client.answered == [1]


def test_it_is_told_at_once_to_those_who_ask_later(model: Model) -> None:
    shell = opened(model, SENTENCE[:2])
    shell.settle()
    shell.send(Options("d", OptionChanges(streams=["completeness"])))
    assert told(shell).words == 2


def test_it_is_told_again_to_those_who_ask_for_everything(model: Model) -> None:
    shell = opened(model, SENTENCE[:2], streams=BOTH)
    shell.settle()
    before = told(shell)
    shell.client.view.clear()
    shell.send(AskAnalyses("d"))
    assert told(shell) == before


def test_it_follows_a_text_that_is_typed(model: Model) -> None:
    shell = Shell(Session(model))
    shell.send(Open("d", 0, text="", options=OptionChanges(streams=BOTH)))
    text = "the dog barks"
    for place, letter in enumerate(text):
        shell.send(Edit("d", 1 + place, place, place, letter))
        shell.settle()
        assert told(shell).version == 1 + place
    assert told(shell).words == 3
