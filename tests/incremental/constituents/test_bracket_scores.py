from __future__ import annotations

import io
import os
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cases import cases, each, each_seed
from planted_phrases import LABELS, disturbed, random_phrase
from PYEVALB import parser, scorer, summary

from treewhile.incremental.constituents.bracket_scores import (
    EVALB,
    PYEVALB,
    Bracket,
    BracketScore,
    TreebankScore,
    crossing_brackets,
    paired_phrases,
)
from treewhile.incremental.constituents.bracketed_trees import on_one_line, read_trees
from treewhile.oracles import InputError
from treewhile.oracles.constituents.phrase_trees import Leaf, Phrase

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
GUM = DATA / "gum" / "gum-dev.ptb"
PUNCTUATION = {",", ":", "``", "''", "."}


def phrase(text: str) -> Phrase:
    (tree,) = read_trees(io.StringIO(text))
    return tree.phrase


def judged(pairs: Iterable[tuple[Phrase, Phrase]]) -> Any:
    """What PYEVALB sums up, and its results by tree."""
    results = [
        scorer.Scorer().score_trees(*(parser.create_from_bracket_string(on_one_line(tree)) for tree in pair))
        for pair in pairs
    ]
    return summary.summary(results), results


def assert_equal_to_pyevalb(pairs: list[tuple[Phrase, Phrase]]) -> None:
    score = TreebankScore(PYEVALB)
    ours = [score.add(*pair) for pair in pairs]
    told, results = judged(pairs)
    for tree, result in zip(ours, results, strict=True):
        counts = (result.matched_brackets, result.gold_brackets, result.test_brackets)
        assert (tree, tree.recall, tree.precision) == (counts, result.recall, result.prec)
    assert score.crossing == sum(result.cross_brackets for result in results)
    shares = score.brackets.recall, score.brackets.precision, score.brackets.f1
    shares += score.exact_share, score.uncrossed_share, score.tag_accuracy
    theirs = told.bracket_recall, told.bracket_prec, told.bracker_fmeasure
    theirs += told.complete_match, told.no_crossing, told.tagging_accuracy
    assert [100 * share for share in shares] == pytest.approx(theirs, abs=1e-9)


def as_collins(tree: Phrase) -> Phrase | None:
    """What is left for PYEVALB to count if it is to count as EVALB: written apart from our conventions."""
    seen: Counter[tuple[str, int, int]] = Counter()

    def kept(node: Phrase | Leaf, start: int) -> tuple[list[Phrase | Leaf], int]:
        if isinstance(node, Leaf):
            return ([], start) if node.tag in PUNCTUATION else ([node], start + 1)
        children, end = [], start
        for child in node.children:
            left, end = kept(child, end)
            children += left
        if not children:
            return [], start
        label = node.label.partition("-")[0].replace("PRT", "ADVP")
        seen[label, start, end] += 1
        return [Phrase(f"{label}/{seen[label, start, end]}", tuple(children))], end

    left, _ = kept(tree, 0)
    return left[0] if left and isinstance(left[0], Phrase) else None


def assert_equal_to_evalb(pairs: list[tuple[Phrase, Phrase]]) -> None:
    score = TreebankScore(EVALB)
    for gold, system in pairs:
        ours = score.add(gold, system)
        truth, answer = as_collins(gold), as_collins(system)
        if truth is None or answer is None:
            assert ours == BracketScore()
            continue
        _, (result,) = judged([(truth, answer)])
        counts = (result.matched_brackets, result.gold_brackets, result.test_brackets)
        assert ours == tuple(count - 1 for count in counts)  # that of the root


def random_pairs(seed: int) -> list[tuple[Phrase, Phrase]]:
    rng = random.Random(seed)
    golds = [random_phrase(rng, rng.randint(1, 12)) for _ in range(5)]
    return [(gold, disturbed(rng, gold, rng.randint(0, 6))) for gold in golds]


@each_seed(cases(60))
def test_random_trees_have_the_scores_of_pyevalb(seed: int) -> None:
    assert_equal_to_pyevalb(random_pairs(seed))


@each_seed(cases(60))
def test_random_trees_have_the_scores_of_evalb(seed: int) -> None:
    assert_equal_to_evalb(random_pairs(seed))


