from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from treewhile.incremental.texts.treebank_texts import Piece, Pieces
from treewhile.incremental.training.made_up_tokens import MadeUpTokens

WORDS = [f"{first}{last}" for first in ("ba", "lo", "mi", "ru", "te") for last in ("ka", "ne", "pi", "so")]
ADDRESS = re.compile(r"(https?://)?[a-z.-]+[a-z](/[\w%+~/.-]*)?(\?[\w=&%+~-]+)?(#[\w%+~-]+)?")
MAIL_ADDRESS = re.compile(r"[a-z._]+@[a-z.-]+")


def sentence(*surfaces: str) -> Pieces:
    """Tokens with a space between any two but before the last one, and behind it."""
    *others, before_last, last = surfaces
    return [*(Piece(surface, " ") for surface in others), Piece(before_last, ""), Piece(last, " ")]


def treebank(initials: str, number: str) -> list[Pieces]:
    first, *rest = initials.split()
    name = [Piece(first, "" if rest else " "), *(Piece(surface, " ") for surface in rest)]
    with_name = [Piece("So", " "), *name, *sentence("Bell", "said", ".")]
    item = [*(Piece(surface, "") for surface in number.split()), *sentence("Open", "it", ".")]
    return [with_name, item, sentence("The", *WORDS, "."), sentence("The", *map(str.title, WORDS), ".")]


KEEPS_STOPS, CUTS_STOPS = treebank("J.", "1 ."), treebank("J .", "1.")


def made_up(sentences: list[Pieces]) -> MadeUpTokens:
    return MadeUpTokens(sentences, np.random.default_rng(1))


def some(make: Callable[[], Pieces]) -> list[Pieces]:
    return [make() for _ in range(1000)]


def test_names_and_numbers_have_the_stops_of_abbreviations_where_the_treebank_keeps_those() -> None:
    shown = [
        " ".join(piece.surface for piece in pieces) for pieces in some(made_up(KEEPS_STOPS).part_of_sentence)
    ]
    assert any(re.fullmatch(r"([A-Z]\. )+[A-Z][a-z]+", one) for one in shown)
    assert any(re.fullmatch(r"Mrs?\. [a-z]+ [A-Za-z]+\. [A-Z][a-z]+", one) for one in shown)
    assert any(re.fullmatch(r"no\. \d+", one) for one in shown)
    assert any(re.fullmatch(r"[A-Z][a-z]+ Inc\.", one) for one in shown)
    assert any(re.fullmatch(r"e\.g\. [a-z]+", one) for one in shown)


def test_a_treebank_that_cuts_abbreviations_gets_none() -> None:
    shown = [[piece.surface for piece in pieces] for pieces in some(made_up(CUTS_STOPS).part_of_sentence)]
    assert not any(surface.endswith(".") for surfaces in shown for surface in surfaces)
    assert not made_up(CUTS_STOPS).last_abbreviation()


def test_sentences_may_end_with_abbreviations_of_companies_of_hours_and_of_whatever_else() -> None:
    shown = {
        " ".join(piece.surface for piece in pieces) for pieces in some(made_up(KEEPS_STOPS).last_abbreviation)
    }
    for pattern in (r"[A-Z][a-z]+ Inc\.", r"\d+ p\.m\.", r"etc\."):
        assert any(re.fullmatch(pattern, one) for one in shown), pattern


def test_addresses_are_single_tokens_of_many_shapes() -> None:
    tokens = {pieces[0].surface for pieces in some(made_up(CUTS_STOPS).part_of_sentence) if len(pieces) == 1}
    assert all(ADDRESS.fullmatch(one) or MAIL_ADDRESS.fullmatch(one) for one in tokens)
    for sign in "/?&#=@-_.%":
        assert any(sign in one for one in tokens), sign


def test_numbers_of_items_are_cut_as_in_the_treebank() -> None:
    assert made_up(KEEPS_STOPS).item_number(12) == [Piece("12", ""), Piece(".", " ")]
    assert made_up(CUTS_STOPS).item_number(12, ")") == [Piece("12)", " ")]


def test_items_of_a_list_have_the_same_mark_or_rising_numbers() -> None:
    maker = made_up(KEEPS_STOPS)
    lists = [maker.item_marks() for _ in range(60)]
    shown = {tuple("".join(piece.surface for piece in mark(number)) for number in (1, 2)) for mark in lists}
    assert {("1.", "2."), ("1)", "2)"), ("-", "-"), ("•", "•")} <= shown


@pytest.mark.parametrize("sentences", [KEEPS_STOPS, CUTS_STOPS, [[Piece("去", "")]]])
def test_what_is_made_up_has_white_space_between_its_tokens_alone(sentences: list[Pieces]) -> None:
    maker = made_up(sentences)
    for make in (maker.part_of_sentence, maker.word, maker.number, maker.smiley):
        for pieces in some(make):
            assert pieces[-1].white_space == ""
            assert all(piece.surface and not any(map(str.isspace, piece.surface)) for piece in pieces)


def test_words_with_an_apostrophe_before_them_may_begin_sentences_where_the_treebank_has_such_words() -> None:
    assert made_up(KEEPS_STOPS).elided() == []
    elided = [Piece("So", " "), Piece("'s", " "), *sentence("Avonds", "too", ".")]
    assert made_up([*KEEPS_STOPS, elided]).elided() == [Piece("'s", "")]


def test_french_verbs_have_pronouns_behind_hyphens_where_the_treebank_cuts_these() -> None:
    verbs = ["donne", "regarde", "mets", "tiens", "venez", "prenez", "ferme", "porte", "ouvre", "laisse"]
    asked = [sentence(verb.title(), "-il", "?") for verb in verbs * 2]
    told = [sentence("Le", "chien", verb, "bien", ".") for verb in verbs * 2]
    of_verbs = [pieces for pieces in some(made_up([*asked, *told]).part_of_sentence) if has_pronoun(pieces)]
    assert {tuple(piece.surface for piece in pieces[1:]) for pieces in of_verbs} >= {
        ("-moi",),
        ("-le", "-moi"),
    }
    assert all(pieces[0].surface.endswith(("e", "s", "ez")) for pieces in of_verbs)
    assert ["rendez-vous"] in (
        [piece.surface for piece in pieces] for pieces in some(made_up(told + asked).part_of_sentence)
    )
    assert not any(map(has_pronoun, some(made_up(told).part_of_sentence)))


def has_pronoun(pieces: Pieces) -> bool:
    return pieces[-1].surface.startswith("-") and pieces[-1].surface[1:].isalpha()
