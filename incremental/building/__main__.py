"""Command that builds the kernels of sessions for this machine, unless they are there.

    python -m treewhile.incremental.building

It takes a C compiler, two hundred megabytes a process, and half a minute or so on two cores.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from treewhile.oracles import kernel_sources
from treewhile.oracles.kernel_sources import PACKAGE
from treewhile.oracles.prebuilt import library
from treewhile.oracles.prebuilt.library import DISPATCH, SUFFIX, TABLE

TYPES: Final = Path(__file__).with_name("kernel_types.txt")
SOURCE: Final = Path(library.__file__).with_name("dispatch.c")
BUILDING: Final = "treewhile: building kernels for this machine, once: half a minute or so"
NOT_BUILT: Final = "treewhile: kernels are not built, but compiled when they are used first: {}"
FOLDERS: Final = ("incremental.constraints", "incremental", "oracles")  # whose kernels are built together


def main(arguments: Sequence[str]) -> int:
    """Build all, or the kernels of one folder as another process of this module.

    Where that fails, all goes on without them, and says why."""
    try:
        if arguments:
            folder, place = arguments
            _build_object(folder, Path(place))
        elif not library.is_built():
            _build()
    except (OSError, subprocess.CalledProcessError) as error:
        told = (getattr(error, "stderr", None) or str(error).encode()).decode(errors="replace").strip()
        print(NOT_BUILT.format(told.splitlines()[-1][:200]), file=sys.stderr)
        return int(bool(arguments))
    return 0


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the module, the name and the types of each kernel."""
    for line in TYPES.read_text().splitlines():
        module, name, types = line.split()
        yield module, name, types


def rows_of(folder: str) -> list[tuple[str, str, str]]:
    """Return the rows that are built with a folder: those of its kernels that no folder before it has."""
    return [row for row in rows() if next(one for one in FOLDERS if row[0].startswith(one)) == folder]


def _build() -> None:
    from treewhile.incremental.building.extension_modules import compile_module, compile_support, link

    place = _place()
    print(BUILDING, file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=place, prefix="building-") as made:
        at = Path(made)
        compile_module(SOURCE, at / f"{DISPATCH}{SUFFIX}")
        workers = [_worker(folder, at) for folder in FOLDERS]
        support = compile_support(at)
        for folder, worker in zip(FOLDERS, workers, strict=True):
            _, told = worker.communicate()
            if worker.returncode:
                raise subprocess.CalledProcessError(worker.returncode, worker.args, stderr=told)
            link([at / f"{folder}.o", *support], at / f"{folder}{SUFFIX}")
        sizes = {path.name: path.stat().st_size for path in at.glob(f"*{SUFFIX}")}
        (at / TABLE).write_text(json.dumps({"sizes": sizes, "kernels": [*_table()]}))
        for made_object in at.glob("*.o"):
            made_object.unlink()
        at.chmod(0o755)
        shutil.copytree(at, whole := at.with_name(f"{at.name}-whole"))
        _put(whole, place / library.name_of_folder())


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


def _put(whole: Path, where: Path) -> None:
    """Put a folder where it is looked for, unless another process was quicker."""
    try:
        whole.rename(where)
    except OSError:
        shutil.rmtree(whole)
        if not (where / TABLE).is_file():
            raise


def _worker(folder: str, at: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", __package__, folder, str(at)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _table() -> Iterator[tuple[str, str, str, str, str]]:
    for folder in FOLDERS:
        for number, (module, name, types) in enumerate(rows_of(folder)):
            yield f"{PACKAGE}.{module}", name, types, f"{folder}{SUFFIX}", f"f{number}"


def _build_object(folder: str, at: Path) -> None:
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
