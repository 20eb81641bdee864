"""Builder of a library of kernels: three processes compile objects, which are linked then.

It takes a C and a C++ compiler, two hundred megabytes a process, and about a minute on two cores; half of
that where numba has compiled the kernels before. A library appears as a whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from treewhile.oracles import kernel_sources
from treewhile.oracles.kernel_sources import PACKAGE
from treewhile.oracles.prebuilt import library
from treewhile.oracles.prebuilt.library import DISPATCH, SUFFIX, TABLE

TYPES: Final = Path(__file__).with_name("kernel_types.txt")
SOURCE: Final = Path(library.__file__).with_name("dispatch.c")
NOT_BUILT: Final = "treewhile: kernels are not built, but compiled when they are used first: {}"
FOLDERS: Final = ("incremental.constraints", "incremental", "oracles")  # whose kernels are built together


def build() -> bool:
    """Build all kernels unless they are there; return whether they are, and say on standard error if not."""
    if library.is_built():
        return True
    try:
        _build()
    except (OSError, subprocess.CalledProcessError) as error:
        told = (getattr(error, "stderr", None) or str(error).encode()).decode(errors="replace").strip()
        print(NOT_BUILT.format((told.splitlines() or ["?"])[-1][:200]), file=sys.stderr)
        return False
    return True


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the module, the name and the types of each kernel."""
    for line in TYPES.read_text().splitlines():
        module, name, types = line.split()
        yield module, name, types


def rows_of(folder: str) -> list[tuple[str, str, str]]:
    """Return the rows that are built with a folder: those of its kernels that no folder before it has."""
    return [row for row in rows() if next(one for one in FOLDERS if row[0].startswith(one)) == folder]


def _build() -> None:
    place = _place()
    where = place / library.name_of_folder()
    made = Path(tempfile.mkdtemp(dir=place, prefix="building-"))
    for folder in (where, made):
        kernel_sources.remove_unused(folder)
    try:
        _fill(made)
        made.chmod(0o755)
        _put(made, where)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fill(made: Path) -> None:
    """Fill a folder with the modules and the table of a library."""
    from treewhile.incremental.building.extension_modules import compile_module, compile_support, link

    compile_module(SOURCE, made / f"{DISPATCH}{SUFFIX}")
    workers = [_worker(folder, made) for folder in FOLDERS]
    support = compile_support(made)
    for folder, worker in zip(FOLDERS, workers, strict=True):
        _wait(worker)
        link([made / f"{folder}.o", *support], made / f"{folder}{SUFFIX}")
    for path in made.glob("*.o"):
        path.unlink()
    sizes = {path.name: path.stat().st_size for path in made.iterdir()}
    (made / TABLE).write_text(json.dumps({"sizes": sizes, "kernels": [*_table()]}))


def _place() -> Path:
    """Return the first folder where kernels may be kept that is ours to write to."""
    tried = ""
    for place in kernel_sources.places():
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            tried = str(error)
        else:
            if os.access(place, os.W_OK):
                return place
            tried = f"{place} is not ours to write to"
    raise OSError(tried)


def _put(made: Path, where: Path) -> None:
    """Put a folder where it is looked for, unless another process was quicker."""
    try:
        made.rename(where)
    except OSError:
        if not (where / TABLE).is_file():
            raise


def _worker(folder: str, at: Path) -> subprocess.Popen[bytes]:
    """Start a process that compiles the object of a folder; it ends with this process."""
    command = [sys.executable, "-m", __package__, folder, str(at)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)


def _wait(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdin
    assert worker.stderr
    with worker.stdin, worker.stderr:
        told = worker.stderr.read()
    if code := worker.wait():
        raise subprocess.CalledProcessError(code, worker.args, stderr=told)


def _table() -> Iterator[tuple[str, str, str, str, str]]:
    for folder in FOLDERS:
        for number, (module, name, types) in enumerate(rows_of(folder)):
            yield f"{PACKAGE}.{module}", name, types, f"{folder}{SUFFIX}", f"f{number}"


def build_object(folder: str, at: Path) -> None:
    from treewhile.incremental.building.argument_types import types_of
    from treewhile.incremental.building.extension_modules import Export, write_object

    named = _named_tuples(rows_of(folder))
    exports = [
        Export(getattr(import_module(f"{PACKAGE}.{module}"), name), types_of(types, named), f"f{number}")
        for number, (module, name, types) in enumerate(rows_of(folder))
    ]
    write_object(exports, at / f"{folder}.o")


def _named_tuples(kernels: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """Return the named tuples of the modules of some kernels, and of those that they import, by name."""
    for module, _, _ in kernels:
        import_module(f"{PACKAGE}.{module}")
    modules = [module for name, module in sys.modules.items() if name.startswith(PACKAGE)]
    return {
        value.__name__: value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
    }
