"""Parsers that stay as they are, but for the step scorer, which is learnt anew."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import torch

from treewhile.incremental.parsers.array_shapes import array_shapes
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_contents import WIDEST
from treewhile.incremental.parsers.model_files import Arrays, ModelFile
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training.torch_network import TorchNetwork, is_of_step_scorer
from treewhile.oracles import InputError


def kept_arrays(parser: ModelFile) -> Arrays:
    """All arrays but those of the step scorer."""
    return {name: array for name, array in parser.arrays.items() if not is_of_step_scorer(name)}


def network_of(parser: ModelFile, widths: Shape) -> tuple[Inventory, TorchNetwork]:
    """The network of a parser with a new step scorer, which alone is there to be learnt.

    That has its own widths, so that of an older parser, which had fewer parts, can be replaced.
    """
    shape = _shape(parser.information.get("shape"), widths)
    inventory = _inventory(parser, shape)
    network = TorchNetwork(inventory, shape)
    state = {name: torch.from_numpy(array) for name, array in kept_arrays(parser).items()}
    names = {name for name, _ in network.named_parameters()}
    network.load_state_dict({name: value for name, value in state.items() if name in names}, strict=False)
    network.freeze()
    return inventory, network


def _shape(said: Any, widths: Shape) -> Shape:
    """The shape of a parser, but for its step scorer."""
    own = {"steps": widths.steps, "awaiting": widths.awaiting}
    names = {field.name for field in fields(Shape)}
    values = {**said, **own} if isinstance(said, dict) else own
    if set(values) != names or not all(type(one) is int and 0 < one <= WIDEST for one in values.values()):
        raise InputError(
            "the model does not say the shape of its network: train it again, without --steps-of"
        )
    return Shape(**values)


def _inventory(parser: ModelFile, shape: Shape) -> Inventory:
    """The inventory of a parser, which fits all that is kept of it, or an InputError says what does not."""
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
