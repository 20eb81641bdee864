"""Checked reading of a segmenter from a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewhile.incremental.texts.alphabets import Alphabet
from treewhile.incremental.texts.classifiers import EXACT, LARGEST, Classifier, Window
from treewhile.incremental.texts.splits import Split, is_form
from treewhile.oracles.errors import InputError

CLASSIFIERS = ("token_ends", "sentence_ends")
ARRAYS = ("keys", "symbols", "words", "lines", "hidden", "second", "output")
LONGEST_LINE = 128  # maximum for models
WIDEST_WINDOW = 64  # maximum number of symbols to a side, for models


def written(split: Split | None) -> list[Any] | None:
    return split and [split.strip, split.ending, list(split.others)]


def read_alphabet(information: Mapping[str, Any]) -> Alphabet:
    vocabulary = information.get("vocabulary")
    if not isinstance(vocabulary, str) or len(set(vocabulary)) < len(vocabulary):
        raise problem("vocabulary", "has to be a text of characters that all differ")
    return Alphabet(vocabulary)


def read_classifier(
    name: str, arrays: Mapping[str, npt.NDArray[Any]], information: Mapping[str, Any], codes: int
) -> Classifier:
    window = _read_window(name, information)
    keys = array_in(arrays, f"{name}.keys", np.uint32, (None,))
    symbols = array_in(arrays, f"{name}.symbols", np.int8, (codes, None))
    words = array_in(arrays, f"{name}.words", np.int8, (len(keys) + 1, None))
    lines = _read_lines(name, arrays, window.line)
    offsets = window.left + 1 + window.right
    inputs = offsets * symbols.shape[1] + 2 * words.shape[1] + lines.shape[1] + (window.line > 0)
    hidden = _layer(arrays, f"{name}.hidden", inputs, None)
    second = _layer(arrays, f"{name}.second", hidden.shape[1], None)
    output = _layer(arrays, f"{name}.output", second.shape[1], 1)
    if (keys[1:] <= keys[:-1]).any():
        raise problem(f"{name}.keys", "have to rise")
    return Classifier(window, keys, symbols, words, lines, hidden, second, output)


def _read_window(name: str, information: Mapping[str, Any]) -> Window:
    sizes = information.get(f"{name}.window")
    if (
        not isinstance(sizes, Sequence)
        or len(sizes) != 4
        or not all(_is_count(size, 1, WIDEST_WINDOW) for size in sizes[:3])
        or not _is_count(sizes[3], 0, LONGEST_LINE)
    ):
        what = f"four numbers: left, right and white spaces, from 1 to {WIDEST_WINDOW}; and of a line, up to"
        again = "older models need treewhile train segmenter"
        raise problem(f"{name}.window", f"has to be {what} {LONGEST_LINE} ({again})")
    return Window(*sizes)


def _read_lines(name: str, arrays: Mapping[str, npt.NDArray[Any]], line: int) -> npt.NDArray[np.int8]:
    if not line:
        return np.zeros((1, 0), np.int8)
    return array_in(arrays, f"{name}.lines", np.int8, (line + 1, None))


def _layer(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, inputs: int, units: int | None
) -> npt.NDArray[np.int8]:
    layer = array_in(arrays, name, np.int8, (inputs + 1, units))
    if (np.abs(layer.astype(np.int64)).sum(axis=0) * (LARGEST + 1) >= EXACT).any():
        raise problem(name, f"has to have weights whose sums stay below {EXACT // (LARGEST + 1)}")
    return layer


def array_in(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, shape: Sequence[int | None]
) -> npt.NDArray[Any]:
    """Return an array of a file, where None in `shape` is any length."""
    if (array := arrays.get(name)) is None:
        raise problem(name, "is missing")
    lengths = zip(array.shape, shape, strict=False)
    fits = array.ndim == len(shape) and all(wanted in (None, length) for length, wanted in lengths)
    if array.dtype != dtype or not fits:
        right = f"{np.dtype(dtype).name} with the shape {_shape(shape)}"
        raise problem(name, f"has to be {right}, not {array.dtype} with {_shape(array.shape)}")
    return array


def _shape(shape: Sequence[int | None]) -> str:
    return " x ".join("any" if length is None else str(length) for length in shape)


def read_splits(information: Mapping[str, Any], name: str) -> dict[str, Split | None]:
    splits = information.get(name)
    if not isinstance(splits, Mapping):
        raise problem(name, "has to be a dictionary of multiword tokens")
    return {key: _read_split(key, split, name) for key, split in splits.items()}


def _read_split(key: str, split: Any, name: str) -> Split | None:
    if split is None:
        return None
    if isinstance(split, list) and len(split) == 3:
        strip, ending, others = split
        has_stem = bool(ending) or name == "endings" or strip != len(key)
        if _is_count(strip, 0, len(key)) and has_stem and _are_forms(ending, others):
            return Split(strip, ending, tuple(others))
    what = "has to have the number of its last characters that go, an ending and a list of words"
    raise problem(f"{name} {key!r:.40}", what)


def _are_forms(ending: Any, others: Any) -> bool:
    """Return whether others are words and the ending can end one."""
    if not isinstance(ending, str) or not isinstance(others, list):
        return False
    return all(isinstance(form, str) and is_form(form) for form in [f"-{ending}", *others])


def _is_count(number: Any, least: int, most: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most


def problem(name: str, what: str) -> InputError:
    return InputError(f"{name} {what}, in the segmenter of a model file")
