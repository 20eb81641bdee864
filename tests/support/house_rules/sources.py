"""Parsed sources of the three packages and of the tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
TESTS: Final = ROOT / "tests"
SUPPORT: Final = TESTS / "support"

# A package may import from those before it.
PACKAGES: Final = ("oracles", "incremental", "server")

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of a tree; a walk takes most of the time that rules take."""
    return [*ast.walk(tree)]


@cache
def sources() -> list[Path]:
    """Return the files of the packages."""
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def test_sources() -> list[Path]:
    """Return the files of tests and of what supports them."""
    return sorted(
        [
            *TESTS.rglob("test_*.py"),
            *TESTS.rglob("conftest.py"),
            *SUPPORT.glob("*.py"),
            *SUPPORT.glob("definitions/*.py"),
        ]
    )


@cache
def modules() -> dict[str, Path]:
    """Return the files of the packages by the names under which they are imported."""
    return {module_name(path): path for path in sources()}


def module_name(path: Path) -> str:
    parts = ["treewhile", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts).removesuffix(".__init__")


@cache
def names_imported(tree: ast.Module) -> list[str]:
    """Return what a module imports anywhere, for types included."""
    return [*_imports(tree)]


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def place(path: Path) -> str:
    """Return a path as messages have it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
