from __future__ import annotations

import pytest
from growing_parses import grown
from shells import SENTENCE, MakeModel, Shell, last, opened

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.messages import Append, Finish, OptionChanges, Options, Revoke


@pytest.fixture
def model(make_model: MakeModel) -> Model:
    return make_model(with_lemmas=True)


def lemmas(shell: Shell) -> list[tuple[str | None, str | None]]:
    return [(word.lemma, word.xpos) for word in last(shell).words]


def expected(model: Model, words: list[str]) -> list[tuple[str, str]]:
    best = grown(model, words).best()
    return [*zip(best.lemmas, best.xpos, strict=True)]


def test_those_who_do_not_ask_get_none(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    assert {*lemmas(shell)} == {(None, None)}


def test_they_are_those_of_the_best_parse_after_every_change(model: Model) -> None:
    shell = opened(model, SENTENCE[:2], lemmas=True)
    shell.settle()
    assert lemmas(shell) == expected(model, SENTENCE[:2])
    shell.send(Append("d", 2, SENTENCE[2:]))
    shell.settle()
    assert lemmas(shell) == expected(model, SENTENCE)
    shell.send(Revoke("d", 3, 1))
    shell.settle()
    assert lemmas(shell) == expected(model, SENTENCE[:-1])
    shell.send(Finish("d", 4))
    shell.settle()
    analysis = model.parse(SENTENCE[:-1])
    assert lemmas(shell) == [*zip(analysis.lemmas, analysis.xpos, strict=True)]


def test_new_words_get_theirs_with_l1_while_the_others_keep_theirs(model: Model) -> None:
    shell = opened(model, SENTENCE[:2], lemmas=True)
    shell.settle()
    before = lemmas(shell)
    shell.send(Append("d", 2, SENTENCE[2:3]))
    assert shell.run_one().level == "L0"
    assert lemmas(shell) == [*before, (None, None)]


def test_who_asks_later_gets_them(model: Model) -> None:
    shell = opened(model, SENTENCE)
    shell.settle()
    shell.send(Options("d", OptionChanges(lemmas=True)))
    shell.settle()
    assert lemmas(shell) == expected(model, SENTENCE)


def test_a_model_without_lemmas_has_none_to_tell(make_model: MakeModel) -> None:
    shell = opened(make_model(), SENTENCE, lemmas=True)
    shell.settle()
    assert {*lemmas(shell)} == {(None, None)}
    assert shell.client.errors == []
