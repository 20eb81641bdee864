"""Finished parsers: trained further, or kept as they are with a new step scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_contents import WIDEST, array_shapes
from treewhile.incremental.parsers.model_files import Arrays, ModelFile
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training.torch_network import TorchNetwork, is_of_step_scorer
from treewhile.oracles import InputError


def kept_arrays(parser: ModelFile) -> Arrays:
    """Return all arrays but those of the step scorer."""
    return {name: array for name, array in parser.arrays.items() if not is_of_step_scorer(name)}


def network_of(parser: ModelFile, widths: Shape) -> tuple[Inventory, TorchNetwork]:
    """Return the network of a parser with a new step scorer, which alone is trainable.

    The new step scorer has its own widths, so that the step scorer of an older parser, which had fewer parts,
    can be replaced.
    """
    own = {"steps": widths.steps, "awaiting": widths.awaiting}
    shape = _shape(parser.information.get("shape"), own)
    inventory = _inventory(parser, shape)
    network = TorchNetwork(inventory, shape)
    state = {name: torch.from_numpy(array) for name, array in kept_arrays(parser).items()}
    names = {name for name, _ in network.named_parameters()}
    network.load_state_dict({name: value for name, value in state.items() if name in names}, strict=False)
    network.freeze()
    return inventory, network


def whole_network_of(beginning: ModelFile, treebanks: int = 1) -> tuple[Inventory, TorchNetwork]:
    """Return the network of a finished model, with all parameters free to learn further."""
    model = Model(beginning)  # which refuses what is no whole model
    inventory, shape = model.inventory, _shape(beginning.information.get("shape"), {})
    network = TorchNetwork(inventory, shape, treebanks)
    names = {name for name, _ in network.named_parameters()}
    arrays = {name: array for name, array in beginning.arrays.items() if name in names}
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()}, strict=False)
    return inventory, network


def _shape(said: Any, own: Mapping[str, int]) -> Shape:
    """Return the shape given in a model, with the step scorer's own widths."""
    names = {field.name for field in fields(Shape)}
    values = {**said, **own} if isinstance(said, dict) else own
    if set(values) != names or not all(type(one) is int and 0 < one <= WIDEST for one in values.values()):
        raise InputError("the model does not say the shape of its network: train it anew, from its treebank")
    return Shape(**values)


def _inventory(parser: ModelFile, shape: Shape) -> Inventory:
    """Return the inventory of a parser that fits all kept arrays; raise an InputError for a misfit."""
    said = parser.information.get("inventory")
    inventory = Inventory.from_json(said if isinstance(said, dict) else {})
    blank = {
        name: np.zeros(sizes, np.float32)
        for name, sizes in array_shapes(inventory, shape).items()
        if is_of_step_scorer(name)
    }
    information = {**parser.information, "shape": vars(shape)}
    Model(ModelFile({**kept_arrays(parser), **blank}, information))
    return inventory
