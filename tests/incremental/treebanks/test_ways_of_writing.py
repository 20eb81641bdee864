from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from small_treebanks import treebank

from treewhile.incremental import read_sentences
from treewhile.incremental.treebanks.prefix_trees import GoldTree
from treewhile.incremental.treebanks.treebank import Word
from treewhile.incremental.treebanks.ways_of_writing import (
    WAYS,
    as_spoken,
    in_lower_case,
    with_small_beginning,
    without_final_mark,
    written_in_another_way,
)

ROWS = [
    ("Well", "INTJ", 4, "discourse"),
    (",", "PUNCT", 1, "punct"),
    ("Mia", "PROPN", 4, "nsubj"),
    ("left", "VERB", 0, "root"),
    ("(", "PUNCT", 6, "punct"),
    ("-", "PUNCT", 4, "parataxis"),  # has a child
    ("!", "PUNCT", 4, "punct"),
]


def words(rows: Sequence[tuple[str, str, int, str]] = ROWS) -> Sequence[Word]:
    lines = [
        f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
        for number, (form, tag, head, label) in enumerate(rows, 1)
    ]
    [sentence] = read_sentences(io.BytesIO(("\n".join(lines) + "\n\n").encode()))
    return sentence.words


def said(changed: Sequence[Word]) -> list[tuple[str, int]]:
    assert [word.id for word in changed] == [str(number) for number in range(1, len(changed) + 1)]
    return [(word.form, int(word.head)) for word in changed]


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (as_spoken, [("well", 3), ("mia", 3), ("left", 0), ("-", 3)]),
        (
            in_lower_case,
            [("well", 4), (",", 1), ("mia", 4), ("left", 0), ("(", 6), ("-", 4), ("!", 4)],
        ),
        (
            with_small_beginning,
            [("well", 4), (",", 1), ("Mia", 4), ("left", 0), ("(", 6), ("-", 4), ("!", 4)],
        ),
        (
            without_final_mark,
            [("Well", 4), (",", 1), ("Mia", 4), ("left", 0), ("(", 6), ("-", 4)],
        ),
    ],
)
def test_the_tree_stays_while_words_are_written_otherwise(
    way: Callable[[Sequence[Word]], Sequence[Word]], expected: list[tuple[str, int]]
) -> None:
    assert said(way(words())) == expected


def test_a_mark_under_the_root_stays() -> None:
    assert said(as_spoken(words([("?", "PUNCT", 0, "root")]))) == [("?", 0)]
    assert said(without_final_mark(words([(".", "PUNCT", 0, "root")]))) == [(".", 0)]


def test_heads_that_are_not_known_stay_unknown() -> None:
    lines = "1\tJa\t_\tINTJ\t_\t_\t_\t_\t_\t_\n2\t.\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    [sentence] = read_sentences(io.BytesIO(lines.encode()))
    assert [(word.form, word.head) for word in as_spoken(sentence.words)] == [("ja", "_")]


def test_all_ways_occur_and_lose_no_edge_of_a_word_that_stays() -> None:
    random = np.random.default_rng(1)
    assert abs(sum(share for _, share in WAYS) - 1) < 1e-9
    lengths = set()
    for sentence in treebank(60, seed=3):
        before = sentence.words
        after = written_in_another_way(before, random)
        tree = GoldTree.of_words(after)
        lengths.add(len(before) - len(after))
        assert [word.deprel for word in after] == [word.deprel for word in before][: len(after)]
        assert [*tree.heads] == [int(word.head) for word in before][: len(after)]  # marks stand at the end
    assert lengths == {0, 1}
