"""Mean of the weights of models that have gone on from the same one, which often parses better than each.

Models that share a beginning lie close together, so that the weights between them are good, too (model soups;
Wortsman et al. 2022). Parts that read the states of one network, such as lemmas, fit no other: they are left
out, to be learnt anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.model_contents import array_shapes, shape_of
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training.runs import with_segmenter_of
from treewhile.oracles.errors import InputError

ALIKE: Final = ("tags", "inventory", "shape", "language")  # what models of one beginning share


def mean_model(files: Sequence[ModelFile]) -> ModelFile:
    """Return the mean of models, with the segmenter of the first one."""
    for file in files:
        Model(file)  # which refuses what is none
    _check_alike(files)
    first = files[0]
    names = array_shapes(
        Inventory.from_json(first.information["inventory"]), shape_of(first.information["shape"])
    )
    arrays = {name: _mean([file.arrays[name] for file in files]) for name in names}
    return with_segmenter_of(ModelFile(arrays, _information(files)), first)


def _mean(arrays: Sequence[Array]) -> Array:
    total: npt.NDArray[np.float64] = np.sum(arrays, axis=0, dtype=np.float64)
    return (total / len(arrays)).astype(np.float32)


def _check_alike(files: Sequence[ModelFile]) -> None:
    if len(files) < 2:
        raise InputError("one model is its own mean: give --model once more")
    for number, file in enumerate(files[1:], 2):
        for name in ALIKE:
            if file.information.get(name) != files[0].information.get(name):
                what = f"model {number} has another {name} than model 1"
                raise InputError(f"{what}: give models that have gone on from the same one")


def _information(files: Sequence[ModelFile]) -> dict[str, Any]:
    first = files[0].information
    treebanks = dict.fromkeys(name for file in files for name in file.information.get("treebanks", ()))
    told = {name: first[name] for name in (*ALIKE, "trees", "licence") if name in first}
    temperature = float(np.mean([file.information["temperature"] for file in files]))
    return {**told, "treebanks": [*treebanks], "temperature": temperature}
