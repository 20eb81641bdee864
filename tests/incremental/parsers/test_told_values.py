from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cases import each

from treewhile.incremental import GrowingParse, Model
from treewhile.incremental.parsers.told_values import ToldValues
from treewhile.oracles import InputError

KNOWN = ("UPOS=NOUN", "UPOS=VERB", "Number=Sing", "Case=Nom")
WORDS = ["dog", "barks"]


def test_values_have_the_numbers_in_which_the_model_knows_them() -> None:
    values = [["UPOS=VERB", "Case=Nom"], ("UPOS=NOUN",), [], iter(["Number=Sing", "UPOS=NOUN"])]
    assert ToldValues(KNOWN).numbers(values) == [[1, 3], [0], [], [2, 0]]


def test_tags_and_features_that_the_treebank_had_not_say_nothing() -> None:
    assert ToldValues(KNOWN).numbers([["UPOS=X", "Case=Nom"], ["UPOS=NOUN", "Case=Abe", "odd"]]) == [[3], [0]]
    assert ToldValues(KNOWN).numbers([["UPOS=_"], ["UPOS=_", "Case=Nom"]]) == [[], [3]]


def test_other_tags_than_universal_ones_can_be_new() -> None:
    assert ToldValues(("UPOS=NN", "UPOS=NOUN")).numbers([["UPOS=NN$"], ["UPOS=NN"]]) == [[], [0]]


WRONG: list[tuple[list[Any], str]] = [
    ([["NOUN"], ["UPOS=VERB"]], "^word 1 is told 'NOUN': give it one tag, such as 'UPOS=NOUN'"),
    ([["UPOS=NOUN"], ["POS=VERB"]], "^word 2 is told 'POS=VERB': give it one tag"),
    ([["UPOS=NOUN"], ["Number=Sing"]], "^word 2 is told 'Number=Sing': give it one tag"),
    ([["UPOS=NOUN", "UPOS=VERB"], []], "^word 1 is told 'UPOS=NOUN, UPOS=VERB': give it one tag"),
    ([["UPOS=noun"], []], "^word 1 is told 'UPOS=noun', but the tags of the model are NOUN, VERB: give one"),
    ([["UPOS=NN"], []], "^word 1 is told 'UPOS=NN', but"),
    ([["UPOS=NOUN|Number=Sing"], []], r"^word 1 is told 'UPOS=NOUN\|Number=Sing', but"),
    (["NOUN", "VERB"], r"^the values of a word are 'NOUN': give a list, such as \['UPOS=NOUN'\]$"),
    (["UPOS=NOUN", "UPOS=VERB"], "^the values of a word are 'UPOS=NOUN': give a list"),
    ([["UPOS=NOUN"], None], "^the values of a word are None: give a list"),
    ([[None], []], r"^the values of a word are \[None\]: give a list"),
    ([[["UPOS=NOUN"]], []], r"^the values of a word are \[\['UPOS=NOUN'\]\]: give a list"),
    ([["UPOS=NOUN"]], "give one list for each"),
]


@each("values, complaint", WRONG)
@each("tags", ["gold-upos", "gold"])
def test_a_model_refuses_what_no_word_can_be_told(
    tags: str, values: list[Any], complaint: str, make_model: Callable[..., Model]
) -> None:
    with pytest.raises(InputError, match=complaint):
        make_model(tags=tags).parse(WORDS, values)


@each("values", [case[0] for case in WRONG[:-1]])
def test_a_growing_parse_refuses_them_and_stays_as_it_was(
    values: list[Any], make_model: Callable[..., Model]
) -> None:
    parse = GrowingParse(make_model(tags="gold"))
    with pytest.raises(InputError, match=r"is told|the values of a word are|give one list"):
        append_all(parse, values)
    assert parse.words in ((), ("dog",))
    assert len(parse.committed().heads) == parse.word_count


def append_all(parse: GrowingParse, values: list[Any]) -> None:
    for word, told in zip(WORDS, values, strict=True):
        parse.append(word, told)
