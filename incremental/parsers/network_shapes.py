"""Constants of the network, shared by training and inference: widths, special nodes, roles of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# Nodes that are not words, in the order of their vectors; the virtual nodes of the stock follow.
SPECIAL: Final = ("root", "end", "later", "unused")

# Substitutes for a missing word in a role, in the order of their vectors.
MISSING: Final = ("none", "root", "hidden", "end")

# Roles of words for the next step: the stack from its top, the outermost children of its two upper nodes, the
# buffer.
ROLES: Final = ("s0", "s1", "s2", "s0 left", "s0 right", "s1 left", "s1 right", "b0", "b1", "b2")

SPANS: Final = "spans"  # part of a model that scores constituents; prefix of the names of its arrays

SLOPE: Final = 0.1  # of the leaky rectifier, left of 0


@dataclass(frozen=True)
class Shape:
    """Widths of the layers."""

    form: int = 128
    ngrams: int = 96
    character: int = 48
    spelling: int = 96
    values: int = 96
    state: int = 256
    tagger: int = 192
    arc: int = 320
    label: int = 256
    steps: int = 384
    awaiting: int = 128

    def word(self, with_values: bool) -> int:
        return self.form + self.ngrams + 2 * self.spelling + (self.values if with_values else 0)


def step_classes(labels: int) -> int:
    """Return the number of classes of step: shift, and both reductions with each label."""
    return 1 + 2 * labels


def step_outputs(labels: int) -> int:
    """Return the number of outputs for a configuration: the scores of the classes, then PATIENCE.

    PATIENCE is the number of additional correct edges expected of a parser that waits for all of AHEAD.
    """
    return step_classes(labels) + 1
