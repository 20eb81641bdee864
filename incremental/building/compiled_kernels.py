"""Kernels of sessions as numba compiles them, for the types that sessions call them with."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from treewhile.incremental.building.argument_types import types_of
from treewhile.oracles.kernel_sources import PACKAGE
from treewhile.oracles.prebuilt.library import kernels_to_build

Kernel = tuple[str, str, str]  # the names of its module and function, and the types of its arguments


def compiled() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each kernel once it is compiled, or loaded; the search comes last."""
    kernels = sorted(kernels_to_build(), key=lambda kernel: ".constraints." in kernel[0])
    left = Counter((module, name) for module, name, _ in kernels)
    for (module, name, _), (kernel, types) in zip(kernels, with_types(kernels), strict=True):
        kernel.compile(types)
        left[module, name] -= 1
        if not left[module, name]:
            yield module, name


def with_types(kernels: Iterable[Kernel]) -> Iterator[tuple[Any, Any]]:
    """Yield each kernel, with numba's types of its arguments."""
    kernels = [*kernels]
    named = _named_tuples(module for module, _, _ in kernels)
    for module, name, types in kernels:
        yield getattr(import_module(module), name), types_of(types, named)


def _named_tuples(modules: Iterable[str]) -> dict[str, Any]:
    """Return the named tuples of some modules, and of those that they import, by name."""
    for module in modules:
        import_module(module)
    loaded = [module for name, module in sys.modules.items() if name.startswith(PACKAGE)]
    return {
        value.__name__: value
        for module in loaded
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
    }
