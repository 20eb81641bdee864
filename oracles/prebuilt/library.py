"""Library of built kernels: a folder of extension modules, found by a digest of all that they rest on.

The digest covers the sources of all kernels, their types, the versions of Python and of numpy's binary
interface, and, where it was built for this machine, the features of the processor and the version of numba.
Libraries for kinds of processors come with a wheel, and lie beside this file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from treewhile.oracles import kernel_sources
from treewhile.oracles.kernel_sources import PACKAGE
from treewhile.oracles.processors import Kind, features, kind

SUFFIX: Final = EXTENSION_SUFFIXES[0]
TYPES: Final = Path(__file__).with_name("kernel_types.txt")
TABLE: Final = "kernels.json"  # sizes of the files, and module, name, types, file, function of each kernel
DISPATCH: Final = "dispatch"  # the name of a module and of its file
KERNELS: Final = "kernels"  # the name of each of the other modules

BROKEN: Final = (ImportError, OSError, ValueError, LookupError, AttributeError, TypeError)  # if it is damaged

Function = Callable[..., Any]
Variants = tuple[tuple[bytes, Function], ...]


class Library(NamedTuple):
    """Contents of a folder: the class of kernels, and the built functions by module and name.

    Where there is no C compiler, there are none: it says that numba's cache has all kernels.
    """

    kernel_class: type
    variants: dict[tuple[str, str], Variants]


def kernels_to_build() -> Iterator[tuple[str, str, str]]:
    """Yield the module, the name and the types of each kernel that sessions call."""
    for line in TYPES.read_text().splitlines():
        module, name, types = line.split()
        yield f"{PACKAGE}.{module}", name, types


@cache
def names_to_build() -> frozenset[tuple[str, str]]:
    return frozenset((module, name) for module, name, _ in kernels_to_build())


def name_of_folder() -> str:
    """Return the name of the folder for these sources on this machine."""
    return f"prebuilt-{_digest_with(version('numba'), *sorted(features()))}"


def name_of_shipped(kind: Kind) -> str:
    """Return the name of the folder for these sources and a kind of processors."""
    return f"prebuilt-{kind.name}-{_digest_with(kind.name)}"


def _digest_with(*parts: str) -> str:
    digest = blake2b(kernel_sources.digest_of_all().encode() + TYPES.read_bytes(), digest_size=8)
    numpy = version("numpy").partition(".")[0]
    for part in (sys.platform, SUFFIX, numpy, *parts):
        digest.update(f" {part}".encode())
    return digest.hexdigest()


def folders() -> Iterator[Path]:
    """Yield where the library may be, best first: beside this file, then where numba keeps its kernels."""
    if suitable := kind():
        yield Path(__file__).parent / name_of_shipped(suitable)
    for place in kernel_sources.places():
        yield place / name_of_folder()


def is_sound() -> bool:
    """Return whether there is a library that can be loaded, or numba's cache has all kernels."""
    for folder in folders():
        with suppress(*BROKEN):
            _loaded(folder)
            return True
    return False


def is_built() -> bool:
    """Return whether there is a library, perhaps a broken one, or numba's cache has all kernels."""
    return any((folder / TABLE).is_file() for folder in folders())


@cache
def library() -> Library | None:
    """Return the library, if it was built; say so on standard error if it cannot be loaded."""
    for folder in folders():
        if (folder / TABLE).is_file():
            try:
                return _loaded(folder)
            except BROKEN as error:
                print(f"kernels are compiled anew, since {folder} cannot be loaded: {error}", file=sys.stderr)
    return None


def _loaded(folder: Path) -> Library:
    table = json.loads((folder / TABLE).read_text())
    for file, size in table["sizes"].items():
        if (folder / file).stat().st_size != size:  # to load what is cut off ends the process
            raise ValueError(f"{file} has another size")
    found: dict[tuple[str, str], Variants] = {}
    modules: dict[str, ModuleType] = {}
    for module, name, types, file, function in table["kernels"]:
        if file not in modules:
            modules[file] = _module(KERNELS, folder / file)
        variant = (types.encode(), getattr(modules[file], function))
        found[module, name] = (*found.get((module, name), ()), variant)
    kernel_class: type = _module(DISPATCH, folder / f"{DISPATCH}{SUFFIX}").Kernel if found else object
    return Library(kernel_class, found)


def _module(name: str, path: Path) -> ModuleType:
    loader = ExtensionFileLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
