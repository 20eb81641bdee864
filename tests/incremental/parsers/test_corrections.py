from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from cases import cases, each_seed
from every_tree import CLASSES, all_trees
from growing_parses import grown
from reach import Reached

from treewhile.incremental.constraints.language.grammars import load_grammar
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.parsers.corrections import Correction, Corrections
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference, Rescored
from treewhile.incremental.parsers.tree_decoding import LONGEST
from treewhile.incremental.search import SearchRequest
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt

Draw = Callable[[random.Random, int], Sequence[str]]

TREES = [tree for tree in all_trees(5) if tree.count(0) == 1]


def drawn(source: random.Random, words: int, inventory: Inventory) -> dict[int, Correction]:
    """Corrections that may contradict each other."""
    labels = [label for label in inventory.labels if label not in inventory.root_labels]
    found = {}
    for word in source.sample(range(1, words + 1), source.randint(1, 3)):
        head = source.choice([None, *(other for other in range(words + 1) if other != word)])
        label = source.choice([None, inventory.root_labels[0] if head == 0 else source.choice(labels)])
        found[word] = Correction(head, label, source.choice([None, *inventory.tags]))
    return found


def hold(tree: Sequence[int], corrections: Corrections, inventory: Inventory) -> bool:
    """Whether a tree has the heads, and no word with a label that it cannot have there."""
    return all(
        one.head in (None, tree[word - 1])
        and (one.label is None or (one.label in inventory.root_labels) == (tree[word - 1] == 0))
        for word, one in corrections.items()
    )


def rescored(model: Model, words: Sequence[str], corrections: Corrections, is_closed: bool) -> Rescored:
    return model.rescore(grown(model, words, is_closed).snapshot(), Preference(corrections=corrections))


@pytest.mark.reaches(0.3)
@pytest.mark.parametrize("trees", ["projective", "mh4"])
@each_seed(cases(15))
def test_the_best_tree_with_the_corrections_is_found(
    seed: int, trees: str, make_model: Callable[..., Model], random_words: Draw, reached: Reached
) -> None:
    source, model = random.Random(seed), make_model(seed=seed).with_trees(trees)
    model.punctuation = None  # whose heads are chosen so that it crosses nothing
    words, corrections = random_words(source, 5), drawn(source, 5, model.inventory)
    possible = [one for one in TREES if CLASSES[trees](one) and hold(one, corrections, model.inventory)]
    reached(bool(possible))
    if not possible:
        with pytest.raises(InputError):
            model.check_corrections(5, corrections)
        return
    model.check_corrections(5, corrections)
    found = rescored(model, words, corrections, is_closed=True)
    assert hold(found.analysis.heads, corrections, model.inventory)  # type: ignore[arg-type]
    for word, (_, label, tag) in corrections.items():
        assert label in (None, found.analysis.labels[word - 1])
        assert tag in (None, found.analysis.tags[word - 1])
    nodes = np.arange(1, 6)
    best = max(found.arc_logs[list(tree), nodes].sum() for tree in possible)
    own = found.arc_logs[list(found.analysis.heads), nodes].sum()
    assert own == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("trees", ["projective", "mh4"])
@pytest.mark.parametrize("is_closed", [False, True])
@each_seed(cases(10))
def test_l1_and_the_search_hold_corrections_of_prefixes_and_sentences(
    seed: int, is_closed: bool, trees: str, make_model: Callable[..., Model], random_words: Draw
) -> None:
    source, model = random.Random(seed), make_model(seed=seed).with_trees(trees)
    words, corrections = random_words(source, 7), drawn(source, 7, model.inventory)
    try:
        model.check_corrections(7, corrections)
    except InputError:
        return
    parse = grown(model, words, is_closed)
    found = rescored(model, words, corrections, is_closed)
    fixed = Preference(corrections=corrections)
    request = SearchRequest(found, parse.committed(), not is_closed, fixed=fixed)
    searched = ConstraintSearcher(model, load_grammar("universal")).search(request, Interrupt())
    assert searched is not None
    for analysis in (found.analysis, searched.analysis):
        for word, one in corrections.items():
            assert one.holds(analysis.heads[word - 1], analysis.labels[word - 1])
            assert one.tag in (None, analysis.tags[word - 1])


def test_corrections_hold_in_a_sentence_that_has_become_too_long_for_the_class(
    make_model: Callable[..., Model], random_words: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model().with_trees("mh4")
    corrections = {1: Correction(3), 2: Correction(4)}
    model.check_corrections(9, corrections)
    monkeypatch.setitem(LONGEST, "mh4", 8)
    for is_closed in (False, True):
        found = rescored(model, random_words(random.Random(1), 9), corrections, is_closed)
        assert found.analysis.heads[:2] == (3, 4)


@pytest.mark.parametrize(
    ("corrections", "reason"),
    [
        ({6: Correction(1)}, "there is no word 6: the sentence has 5"),
        ({1: Correction(6)}, "word 6 cannot be the head of 1"),
        ({1: Correction(1)}, "word 1 cannot be its own head"),
        ({1: Correction(0), 2: Correction(0)}, "words 1 and 2 cannot both be the root's child"),
        (
            {1: Correction(2), 2: Correction(3), 3: Correction(1)},
            "the heads of 1 and 2 and 3 would form a cycle",
        ),
        ({1: Correction(3), 2: Correction(4)}, "some of their arcs cross"),
        ({1: Correction(label="nonsense")}, "the model knows no label 'nonsense'"),
        ({1: Correction(tag="nonsense")}, "the model knows no tag 'nonsense'"),
        ({1: Correction(2, "root")}, "word 1 cannot be called root below 2"),
        ({1: Correction(0, "det")}, "word 1 cannot be called det below the root"),
    ],
)
def test_what_cannot_hold_is_refused_with_the_reason(
    corrections: dict[int, Correction], reason: str, model: Model
) -> None:
    with pytest.raises(InputError, match=reason):
        model.check_corrections(5, corrections)
