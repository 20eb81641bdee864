"""Lazy imports of a package's public names: nothing waits for modules that it does not use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Final

IMPORT: Final = re.compile(r"^from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
NAME: Final = re.compile(r"(\w+) as \w+")


def late_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package, from the stub beside its file.

    The stub, which type checkers and editors read, is the only list of the package's public names.
    """
    with open(f"{file}i", encoding="utf-8") as stub:
        imports = IMPORT.findall(stub.read())
    places = {name: module for module, names in imports for name in NAME.findall(names)}

    def get(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(places[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return get, names, [*places]
