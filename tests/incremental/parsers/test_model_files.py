from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from treewhile.incremental.parsers.model_files import (
    ModelFile,
    read_information,
    read_model,
    rounded,
    write_model,
)
from treewhile.oracles import InputError

GENERATOR = np.random.default_rng(3)
ARRAYS = {
    "matrix": GENERATOR.standard_normal((5, 7)).astype(np.float32),
    "vector": GENERATOR.standard_normal(4).astype(np.float32),
    "codes": np.arange(6, dtype=np.uint8).reshape(2, 3),
    "zeros": np.zeros((2, 2), np.float32),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_model(tmp_path / "a.safetensors", ModelFile(ARRAYS, {"language": "xx", "labels": ["ß"]}))
    return tmp_path / "a.safetensors"


def test_what_is_read_is_what_was_written_but_for_the_rounding_of_matrices(path: Path) -> None:
    model = read_model(path)
    assert model.information == {"language": "xx", "labels": ["ß"]}
    assert model.arrays.keys() == ARRAYS.keys()
    for name in ("vector", "codes", "zeros"):
        assert np.array_equal(model.arrays[name], ARRAYS[name])
    error = np.square(model.arrays["matrix"] - ARRAYS["matrix"]).mean(axis=1)
    largest = np.abs(ARRAYS["matrix"]).max(axis=1)
    assert 0 < (np.sqrt(error) / largest).max() <= 0.5 / 31


def test_rounding_again_changes_nothing(path: Path) -> None:
    once = read_model(path).arrays
    for name, array in rounded(once).items():
        assert np.array_equal(array, once[name])
    assert np.array_equal(rounded(ARRAYS)["matrix"], once["matrix"])


def test_a_matrix_takes_six_bits_for_each_number(tmp_path: Path) -> None:
    matrix = GENERATOR.standard_normal((300, 400)).astype(np.float32)
    write_model(tmp_path / "b", ModelFile({"matrix": matrix}, {}))
    assert (tmp_path / "b").stat().st_size < 0.77 * matrix.size


def test_files_of_the_first_version_are_read_whose_matrices_have_eight_bits(path: Path) -> None:
    eight_bits = np.array([[127, -3], [0, 5]], np.int8)
    scale = np.array([[0.5], [2]], np.float32)
    save_file({"x": eight_bits, "x.scale": scale}, path, {"treewhile": '{"version": 1, "language": "xx"}'})
    model = read_model(path)
    assert model.information == {"language": "xx"}
    assert np.array_equal(model.arrays["x"], [[63.5, -1.5], [0, 10]])


def test_information_is_read_alone(path: Path) -> None:
    assert read_information(path) == {"language": "xx", "labels": ["ß"]}


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_refused(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match=r"a\.safetensors is no whole model file .*: copy it anew"):
        read_model(path)


def test_a_file_of_something_else_is_refused(path: Path) -> None:
    path.write_bytes(b"no model at all, but long enough to be taken for one" * 10)
    with pytest.raises(InputError, match="is no whole model file"):
        read_model(path)


def test_other_safetensors_files_are_refused(path: Path) -> None:
    for metadata in (None, {"treewhile": "no JSON"}, {"treewhile": "[]"}, {"treewhile": "{}"}):
        save_file(ARRAYS, path, metadata)
        with pytest.raises(InputError, match="is a safetensors file, but no model of treewhile"):
            read_model(path)


@pytest.mark.parametrize(
    ("matrix", "scale"),
    [
        (np.zeros((2, 2), np.int8), np.ones((3, 1), np.float32)),
        (np.zeros((5, 1), np.int8), np.ones((1, 5), np.float32)),
        (np.zeros((2, 2), np.int8), np.ones((2, 1), np.float64)),
        (np.zeros((2, 2), np.float32), np.ones((2, 1), np.float32)),
        (np.zeros((2, 3), np.uint8), np.ones((2, 1), np.float32)),
        (np.zeros((2, 4, 1), np.uint8), np.ones((2, 1), np.float32)),
        (np.zeros((2, 3, 1), np.uint8), np.ones((3, 1), np.float32)),
        (np.zeros((), np.uint8), np.ones((2, 1), np.float32)),
    ],
)
def test_scales_that_do_not_fit_are_refused(path: Path, matrix: Any, scale: Any) -> None:
    save_file({"x": matrix, "x.scale": scale}, path, {"treewhile": '{"version": 2}'})
    with pytest.raises(InputError, match="the array x does not fit its scale"):
        read_model(path)


def test_kinds_of_numbers_that_numpy_does_not_have_are_refused(path: Path) -> None:
    x = b'"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}'
    header = b'{"__metadata__":{"treewhile":"{\\"version\\": 1}"},' + x + b"}"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    with pytest.raises(InputError, match="the array x is of a kind that treewhile does not write"):
        read_model(path)


def test_information_that_is_nested_too_deeply_is_refused(path: Path) -> None:
    save_file(ARRAYS, path, {"treewhile": '{"a":' + "[" * 100_000})
    with pytest.raises(InputError, match="no model of treewhile"):
        read_model(path)


def test_a_file_of_another_version_is_refused(path: Path) -> None:
    save_file(ARRAYS, path, {"treewhile": '{"version": 99}'})
    with pytest.raises(
        InputError, match="has version 99, and this treewhile reads version 2: train it again"
    ):
        read_information(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the model .*nowhere"):
        read_model(tmp_path / "nowhere")
