"""Which classes of step an arc-eager parser may take, in training as in use: the root takes one child.

That child has a label of roots, as in `step_rules`, and stays on the stack until no words remain. The last
word is not shifted, and does not get a head while one below has none: so every word gets one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.eager_computations import reduce_class
from treewhile.incremental.parsers.labelled_computations import SHIFT
from treewhile.incremental.parsers.network_shapes import step_classes
from treewhile.incremental.parsers.step_rules import ROOT_LABEL, labels_of
from treewhile.oracles.systems import ARC_EAGER

# What can be done next: on top of the stack stands the root, its child, a word with a head or one without;
# and the front may be known to be the last word.
(
    ON_ROOT,
    ON_ROOT_AT_LAST,
    ON_ITS_CHILD,
    ON_ITS_CHILD_AT_LAST,
    ON_HEADLESS,
    ON_HEADLESS_AT_LAST,
    ON_HEADED,
    ON_HEADED_AT_LAST,
    MUST_REDUCE,
    MUST_UNSHIFT,
    IS_FINAL,
) = range(11)


def eager_situation(nodes: int, has_head: bool, headless: int, remaining: int, knows_the_end: bool) -> int:
    """What can be done with some nodes on the stack, the root included, of which the top may have a head.

    Where no words remain, the end has to be known.
    """
    if remaining < 1:
        if nodes < 2:
            return IS_FINAL
        return MUST_REDUCE if has_head else MUST_UNSHIFT
    at_last = int(knows_the_end and remaining == 1)
    if nodes < 2:
        return ON_ROOT + at_last
    if not has_head:
        return ON_HEADLESS + at_last
    if nodes < 3:
        return ON_ITS_CHILD + at_last
    if at_last and headless > 0:
        return MUST_REDUCE
    return ON_HEADED + at_last


def barred_eager_classes(
    labels: Sequence[str], root_labels: Collection[str] = (ROOT_LABEL,)
) -> npt.NDArray[np.float32]:
    """[situation, class]: 0 for the classes of step that are legal, -inf for others."""
    kinds = len(labels)
    inner, root = (np.array(labels_of(labels, is_root, root_labels)) for is_root in (False, True))
    barred = np.full((MUST_UNSHIFT, step_classes(kinds, ARC_EAGER)), -np.inf, np.float32)
    barred[[ON_ROOT, ON_ITS_CHILD, ON_HEADLESS, ON_HEADED], SHIFT] = 0
    for on_root in (ON_ROOT, ON_ROOT_AT_LAST):
        barred[on_root, 1 + kinds + root] = 0
    for takes_right in (ON_ITS_CHILD, ON_ITS_CHILD_AT_LAST, ON_HEADLESS, ON_HEADED, ON_HEADED_AT_LAST):
        barred[takes_right, 1 + kinds + inner] = 0
    for goes_left in (ON_HEADLESS, ON_HEADLESS_AT_LAST):
        barred[goes_left, 1 + inner] = 0
    barred[[ON_HEADED, ON_HEADED_AT_LAST, MUST_REDUCE], reduce_class(kinds)] = 0
    return barred
