from __future__ import annotations

import numpy as np

from treewhile.incremental.parsers.shift_reduce import (
    ANY_STEP,
    IS_FINAL,
    MUST_REDUCE,
    MUST_SHIFT,
    MUST_TAKE_ROOT,
    barred_classes,
    labels_of,
    situation,
)

LABELS = ("det", "root", "obj")


def test_the_root_takes_its_child_when_no_words_are_to_come() -> None:
    assert [situation(nodes, may_shift=True) for nodes in (1, 2, 3, 9)] == [MUST_SHIFT] * 2 + [ANY_STEP] * 2
    ends = [situation(nodes, may_shift=False) for nodes in (1, 2, 3, 9)]
    assert ends == [IS_FINAL, MUST_TAKE_ROOT, MUST_REDUCE, MUST_REDUCE]


def test_each_situation_has_its_legal_classes() -> None:
    legal = [np.flatnonzero(row == 0).tolist() for row in barred_classes(LABELS)]
    assert legal[MUST_SHIFT] == [0]
    assert legal[ANY_STEP] == [0, 1, 3, 4, 6]
    assert legal[MUST_REDUCE] == [1, 3, 4, 6]
    assert legal[MUST_TAKE_ROOT] == [2]


def test_the_label_of_roots_is_for_the_child_of_the_root_unless_there_is_no_other() -> None:
    assert (labels_of(LABELS, is_root=True), labels_of(LABELS, is_root=False)) == ([1], [0, 2])
    for labels in (("det", "obj"), ("root",)):
        everything = [*range(len(labels))]
        assert labels_of(labels, is_root=True) == labels_of(labels, is_root=False) == everything
