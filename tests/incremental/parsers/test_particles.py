from __future__ import annotations

import pytest

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.particles import Particles

VERB, OTHER = 0, 1
OBJECT, PARTICLE, NO_HEAD = 0, 1, -1


def particles(*known: str, labels: tuple[str, ...] = ("obj", "compound:prt")) -> Particles:
    inventory = Inventory(
        forms=(),
        characters=(),
        values=(),
        tags=("VERB", "ADP"),
        features=("_",),
        labels=labels,
        stock=(),
        ngram_rows=1,
    )
    return Particles({lemma: frozenset({VERB}) for lemma in known}, inventory)


def verb_of(
    lemma: str, words: str, particle: str, known: tuple[str, ...] = ("op_bellen", "uit_leggen")
) -> str:
    """Return the lemma of the first word, on which the others depend."""
    forms = words.split()
    labels = [PARTICLE if form.lower() == particle else OBJECT for form in forms]
    tags = [VERB, *[OTHER] * (len(forms) - 1)]
    lemmas = [lemma, *forms[1:]]
    return particles(*known).joined(lemmas, forms, tags, [0, *[1] * (len(forms) - 1)], labels)[0]


@pytest.mark.parametrize(
    ("lemma", "words", "particle", "expected"),
    [
        ("bellen", "bel je Op", "op", "op_bellen"),
        ("op_bellen", "bel je op", "op", "op_bellen"),
        ("uit_bellen", "bel je op", "op", "op_bellen"),
        ("uit_leggen", "legde het", "", "leggen"),
        ("uit_leggen", "uitgelegd", "", "uit_leggen"),
        ("uit_leggen", "Uitleggen", "", "uit_leggen"),
        ("gaan", "ging de deur dicht", "dicht", "gaan"),
        ("leggen", "legde af", "af", "leggen"),
    ],
)
def test_verbs_have_the_particles_that_depend_on_them(
    lemma: str, words: str, particle: str, expected: str
) -> None:
    assert verb_of(lemma, words, particle) == expected


def test_words_that_are_no_verbs_and_virtual_nodes_have_none() -> None:
    found = particles("op_bellen").joined(
        ["bel", "op"], ["bel", "op"], [OTHER, OTHER], [3, 1, 0], [OBJECT, PARTICLE, OBJECT]
    )
    assert found == ("bel", "op")


def test_treebanks_that_join_none_have_none() -> None:
    assert particles("op_bellen").are_joined
    assert not particles("aufgeben", "bellen").are_joined
    assert not particles("op_bellen", labels=("obj",)).are_joined
