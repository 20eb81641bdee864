"""Sessions with models whose committed parse is of arc-eager; clients follow steps of arc-standard."""

from __future__ import annotations

import random

import pytest
from shells import SEEDS, SENTENCE, Draw, MakeModel, Shell, heads_of, last, opened

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import LATER
from treewhile.incremental.sessions.messages import Append, Edit, Finish, Gold, Open, Revoke, Step, Undo
from treewhile.incremental.sessions.session import Session
from treewhile.oracles import Configuration, optimal_steps
from treewhile.oracles.systems import ARC_EAGER

STREAMS = ["analyses", "steps"]


@pytest.mark.parametrize("seed", SEEDS)
def test_words_that_come_and_go_give_what_they_give_at_once(
    seed: int, make_model: MakeModel, random_words: Draw
) -> None:
    model, source = make_model(seed=seed, system=ARC_EAGER), random.Random(seed)
    shell, words, version = opened(model, streams=STREAMS), list[str](), 1
    for _ in range(12):
        version += 1
        if words and source.random() < 0.4:
            count = source.randint(1, len(words))
            shell.send(Revoke("d", version, count))
            del words[len(words) - count :]
        else:
            new = [*random_words(source, source.randint(1, 3))]
            shell.send(Append("d", version, new))
            words += new
        if source.random() < 0.5:
            shell.settle()
    if not words:
        shell.send(Append("d", version + 1, ["dog"]))
        words.append("dog")
    fresh = opened(model, words, streams=STREAMS)
    assert shell.state("d") == fresh.state("d")
    assert (shell.client.errors, fresh.client.errors) == ([], [])


def test_text_is_edited_letter_by_letter(make_model: MakeModel) -> None:
    model = make_model(system=ARC_EAGER)
    shell, typed = Shell(Session(model)), "the old dog sees the cat"
    shell.send(Open("d", 0, text="", positions="utf16"))
    for place, letter in enumerate(typed):
        shell.send(Edit("d", place + 1, place, place, letter))
        shell.settle()
    shell.send(Finish("d", len(typed) + 1))
    fresh = Shell(Session(model))
    fresh.send(Open("d", 0, text=typed, positions="utf16"))
    fresh.send(Finish("d", 1))
    assert shell.state("d") == fresh.state("d")


@pytest.mark.parametrize("risk", [0, 1])
@pytest.mark.parametrize("seed", SEEDS)
def test_from_the_configuration_that_is_told_all_that_is_committed_can_be_attained(
    seed: int, risk: int, make_model: MakeModel, random_words: Draw
) -> None:
    model, words = make_model(seed=seed, system=ARC_EAGER), random_words(random.Random(seed), 12)
    shell, parse = opened(model, streams=STREAMS, risk=risk), GrowingParse(model, risk=risk)
    for version, word in enumerate(words, 2):
        shell.send(Append("d", version, [word]))
        shell.settle()
        parse.append(word)
        told = shell.client.steps[-1]
        heads = [None if head == LATER else head for head in parse.committed().heads]
        assert (told.n, told.front) == (parse.word_count, parse.front)
        configuration = Configuration(tuple(told.stack), told.front, told.n + 1)
        left = optimal_steps(configuration, [*heads, None], single_root=True).attainable
        gone = {*range(1, told.front)} - {*told.stack}
        assert left == sum(head is not None for word, head in enumerate(heads, 1) if word not in gone)


def test_a_sentence_that_has_ended_is_followed_to_its_tree(make_model: MakeModel) -> None:
    model = make_model(system=ARC_EAGER)
    shell = opened(model, SENTENCE, streams=STREAMS)
    shell.send(Finish("d", 2))
    shell.settle()
    told = shell.client.steps[-1]
    assert (told.stack, told.front, told.n) == ([0], 6, 5)
    assert heads_of(last(shell)).count(0) == 1


def test_steps_are_made_by_hand_and_undone(make_model: MakeModel) -> None:
    shell = opened(make_model(system=ARC_EAGER), SENTENCE)
    shell.settle()
    shell.send(Gold("d", 1, 0, [3, 3, 4, 0, 4]))
    shell.settle()
    before = shell.client.steps[-1]
    shell.send(Step("d", 1, 0, "shift"))
    shell.settle()
    assert shell.client.steps[-1].front == before.front + 1
    shell.send(Undo("d", 1, 0))
    shell.settle()
    after = shell.client.steps[-1]
    assert (after.stack, after.front, after.by_hand) == (before.stack, before.front, False)
    assert shell.client.errors == []


@pytest.mark.parametrize("seed", SEEDS)
def test_the_parser_goes_its_own_way_however_far_it_has_drifted(
    seed: int, make_model: MakeModel, random_words: Draw
) -> None:
    model, words = make_model(seed=seed, system=ARC_EAGER), random_words(random.Random(seed), 12)
    shell = opened(model, words, streams=STREAMS, drift=1, risk=1)
    shell.settle()
    assert not any(steps.rebuilt for steps in shell.client.steps)
    parse = GrowingParse(model, risk=1)
    for word in words:
        parse.append(word)
    assert shell.client.steps[-1].front == parse.front
