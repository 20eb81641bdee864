"""Model files: one safetensors file per language, with its description as JSON in the metadata.

Matrices are stored in six bits, with a scale for every row; everything else in single precision. No code is
ever loaded. All content is checked before use: names, shapes, kinds, and the version. In files of the first
version matrices have eight bits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.incremental.parsers.rounded_matrices import BYTES_OF_FOUR, in_six_bits, of_six_bits
from treewhile.oracles.errors import InputError

VERSION: Final = 2
READABLE: Final = (1, 2)  # versions
SCALE: Final = ".scale"  # suffix of the name of a matrix's scales

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class ModelFile:
    """Contents of a file: the arrays, up to rounding as they were when stored, and information."""

    arrays: Arrays
    information: Mapping[str, Any]


def write_model(path: str | Path, model: ModelFile) -> None:
    """Write a model file atomically."""
    metadata = {"treewhile": json.dumps({"version": VERSION, **model.information}, ensure_ascii=False)}
    with open_output(path) as output:
        output.write_bytes(save(stored_arrays(model.arrays), metadata))


def _rounded(name: str, array: npt.NDArray[Any]) -> Arrays:
    """Return an array in its stored form, with its scales."""
    if array.ndim != 2 or array.dtype != np.float32 or not array.size:
        return {name: np.ascontiguousarray(array)}
    return dict(zip((name, name + SCALE), in_six_bits(array), strict=True))


def rounded(arrays: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """Return the arrays with the rounding of storage."""
    return restored_arrays(stored_arrays(arrays))


def stored_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """Return the arrays in their stored form: matrices in six bits, with their scales."""
    stored: Arrays = {}
    for name, array in arrays.items():
        stored |= _rounded(name, array)
    return stored


def restored_arrays(stored: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """Return stored arrays in single precision."""
    return {
        name: _with_scale(name, array, stored[name + SCALE]) if name + SCALE in stored else array
        for name, array in stored.items()
        if not name.endswith(SCALE)
    }


def _with_scale(name: str, array: npt.NDArray[Any], scale: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    if scale.dtype == np.float32 and scale.shape == (*array.shape[:1], 1):
        if array.dtype == np.uint8 and array.ndim == 3 and array.shape[1] == BYTES_OF_FOUR:
            return of_six_bits(array, scale)
        if array.dtype == np.int8:
            restored: npt.NDArray[np.float32] = array * scale
            return restored
    raise InputError(f"the array {name} does not fit its scale: the file was not written by treewhile")


def read_information(path: str | Path) -> dict[str, Any]:
    """Return the information in a model file, without its arrays."""
    with _opened(path) as file:
        return _information(path, file.metadata())


def read_model(path: str | Path) -> ModelFile:
    """Return the contents of a model file; an InputError says what is wrong with the file."""
    with _opened(path) as file:
        information = _information(path, file.metadata())
        stored = {name: _array(file, name) for name in file.keys()}  # noqa: SIM118
    return ModelFile(restored_arrays(stored), information)


def _array(file: Any, name: str) -> npt.NDArray[Any]:
    try:
        array: npt.NDArray[Any] = file.get_tensor(name)
    except (TypeError, AttributeError) as error:  # number formats that numpy does not have
        raise InputError(f"the array {name} is of a kind that treewhile does not write ({error})") from error
    return array


@contextmanager
def _opened(path: str | Path) -> Iterator[Any]:
    try:
        with system_errors_named(f"read the model {path}"), safe_open(path, "numpy") as file:
            yield file
    except SafetensorError as error:
        what = f"{path} is no whole model file ({error})"
        raise InputError(f"{what}: copy it anew, or train it again with treewhile train parser") from error


def _information(path: str | Path, metadata: Mapping[str, str] | None) -> dict[str, Any]:
    try:
        information = json.loads((metadata or {})["treewhile"])
        version = information.pop("version")
    except (KeyError, ValueError, AttributeError, TypeError, RecursionError):
        raise InputError(
            f"{path} is a safetensors file, but no model of treewhile: give another one"
        ) from None
    if version not in READABLE:
        known = f"this treewhile reads version {VERSION}"
        what = f"the model {path} has version {version!r:.20}, and {known}"
        raise InputError(f"{what}: train it again, or install the treewhile that wrote it")
    return dict(information)
