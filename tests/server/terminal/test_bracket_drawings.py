from __future__ import annotations

import random

from cases import cases, each_seed
from made_up_phrases import made_up_phrases
from rich.cells import cell_len

from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.server.terminal.drawings import draw_brackets


def test_phrases_stand_above_those_in_them() -> None:
    phrases = [("S", 1, 5), ("NP", 1, 2), ("VP", 3, 5), ("PP", 4, 5), ("NP", 5, 5)]
    drawing = draw_brackets(["The", "dog", "barks", "at", "me"], [Constituent(*one) for one in phrases])
    assert drawing.split("\n") == [
        "┌S──────────────────┐",
        "        ┌VP─────────┐",
        "              ┌PP───┐",
        "┌NP───┐          ┌NP┐",
        "The dog barks at me",
    ]


def test_open_phrases_have_no_end() -> None:
    phrases = [("S", 1, None), ("NP", 1, 2), ("VP", 3, None)]
    drawing = draw_brackets(["The", "dog", "barks"], [Constituent(*one) for one in phrases])
    assert drawing.split("\n") == ["┌S┄┄┄┄┄┄┄┄┄┄┄", "┌NP───┐ ┌VP┄┄", "The dog barks"]


def test_without_phrases_there_are_words_alone() -> None:
    assert draw_brackets(["犬", "barks"], []) == "犬 barks"


@each_seed(cases(20))
def test_brackets_on_one_line_stand_apart(seed: int) -> None:
    source = random.Random(seed)
    forms = [source.choice(["a", "犬", "dog", "hippopotamus"]) for _ in range(source.randint(1, 12))]
    phrases = made_up_phrases([*forms, str(seed)][: len(forms)], is_open=source.random() < 0.5)
    *lines, words = draw_brackets(forms, phrases).split("\n")
    assert words.split() == forms
    assert sum(line.count("┌") for line in lines) == len(phrases)
    assert sum(line.count("┐") for line in lines) == sum(one.last is not None for one in phrases)
    for line in lines:
        assert cell_len(line) == len(line.rstrip())
