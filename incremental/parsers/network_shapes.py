"""What the network consists of, shared by training and inference: widths, special nodes, roles of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, NGRAM_ROWS, Inventory

# Nodes that are no words, in the order of their vectors; the virtual nodes of the stock follow.
SPECIAL: Final = ("root", "end", "later", "unused")

# What a role of a configuration can be instead of a word, in the order of the vectors.
MISSING: Final = ("none", "root", "hidden", "end")

# Where the next step looks: the stack from its top, the outermost children of its two upper nodes, the input.
ROLES: Final = ("s0", "s1", "s2", "s0 left", "s0 right", "s1 left", "s1 right", "b0", "b1", "b2")

SLOPE: Final = 0.1  # of the leaky rectifier, left of 0


@dataclass(frozen=True)
class Shape:
    """The widths of the layers."""

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
    """How many classes of step there are: shift, and both reductions with so many labels."""
    return 1 + 2 * labels


def step_outputs(labels: int) -> int:
    """How many numbers a configuration comes to: the scores of the classes, then PATIENCE.

    That is how many more right edges are expected of a parser that decides once it has seen all of AHEAD.
    """
    return step_classes(labels) + 1


def array_shapes(inventory: Inventory, shape: Shape) -> dict[str, tuple[int, ...]]:
    """The shape of every array of a network, by its name."""
    H, with_values = shape.state, bool(inventory.values)
    word, labels, places = shape.word(with_values), len(inventory.labels), len(inventory.stock)
    shapes = {
        "forms.weight": (len(inventory.forms) + 1, shape.form),
        "ngrams.weight": (NGRAM_ROWS, shape.ngrams),
        "characters.weight": (len(inventory.characters) + len(CHARACTER_CLASSES), shape.character),
        "special": (len(SPECIAL) + places, word + H),
        "arc": (shape.arc + 1, shape.arc),
        "missing": (len(MISSING), H),
        "roles.weight": (len(ROLES) * shape.steps, H),
        "steps_bias": (shape.steps,),
    }
    if with_values:
        shapes["values.weight"] = (len(inventory.values), shape.values)
    for name, inputs, units in (
        ("spelling_forward", shape.character, shape.spelling),
        ("spelling_backward", shape.character, shape.spelling),
        ("causal_first", word, H),
        ("causal_second", H, H),
        ("backward_first", word + H, H),
        ("forward_second", 2 * H, H),
        ("backward_second", 2 * H, H),
    ):
        shapes[f"{name}.weight_ih_l0"], shapes[f"{name}.weight_hh_l0"] = (
            (4 * units, inputs),
            (4 * units, units),
        )
        shapes[f"{name}.bias_ih_l0"] = shapes[f"{name}.bias_hh_l0"] = (4 * units,)
    for name, inputs, outputs in (
        ("early_tags.hidden", H, shape.tagger),
        ("early_tags.tags", shape.tagger, len(inventory.tags)),
        ("early_tags.features", shape.tagger, len(inventory.features)),
        ("tags.hidden", 2 * H, shape.tagger),
        ("tags.tags", shape.tagger, len(inventory.tags)),
        ("tags.features", shape.tagger, len(inventory.features)),
        ("arc_head", 2 * H, shape.arc),
        ("arc_child", 2 * H, shape.arc),
        ("label_head", 2 * H, shape.label),
        ("label_child", 2 * H, shape.label),
        ("label", shape.label, labels),
        ("steps_hidden", shape.steps, shape.steps),
        ("steps", shape.steps, step_outputs(labels)),
        ("awaiting_node", shape.label, shape.awaiting),
        ("awaiting_last", shape.label, shape.awaiting),
        ("awaiting", shape.awaiting, 1),
    ):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)
    return shapes
