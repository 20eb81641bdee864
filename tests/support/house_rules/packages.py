"""Rules about what packages hold and give out."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

from house_rules.sources import PACKAGES, ROOT, sources


def every_module_says_what_it_holds(path: Path, tree: ast.Module) -> Iterator[str]:
    if not (ast.get_docstring(tree) or "").strip():
        yield "has no docstring that says what it holds"


def packages_have_what_they_export() -> Iterator[str]:
    for package in PACKAGES:
        module = importlib.import_module(f"treewhile.{package}")
        for name in getattr(module, "__all__", []):
            if not hasattr(module, name):
                yield f"treewhile.{package} exports {name} and does not have it"


def no_module_takes_the_place_of_a_public_name() -> Iterator[str]:
    """An imported module becomes an attribute of its package, and would hide what has its name."""
    for package in PACKAGES:
        public = {*getattr(importlib.import_module(f"treewhile.{package}"), "__all__", [])}
        for path in sources():
            if path.parent == ROOT / package and path.stem in public:
                yield f"the module {path.name} of {package} hides the public name {path.stem}"


def every_package_is_installed_with_its_types() -> Iterator[str]:
    for package in PACKAGES:
        if not (ROOT / package / "py.typed").exists():
            yield f"{package} has no py.typed"
