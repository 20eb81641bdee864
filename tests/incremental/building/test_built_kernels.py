"""Kernels that were built give what numba's give, without numba; what they were not built for, numba does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import typeof

from treewhile.incremental.building import builder
from treewhile.incremental.building.__main__ import main
from treewhile.incremental.building.argument_types import text_of
from treewhile.incremental.building.builder import FOLDERS
from treewhile.oracles import processors
from treewhile.oracles.prebuilt.library import TABLE, folders, is_sound, library, names_to_build
from treewhile.oracles.trees.kernels.shapes import examine_tree

BUILT = library()
needs_library = pytest.mark.skipif(
    BUILT is None and shutil.which("c++") is None, reason="there is no C++ compiler to build kernels with"
)


def test_where_there_is_a_compiler_kernels_were_built() -> None:
    assert BUILT or shutil.which("c++") is None, "make compiled"


LEVELS = """
import sys
from treewhile.incremental import load_model
from treewhile.incremental.building.warming import LEVELS, run_level
for name in ("en", "af", "nl"):
    for level in LEVELS:
        run_level(load_model(name), level)
    load_model(name).parse(["Peter", "drives", "a", "car"])
print("numba" in sys.modules, "llvmlite" in sys.modules)
"""


def run(
    script: str, *arguments: str, cache: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **more, **({"NUMBA_CACHE_DIR": str(cache)} if cache else {})}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=True)


@needs_library
def test_sessions_of_all_models_run_on_built_kernels_alone() -> None:
    assert run(LEVELS).stdout == "False False\n"


@needs_library
def test_all_that_is_listed_was_built() -> None:
    assert BUILT
    assert BUILT.variants.keys() == names_to_build()
    for module, name in names_to_build():
        assert isinstance(getattr(import_module(module), name), BUILT.kernel_class)


@needs_library
def test_arguments_of_other_types_are_for_numba() -> None:
    heads = [0, 3, 0, 2, 2]
    found = {kind: examine_tree(np.array(heads, kind)) for kind in (np.int32, np.int64)}
    assert found[np.int32] == found[np.int64]
    assert examine_tree.py_func(np.array(heads)) == found[np.int32]


VALUES: list[Any] = [
    (),
    (1, -1, True, 2.5, None),
    (np.int32(1), np.float32(1), np.bool_(True)),
    (np.zeros((2, 3), np.float32), np.zeros((2, 3)).T, np.zeros((4, 4))[::2, ::2]),
    ((1, (2.5, (None,))), np.zeros(3, np.uint16)),
    (np.zeros((1, 4)).T, np.zeros((3, 1, 2), bool)),
]


@needs_library
@pytest.mark.parametrize("arguments", VALUES)
def test_arguments_are_described_as_numba_types_them(arguments: tuple[Any, ...]) -> None:
    assert described(*arguments) == f"({''.join(text_of(typeof(one)) for one in arguments)})"


STRANGE: list[Any] = [
    (1 << 63,),
    ("text",),
    ([1],),
    (np.zeros(3, ">f4"),),
    (np.zeros(3, complex),),
    (np.zeros((1,) * 12),),
    (np.ma.zeros(3),),
    (1,) * 3000,
]


@needs_library
@pytest.mark.parametrize("arguments", STRANGE)
def test_what_no_kernel_is_built_for_has_no_description(arguments: tuple[Any, ...]) -> None:
    assert described(*arguments) is None


@needs_library
def test_tuples_in_tuples_have_no_description_beyond_some_depth() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = (nested,)
    assert described(nested) is None


def described(*arguments: Any) -> str | None:
    dispatch = sys.modules[BUILT.kernel_class.__module__] if BUILT else None
    found = dispatch.types_of(*arguments) if dispatch else None
    return found.decode() if found is not None else None


@pytest.mark.slow
@needs_library
@pytest.mark.parametrize("damage", ["empty", "cut", "table", "gone"])
def test_a_library_that_is_damaged_is_told_and_done_without(damage: str, tmp_path: Path) -> None:
    whole = next(folder for folder in folders() if (folder / TABLE).is_file())
    copy = shutil.copytree(whole, tmp_path / whole.name)
    some = next(path for path in copy.iterdir() if path.name.startswith("oracles"))
    if damage == "empty":
        some.write_bytes(b"")
    elif damage == "cut":
        some.write_bytes(some.read_bytes()[:5000])
    elif damage == "table":
        (copy / TABLE).write_text(json.dumps([["a"]]))
    else:
        some.unlink()
    script = "from treewhile.oracles import is_projective; print(is_projective([0, 3, 0, 2, 2][1:]))"
    found, intact = run(script, cache=tmp_path), run(script)
    assert found.stdout == intact.stdout
    assert found.stderr.startswith("kernels are compiled anew, since ")
    assert found.stderr.count("\n") == 1


@needs_library
def test_a_library_that_is_damaged_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = next(folder for folder in folders() if (folder / TABLE).is_file())
    damaged = shutil.copytree(whole, tmp_path / whole.name)
    next(path for path in damaged.iterdir() if path.name.startswith("oracles")).unlink()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(builder, "fill", lambda made: shutil.copytree(whole, made, dirs_exist_ok=True))
    assert not is_sound()
    assert builder.build()
    assert is_sound()


BUILD = [sys.executable, "-m", "treewhile.incremental.building"]


@pytest.mark.slow
def test_without_a_compiler_one_sentence_says_why_nothing_is_built(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "CC": "no-such-compiler"}
    done = subprocess.run(BUILD, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first.startswith("treewhile: building kernels")
    assert second.startswith("treewhile: kernels are not built")
    assert "no-such-compiler" in second
    assert [path.name for path in tmp_path.iterdir()] == ["building.lock"]


@pytest.mark.slow
def test_without_a_compiler_one_sentence_says_why_nothing_is_built_ahead(tmp_path: Path) -> None:
    environment = {**os.environ, "CC": "no-such-compiler"}
    command = [*BUILD, "--ahead", tmp_path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    [told] = done.stderr.splitlines()
    assert told.startswith("treewhile: kernels are not built ahead: ")
    assert not [*tmp_path.iterdir()]


def test_what_is_there_is_not_built_ahead_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[str] = []
    monkeypatch.setattr(builder, "fill", lambda made, settings: filled.append(settings[processors.CPU]))
    monkeypatch.setattr(builder.platform, "machine", lambda: "x86_64")
    for _ in range(2):
        assert builder.build_ahead(tmp_path / "new")
    assert filled == [kind.cpu for kind in processors.KINDS]


@pytest.mark.parametrize("arguments", [["--help"], ["--ahead"], ["oracles"], ["no", "folder"]])
def test_arguments_that_there_are_not_are_told(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == (
        f"treewhile: {' '.join(arguments)} is unknown here: give nothing, or --ahead and a folder\n"
    )


@pytest.mark.slow
@needs_library
def test_processes_of_a_builder_that_is_killed_end_with_it(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    process = subprocess.Popen(BUILD, env=environment, stderr=subprocess.DEVNULL)
    until(lambda: len(processes_at(tmp_path)) == len(FOLDERS))
    process.kill()
    process.wait()
    until(lambda: not processes_at(tmp_path))
    assert not [*tmp_path.glob(f"prebuilt-*/{TABLE}")]


def processes_at(place: Path) -> list[Path]:
    """Return the processes that build in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            arguments = path.read_bytes().split(b"\0")
            if b"treewhile.incremental.building" in arguments and str(place).encode() in arguments[-2]:
                found.append(path)
    return found


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)
