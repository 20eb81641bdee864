"""Shapes of all arrays of a network, by the names of the parameters in training."""

from __future__ import annotations

from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, NGRAM_ROWS, Inventory
from treewhile.incremental.parsers.network_shapes import MISSING, ROLES, SPECIAL, Shape, step_outputs


def array_shapes(inventory: Inventory, shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array of a network, by its name."""
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
