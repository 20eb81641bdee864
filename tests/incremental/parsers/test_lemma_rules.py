from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewhile.incremental.parsers.lemma_rules import RuleClass, RuleIndex, rule_classes, rule_of

PAIRS = [
    ("running", "run"),
    ("The", "the"),
    ("Boston", "Boston"),
    ("BOSTON", "Boston"),
    ("IBM", "IBM"),
    ("usa", "USA"),
    ("McDonalds", "McDonald"),
    ("eBay", "Ebay"),
    ("UnleadedStocks", "unleadedstock"),
    ("was", "be"),
    ("aangebring", "aanbring"),
    ("regeringsvorming", "regering_vorming"),
    ("Straßen", "Straße"),
    ("İzmir", "İzmir"),
    ("'m", "be"),
    ("x", "a longer lemma"),
]


@pytest.mark.parametrize(("form", "lemma"), PAIRS)
def test_the_rule_of_a_form_and_its_lemma_gives_the_lemma(form: str, lemma: str) -> None:
    rule = rule_of(form, lemma)
    assert rule.parts(form) is not None
    assert rule.lemma(form) == lemma


def test_forms_that_differ_in_case_have_one_rule() -> None:
    assert rule_of("The", "the") == rule_of("dog", "dog")
    assert rule_of("Boston", "Boston") == rule_of("BOSTON", "Boston") == rule_of("boston", "Boston")


def test_forms_with_capitals_inside_keep_their_case() -> None:
    as_dogs, as_boston = rule_of("dogs", "dog"), rule_of("boston", "Boston")
    forms = ("MacBooks", "URVs", "DOGS", "Dogs")
    assert [as_dogs.lemma(form) for form in forms] == ["MacBook", "URV", "dog", "dog"]
    assert [as_boston.lemma(form) for form in ("eBay", "iPhone", "BOSTON")] == ["eBay", "iPhone", "Boston"]


def test_a_class_cuts_only_what_it_has_cut_in_training() -> None:
    [shorter] = rule_classes([("dogs", "dog"), ("cats", "cat"), ("kine", "kin"), ("went", "go")])
    assert (shorter.lemma("birds"), shorter.lemma("fine"), shorter.lemma("moth")) == ("bird", "fin", "")
    assert shorter.lemma("") == ""


def test_classes_are_read_as_they_were_written() -> None:
    classes = rule_classes(PAIRS * 2)
    assert len(classes) > 5
    assert [RuleClass.from_text(str(one)) for one in classes] == [*classes]


@pytest.mark.parametrize(
    "text", ["", "lower", "odd\t0\t0\t\t0\t0\t", "lower\t-1\t0\t\t0\t0\t", "lower\t0\t0\t\t0\t0\t\ta"]
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        RuleClass.from_text(text)


WORDS = st.text("abAŻżİ", max_size=5)


@given(st.lists(st.tuples(WORDS.filter(bool), WORDS.filter(bool)), min_size=1, max_size=12), WORDS)
def test_the_index_finds_the_classes_that_apply(pairs: list[tuple[str, str]], form: str) -> None:
    classes = rule_classes(pairs * 2)
    lemmas = {number: one.lemma(form) for number, one in enumerate(classes)}
    assert RuleIndex(classes).lemmas(form) == {number: lemma for number, lemma in lemmas.items() if lemma}
    for lemma in {*lemmas.values()} - {""}:
        giving = [number for number, one in lemmas.items() if one == lemma]
        assert RuleIndex(classes).giving(form, lemma) == giving