@pytest.mark.slow
@pytest.mark.skipif(not GUM.exists(), reason="needs GUM's trees")
def test_all_trees_of_gum_have_the_scores_of_pyevalb_and_of_evalb() -> None:
    rng = random.Random(17)
    trees = [tree.phrase for tree in read_trees(GUM)]
    pairs = [(tree, disturbed(rng, tree, rng.randint(0, 8))) for tree in trees]
    assert_equal_to_pyevalb(pairs)
    assert_equal_to_evalb(pairs)


def test_functions_roots_punctuation_and_particles_do_not_matter_to_evalb() -> None:
    gold = phrase("(ROOT (S (NP-SBJ (PRP I)) (VP (VBD gave) (PRT (RP up))) (PRN (. .))))")
    system = phrase("(S (NP (PRP I)) (VP (VBD gave) (ADVP (RB up)) (. .)))")
    score = TreebankScore()
    assert score.add(gold, system) == BracketScore(4, 4, 4)
    assert (score.exact, score.words, score.tags) == (1, 3, 2)
    assert score.by_label == {label: BracketScore(1, 1, 1) for label in ("ADVP", "NP", "S", "VP")}


def test_repeated_brackets_count_as_often_as_both_have_them() -> None:
    thrice, twice = (phrase("(S " + "(NP " * n + "(NN a)" + ")" * n + " (NN b))") for n in (3, 2))
    assert TreebankScore(EVALB).add(thrice, twice) == BracketScore(3, 4, 3)
    assert TreebankScore(PYEVALB).add(thrice, twice) == BracketScore(2, 4, 3)


def test_scores_by_label_and_by_length_sum_up_to_the_whole() -> None:
    rng = random.Random(5)
    score = TreebankScore()
    for n in (1, 10, 11, 60, 61, 90):
        gold = random_phrase(rng, n)
        score.add(gold, disturbed(rng, gold, n // 3))
    assert [*score.by_length] == ["1-10", "11-20", "51-60", "61-"]
    for parts in (score.by_label, score.by_length):
        assert sum(parts.values(), BracketScore()) == score.brackets
    assert set(score.by_label) <= {*LABELS}


def test_shares_of_nothing_are_none() -> None:
    assert {*BracketScore().as_json().values()} == {0}
    score = TreebankScore()
    assert (score.exact_share, score.uncrossed_share, score.tag_accuracy) == (0, 0, 0)


def test_brackets_cross_that_share_words_and_have_others() -> None:
    gold = [Bracket("A", 2, 5), Bracket("A", 2, 3)]
    crossing = [Bracket("B", 1, 3), Bracket("B", 4, 6), Bracket("B", 0, 4)]
    others = [
        Bracket("B", 2, 5),
        Bracket("B", 1, 6),
        Bracket("B", 3, 4),
        Bracket("B", 5, 6),
        Bracket("B", 0, 2),
    ]
    assert [*crossing_brackets(gold, crossing + others)] == crossing


@each(
    "system, problem",
    [
        (
            "(S (X a))\n(S (X b)\n(X d))",
            r"the word 'd' has to be 'c' as at .*:2, column 13, at .*:3, column 4",
        ),
        ("(S (X a))\n(S (X b))", r"the system's tree ends before the word 'c' of .*:2, column 13, at .*:2"),
        ("(S (X a) (X b))", r"the gold tree ends before the word 'b' of .*:1, column 13, at .*:1"),
        ("(S (X a))", r"the system's trees end before the one of .*:2"),
        ("(S (X a))\n(S (X b) (X c))\n(S (X d))", r"the gold trees end before the tree at .*:3"),
        ("(S (-NONE- a))", r"ends before the word 'a'"),
    ],
)
def test_trees_over_other_words_are_refused(system: str, problem: str) -> None:
    gold = "(S (X a))\n(S (X b) (X c))\n"
    with pytest.raises(InputError, match=problem):
        [*paired_phrases(read_trees(io.StringIO(gold)), read_trees(io.StringIO(system)))]


def test_empty_elements_are_no_words() -> None:
    gold, system = io.StringIO("(S (X a) (NP (-NONE- *)) (X b))"), io.StringIO("(S (X a) (X b))")
    ((one, other),) = paired_phrases(read_trees(gold), read_trees(system))
    assert one == other
