"""Legal classes of step, in training and in use: the root takes one child, as the very last step.

That child has a label of roots, and no other word has one, unless one of these kinds of label is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.labelled_computations import SHIFT, step_of
from treewhile.incremental.parsers.network_shapes import step_classes
from treewhile.oracles.errors import InputError
from treewhile.oracles.transitions import Configuration, step_numbered

ROOT_LABEL: Final = "root"  # in Universal Dependencies; other treebanks have others

# Possible steps in a configuration.
MUST_SHIFT, ANY_STEP, MUST_REDUCE, MUST_TAKE_ROOT, IS_FINAL = range(5)


def situation(nodes: int, may_shift: bool) -> int:
    """Return the possible steps for a stack of so many nodes, root included; waiting counts as shifting."""
    if may_shift:
        return MUST_SHIFT if nodes < 3 else ANY_STEP
    if nodes < 3:
        return IS_FINAL if nodes < 2 else MUST_TAKE_ROOT
    return MUST_REDUCE


def labels_of(
    labels: Sequence[str], is_root: bool, root_labels: Collection[str] = (ROOT_LABEL,)
) -> list[int]:
    """Return the numbers of the labels that a child of the root, or another word, can have."""
    of_root = [number for number, label in enumerate(labels) if label in root_labels]
    others = [number for number, label in enumerate(labels) if label not in root_labels]
    return (of_root or others) if is_root else (others or of_root)


def barred_classes(
    labels: Sequence[str], root_labels: Collection[str] = (ROOT_LABEL,)
) -> npt.NDArray[np.float32]:
    """Return [situation, class]: 0 for legal classes of step, -inf for others."""
    kinds = len(labels)
    inner, root = (np.array(labels_of(labels, is_root, root_labels)) for is_root in (False, True))
    barred = np.full((IS_FINAL, step_classes(kinds)), -np.inf, np.float32)
    barred[[MUST_SHIFT, ANY_STEP], SHIFT] = 0
    for reducing in (ANY_STEP, MUST_REDUCE):
        barred[reducing, 1 + inner] = barred[reducing, 1 + kinds + inner] = 0
    barred[MUST_TAKE_ROOT, 1 + root] = 0
    return barred


def checked_classes(classes: Sequence[int], kinds: int, n: int) -> list[int]:
    """Return the classes if they are legal in sequence over n unshifted words; else raise an InputError."""
    configuration, legal = Configuration.initial(n), range(step_classes(kinds))
    for place, step_class in enumerate(classes, 1):
        if step_class not in legal:
            what = f"step {place} is {step_class!r:.40}, and the classes of step are 0 to {legal[-1]}"
            raise InputError(f"{what}: give one of these")
        configuration = configuration.apply(step_numbered(step_of(step_class, kinds)))
    return [*map(int, classes)]
