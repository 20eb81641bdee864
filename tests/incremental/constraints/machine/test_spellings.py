"""Words are asked for their spellings, tags and features."""

from __future__ import annotations

from cases import each

from treewhile.incremental.constraints.language.spellings import shape_of
from treewhile.incremental.constraints.machine.attributes import Affix, attribute_of, values_of


@each(
    "word, shape",
    [
        ("Peter", "Xx"),
        ("USA", "X"),
        ("iPhone", "xXx"),
        ("1990", "d"),
        ("3.5", "d.d"),
        ("x-ray", "x-x"),
        ("犬", "x"),
    ],
)
def test_shapes_name_runs_of_characters(word: str, shape: str) -> None:
    assert shape_of(word) == shape


def test_features_are_read_as_in_conllu() -> None:
    assert values_of("Case=Acc,Dat|Number[psor]=Sing") == {"Case": "Acc,Dat", "Number[psor]": "Sing"}
    assert values_of("_") == {}


def test_what_a_word_has_not_is_none() -> None:
    word = "Dogs", "NOUN", "Number=Plur"
    names = ("form", "lower", "shape", "tag", "feature Number", "feature Case")
    assert [attribute_of(name, *word) for name in names] == ["Dogs", "dogs", "Xx", "NOUN", "Plur", None]


def test_the_longest_affix_is_the_one_that_a_word_has() -> None:
    word = "Dogs", "NOUN", "_"
    asked = [Affix("ends", ("ogs", "s")), Affix("starts", ("do", "d")), Affix("ends", ("d", "o"))]
    assert [attribute_of(affix, *word) for affix in asked] == ["ogs", "do", None]
