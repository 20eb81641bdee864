from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import get_args

import pytest
from cases import each

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.document_edits import (
    SentenceFinished,
    Splice,
    TextEdited,
    TypingPaused,
    WordsCame,
    WordsWent,
    units,
)
from treewhile.incremental.sessions.document_words import GivenWords, WordsOfText
from treewhile.incremental.sessions.messages import Positions


def test_lengths_are_in_the_units_asked_for() -> None:
    assert [units("a🎉", positions) for positions in ("code_points", "utf16")] == [2, 3]


def test_given_words_stand_a_space_apart() -> None:
    words = GivenWords("utf16")
    words.apply(WordsCame(["🎉", "dog"]))
    words.apply(SentenceFinished())
    words.apply(WordsCame(["cat"]))
    assert ([*words.ends], words.firm, words.is_finished) == ([2, 3], 3, False)
    assert words.starts(words.ends) == [0, 7]
    assert words.sentence(0, 2) == (("🎉", "dog"), ((0, 2), (3, 6)))
    assert words.sentence(2, 3) == (("cat",), ((0, 3),))


@pytest.mark.parametrize("positions", get_args(Positions))
def test_given_words_after_edits_are_those_given_afresh(positions: Positions) -> None:
    drawn, edited, taken = Random(7), GivenWords(positions), list[WordsCame | SentenceFinished]()
    for _ in range(200):
        if taken and drawn.random() < 0.3:
            edited.apply(WordsWent(1))
            while isinstance(taken[-1], SentenceFinished):
                taken.pop()
            taken.pop()
        else:
            taken.append(WordsCame([drawn.choice(["a", "dog", "🎉"])]))
            edited.apply(taken[-1])
            if drawn.random() < 0.2:
                taken.append(SentenceFinished())
                edited.apply(taken[-1])
        afresh = GivenWords(positions)
        for edit in taken:
            afresh.apply(edit)
        assert edited.ends == afresh.ends
        assert edited.starts(edited.ends) == afresh.starts(afresh.ends)
        for bounds in drawn.sample([*pairwise([0, *edited.ends])], k=min(2, len(edited.ends))):
            assert edited.sentence(*bounds) == afresh.sentence(*bounds)


def test_words_of_a_text_are_placed_from_the_start_of_their_sentence(model: Model) -> None:
    assert model.segmenter
    words = WordsOfText(model.segmenter, "utf16")
    words.apply(TextEdited(0, 0, "🎉 dog\n\nthe 🎉 cat"))
    assert [*words.ends] == [2, 5]
    assert words.starts(words.ends) == [0, 8]
    assert words.sentence(2, 5) == (("the", "🎉", "cat"), ((0, 3), (4, 6), (7, 10)))


@pytest.mark.parametrize("positions", get_args(Positions))
def test_words_and_starts_after_edits_are_those_of_the_text_afresh(
    positions: Positions, model: Model
) -> None:
    assert model.segmenter
    drawn, text, edited = Random(5), "", WordsOfText(model.segmenter, positions)
    for _ in range(150):
        start = drawn.choice([len(text), drawn.randint(0, len(text))])
        end = min(len(text), start + drawn.choice([0, 0, 1, 5]))
        new_text = "".join(
            drawn.choices(["a", "the dog ", "🎉 ", " ", ".", "\n\n", ". The"], k=drawn.randint(0, 3))
        )
        edited.apply(TextEdited(start, end, new_text))
        text = text[:start] + new_text + text[end:]
        afresh = WordsOfText(model.segmenter, positions)
        afresh.apply(TextEdited(0, 0, text))
        assert edited.ends == afresh.ends
        assert edited.starts(edited.ends) == afresh.starts(afresh.ends)
        for bounds in drawn.sample([*pairwise([0, *edited.ends])], k=min(2, len(edited.ends))):
            assert edited.sentence(*bounds) == afresh.sentence(*bounds)


def test_a_pause_makes_the_last_sentence_whole_until_that_is_edited(english: Model) -> None:
    assert english.segmenter
    words = WordsOfText(english.segmenter, "code_points")
    words.apply(TextEdited(0, 0, "I ran.\n\nThe dog barks."))
    assert (words.is_whole, words.awaits_pause) == (False, True)
    words.apply(TypingPaused())
    assert (words.is_whole, words.awaits_pause) == (True, False)
    words.apply(TextEdited(2, 5, "sat"))
    assert (words.is_whole, words.awaits_pause) == (True, False)
    words.apply(TextEdited(12, 15, "cat"))
    assert (words.is_whole, words.awaits_pause) == (False, True)


@each("start, changed", [(0, None), (3, 0), (8, None), (9, None), (12, 1), (16, None)])
def test_white_space_changes_the_sentence_whose_words_it_moves_apart(
    start: int, changed: int | None, model: Model
) -> None:
    assert model.segmenter
    words = WordsOfText(model.segmenter, "code_points")
    words.apply(TextEdited(0, 0, "the dog\n\nthe cat"))
    splice = words.apply(TextEdited(start, start, " "))
    assert (splice.removed, splice.added, splice.in_all) == (0, 0, 2)
    assert [*range(splice.first, splice.place)] == ([] if changed is None else [changed])


@each(
    "text, is_awaited",
    [
        ("Go!", True),
        ('"Go!"', True),
        ("(I ran.)", True),
        ("(Go)", False),
        ("I ran.\n\n(Go)", False),
        (")", False),
    ],
)
def test_a_pause_is_awaited_behind_final_punctuation_and_what_closes_with_it(
    text: str, is_awaited: bool, english: Model
) -> None:
    assert english.segmenter
    words = WordsOfText(english.segmenter, "code_points")
    words.apply(TextEdited(0, 0, text))
    assert words.awaits_pause == is_awaited


def test_nothing_is_firm_that_more_text_can_change_and_all_is_once_it_is_finished(model: Model) -> None:
    assert model.segmenter
    words = WordsOfText(model.segmenter, "code_points")
    words.apply(TextEdited(0, 0, "the old dog"))
    assert words.firm < 3
    words.apply(SentenceFinished())
    assert (words.firm, words.is_finished) == (3, True)
    words.apply(TextEdited(11, 11, "s"))
    assert not words.is_finished


def test_a_sentence_that_loses_its_end_is_open_again() -> None:
    words = GivenWords("code_points")
    words.apply(WordsCame(["old", "dog"]))
    words.apply(SentenceFinished())
    words.apply(WordsCame(["cat"]))
    assert words.apply(WordsWent(2)) == Splice(first=0, place=1, removed=1, added=0, in_all=1)
    assert ([*words.ends], words.is_finished) == ([1], False)
    words.apply(SentenceFinished())
    assert words.apply(SentenceFinished()) == Splice(first=1, place=1, removed=0, added=0, in_all=1), (
        "there is nothing to finish"
    )
    assert words.is_finished
