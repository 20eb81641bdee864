from __future__ import annotations

import random

import pytest
from cases import cases, each, each_seed

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.document_content import TextContent
from treewhile.incremental.sessions.document_edits import TextEdited, joined
from treewhile.incremental.sessions.document_words import SentenceWords
from treewhile.incremental.sessions.intake import Intake
from treewhile.incremental.sessions.messages import Edit, Positions
from treewhile.incremental.sessions.options import DEFAULT_OPTIONS
from treewhile.incremental.sessions.typed_word import MOST_LETTERS, TypedLetters

WORDS = SentenceWords(("Peter", "sees"), ((0, 5), (6, 10)))


def typed(text: str, letters: str, positions: Positions = "code_points") -> tuple[TypedLetters, TextEdited]:
    """Letters behind a text, once they are there."""
    segmenter, content = load_model("en").segmenter, TextContent(positions)
    assert segmenter
    content.take(Edit("d", 1, 0, 0, text))
    end = content.size[0]
    edit = content.take(Edit("d", 2, end, end, letters))
    assert isinstance(edit, TextEdited)
    return TypedLetters(content, segmenter), edit


def test_letters_behind_a_word_and_a_space_begin_a_word() -> None:
    letters, edit = typed("Peter sees ", "do")
    words = letters.begin(WORDS, 0, edit)
    assert words == (("Peter", "sees", "do"), ((0, 5), (6, 10), (11, 13)))


@pytest.mark.slow
@each(
    "text, new",
    [
        ("Peter sees. ", "d"),  # where a sentence may end
        ("Peter sees\n", "d"),
        ("Peter sees  ", "d"),
        ("Peter sees", "d"),
        ("Peter sees ", "5"),
        ("Peter sees ", "do-"),
        ("Peter sees ", "d" * (MOST_LETTERS + 1)),
        ("", "d"),
    ],
)
def test_other_characters_have_to_be_segmented(text: str, new: str) -> None:
    letters, edit = typed(text, new)
    assert letters.begin(WORDS, 0, edit) is None


def test_letters_go_on_with_those_that_are_segmented_and_with_those_that_wait() -> None:
    letters, edit = typed("Peter sees", "aw")
    assert letters.go_on(WORDS, edit, None) == (("Peter", "seesaw"), ((0, 5), (6, 12)))
    waited = TextEdited(8, 8, "es")
    both = joined(waited, edit)
    assert both == (8, 8, "esaw", False)
    assert letters.go_on(WORDS, both, waited) == (("Peter", "seesaw"), ((0, 5), (6, 12)))


def test_letters_do_not_go_on_with_a_word_that_is_not_written_so() -> None:
    letters, edit = typed("Peter won't", "s")
    assert letters.go_on(SentenceWords(("Peter", "not"), ((0, 5), (6, 11))), edit, None) is None


def test_places_are_in_the_units_of_the_document() -> None:
    letters, edit = typed("🎉 sees ", "d", "utf16")
    words = letters.begin(SentenceWords(("🎉", "sees"), ((0, 2), (3, 7))), 0, edit)
    assert words
    assert words.spans[-1] == (8, 9)


@each_seed(cases(300))
def test_two_edits_that_touch_are_one(seed: int) -> None:
    source = random.Random(seed)
    text = "".join(source.choices("abc", k=8))

    def edit_of(length: int) -> TextEdited:
        start, end = sorted(source.choices(range(length + 1), k=2))
        return TextEdited(start, end, "".join(source.choices("xyz", k=source.randint(0, 4))))

    first = edit_of(len(text))
    between = after(text, first)
    then = edit_of(len(between))
    both = joined(first, then)
    if both is None:
        assert then.end < first.start or then.start > first.start + len(first.new_text)
    else:
        assert after(text, both) == after(between, then)


def after(text: str, edit: TextEdited) -> str:
    return text[: edit.start] + edit.new_text + text[edit.end :]


def test_letters_wait_until_there_is_something_else_to_attach_and_come_before_it() -> None:
    intake, letters = Intake(0, DEFAULT_OPTIONS), TextEdited(11, 11, "dogs")
    intake.letters = letters
    assert intake.taken(has_waiting=False, options=DEFAULT_OPTIONS, now=1.0) is None
    intake.pause()
    batch = intake.taken(has_waiting=False, options=DEFAULT_OPTIONS, now=1.0)
    assert batch
    assert batch.edits[0] == letters
    assert intake.letters is None


def test_letters_become_one_edit_with_what_is_typed_behind_them_but_not_elsewhere() -> None:
    intake = Intake(0, DEFAULT_OPTIONS)
    intake.letters = TextEdited(11, 11, "dogs")
    assert intake.with_letters(TextEdited(15, 15, " ")) == (11, 11, "dogs ", False)
    assert intake.letters is None
    intake.letters = TextEdited(11, 11, "dogs")
    elsewhere = TextEdited(0, 1, "p")
    assert intake.with_letters(elsewhere) is elsewhere
    assert intake.edits == [(11, 11, "dogs", False)]
