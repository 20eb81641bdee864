from __future__ import annotations

import io
import json

import pytest

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.parsers.inventories import (
    CHARACTER_CLASSES,
    LONGEST_SPELLING,
    NGRAM_ROWS,
    Inventory,
    ngrams,
)
from treewhile.oracles import InputError


def sentences(*texts: str) -> list[Sentence]:
    """Sentences of forms and tags like "Dogs/NOUN bark/VERB", whose last word is the root."""
    lines = []
    for text in texts:
        pairs = [pair.split("/") for pair in text.split()]
        for number, (form, tag) in enumerate(pairs, 1):
            head, label = (0, "root") if number == len(pairs) else (len(pairs), "dep")
            lines.append(f"{number}\t{form}\t_\t{tag}\t_\tX={tag}\t{head}\t{label}\t_\t_\n")
        lines.append("\n")
    return [*read_sentences(io.BytesIO("".join(lines).encode()))]


@pytest.fixture
def inventory() -> Inventory:
    treebank = sentences("Dogs/NOUN bark/VERB", "dogs/NOUN sleep/VERB", "cats/NOUN sleep/VERB")
    return Inventory.of(treebank, lambda word: [f"UPOS={word.upos}"])


def test_it_has_what_the_treebank_has(inventory: Inventory) -> None:
    assert inventory.tags == ("NOUN", "VERB")
    assert inventory.labels == ("dep", "root")
    assert inventory.features == ("X=NOUN", "X=VERB")
    assert inventory.values == ("UPOS=NOUN", "UPOS=VERB")
    assert inventory.stock == ("VERB",)


def test_forms_are_known_in_lower_case_if_they_are_frequent(inventory: Inventory) -> None:
    assert inventory.forms == ("dogs", "sleep")
    assert inventory.code("DOGS").form == inventory.code("dogs").form == 1
    assert inventory.code("cats").form == inventory.code("ferrets").form == 0


def test_characters_that_are_rare_are_told_apart_by_their_class(inventory: Inventory) -> None:
    assert "s" in inventory.characters
    assert "b" not in inventory.characters
    (start, rare, end), (_, digit, _) = inventory.code("b").characters, inventory.code("7").characters
    assert [CHARACTER_CLASSES[number] for number in (start, rare, end, digit)] == ["<", "Ll", ">", "Nd"]


@pytest.mark.parametrize("form", ["a", "x" * 10_000, "🎉", "\ud800", "\0", "e\u0301", "東京"])
def test_any_text_has_a_code_of_bounded_length(form: str, inventory: Inventory) -> None:
    code = inventory.code(form)
    assert 3 <= len(code.characters) <= LONGEST_SPELLING + 2
    assert 1 <= len(code.ngrams) <= 4 * (LONGEST_SPELLING + 2)
    rows = len(CHARACTER_CLASSES) + len(inventory.characters)
    assert all(0 <= number < rows for number in code.characters)
    assert all(0 <= number < NGRAM_ROWS for number in code.ngrams)


def test_relatives_share_ngrams() -> None:
    assert len({*ngrams("unheard", NGRAM_ROWS)} & {*ngrams("unheard-of", NGRAM_ROWS)}) >= 10
    assert not {*ngrams("unheard", NGRAM_ROWS)} & {*ngrams("cab", NGRAM_ROWS)}


@pytest.mark.parametrize(
    ("labels", "of_roots"),
    [
        (["dep", "root"], ("root",)),
        (["root", "root"], ("root",)),  # a slip of an annotator
        (["dep", "HEAD"], ("HEAD",)),
        (["HEAD", "HEAD"], ()),
        (["_", "_"], ()),
    ],
)
def test_what_children_of_the_root_are_called_is_learnt(labels: list[str], of_roots: tuple[str, ...]) -> None:
    columns = {number: {"deprel": label} for number, label in enumerate(labels, 1)}
    treebank = [sentence.with_columns(columns) for sentence in sentences("a/X b/Y", "c/X d/Y")]
    inventory = Inventory.of(treebank, lambda word: [])
    assert inventory.root_labels == of_roots
    assert Inventory.from_json(json.loads(json.dumps(inventory.to_json()))) == inventory


def test_labels_that_other_words_have_too_do_not_tell_roots() -> None:
    several = [
        sentence.with_columns({2: {"deprel": label}, 1: {"deprel": "Atr"}})
        for sentence, label in zip(
            sentences(*["a/X b/Y"] * 6), ["Pred"] * 3 + ["ExD"] * 2 + ["Atr"], strict=True
        )
    ]
    assert Inventory.of(several, lambda word: []).root_labels == ("Pred", "ExD")
    mostly_shared = [sentence.with_columns({1: {"deprel": "Pred"}}) for sentence in several]
    assert Inventory.of(mostly_shared, lambda word: []).root_labels == ()


def test_inventories_of_older_models_say_nothing_of_roots(inventory: Inventory) -> None:
    values = inventory.to_json()
    del values["root_labels"]
    assert Inventory.from_json(values) == inventory
    assert Inventory.from_json({**values, "labels": ["dep", "HEAD"]}).root_labels == ()


def test_json_and_back_gives_the_same(inventory: Inventory) -> None:
    assert Inventory.from_json(json.loads(json.dumps(inventory.to_json()))) == inventory


def test_what_is_not_annotated_is_not_learnt() -> None:
    treebank = [sentence.with_columns({1: {"upos": "_", "deprel": "_"}}) for sentence in sentences("a/X b/Y")]
    assert Inventory.of(treebank, lambda word: []).tags == ("Y",)
    assert Inventory.of(treebank, lambda word: []).labels == ("root",)
    nothing = [sentence.with_columns({2: {"upos": "_"}}) for sentence in treebank]
    assert Inventory.of(nothing, lambda word: []).tags == ("_",)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"tags": []}, "has no tags"),
        ({"labels": ["dep", "dep"]}, "labels of the inventory have to differ"),
        ({"stock": ["VERB"] * 7}, "at most 6 of its tags"),
        ({"stock": ["PART"]}, "at most 6 of its tags"),
        ({"labels": ["dep"], "root_labels": ["HEAD"]}, "labels of roots .* have to be among its labels"),
    ],
)
def test_sets_that_make_no_sense_are_refused(
    inventory: Inventory, change: dict[str, object], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        Inventory.from_json({**inventory.to_json(), **change})


@pytest.mark.parametrize("change", [{"tags": None}, {"tags": "NOUN"}, {"labels": [1]}])
def test_json_of_another_kind_is_refused(inventory: Inventory, change: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"has to have a list of strings named (tags|labels)"):
        Inventory.from_json({**inventory.to_json(), **change})
