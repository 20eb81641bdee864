"""Rules for tests: each asserts, reads nothing private and loads nothing by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from house_rules.sources import FUNCTIONS, SUPPORT, nodes, parsed, sources

# These fail where something is not so, or does not become so: calling them is an assertion.
ASSERTING: Final = {"raises", "warns", "fail", "expect", "wait_for", "wait_for_function", "assert_outcomes"}
LOADERS: Final = {"spec_from_file_location", "SourceFileLoader", "run_path", "path_hooks"}


# --- every test asserts -------------------------------------------------------------------------------------


def functions(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in nodes(tree) if isinstance(node, FUNCTIONS)]


def names_called(tree: ast.AST) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr


def asserts(function: ast.AST, helpers: set[str]) -> bool:
    """Whether it asserts itself, or calls what does."""
    for node in nodes(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Raise) and node.exc and "AssertionError" in ast.unparse(node.exc):
            return True
    return not helpers.isdisjoint(names_called(function))


def asserting_helpers(tree: ast.Module, known: set[str]) -> set[str]:
    """The functions of a module that assert, and those that it takes from elsewhere."""
    found: set[str] = set()
    while more := {
        one.name
        for one in functions(tree)
        if not one.name.startswith("test_") and one.name not in found and asserts(one, known | found)
    }:
        found |= more
    return known | found


@cache
def helpers_of_support() -> frozenset[str]:
    """Asserting functions of all support modules: these rest on each other."""
    modules = [parsed(path) for path in sorted(SUPPORT.glob("*.py"))]
    together = ast.Module([node for module in modules for node in module.body], [])
    return frozenset(asserting_helpers(together, ASSERTING))


def names_taken(tree: ast.Module) -> set[str]:
    imports = [node for node in nodes(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports for alias in node.names}


def without_assertion(tree: ast.Module) -> list[str]:
    """Names of tests that could not fail but by an error in what they call."""
    imported = helpers_of_support() & names_taken(tree)
    helpers = asserting_helpers(tree, ASSERTING | imported)
    return [one.name for one in functions(tree) if one.name.startswith("test_") and not asserts(one, helpers)]


def every_test_asserts(path: Path, tree: ast.Module) -> Iterator[str]:
    for name in without_assertion(tree):
        yield f"{name} asserts nothing"


# --- what is private stays private --------------------------------------------------------------------------


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


@cache
def private_names() -> frozenset[str]:
    """Of functions, classes, attributes and module variables, wherever treewhile defines one."""
    return frozenset(name for path in sources() for name in names_defined(parsed(path)) if is_private(name))


def names_defined(tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def private_reads(tree: ast.Module) -> Iterator[str]:
    """Where a module reads, imports or replaces a private name of treewhile."""
    for node in nodes(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in private_names() and ast.unparse(node.value) not in ("self", "cls"):
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("treewhile"):
            yield from (alias.name for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("setattr", "getattr")):
            yield from (name for name in strings(node) if name.rpartition(".")[2] in private_names())


def strings(call: ast.Call) -> list[str]:
    return [
        node.value for node in call.args if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def no_test_reads_what_is_private(path: Path, tree: ast.Module) -> Iterator[str]:
    for name in private_reads(tree):
        yield f"reads {name}, which is private"


# --- helpers are imported -----------------------------------------------------------------------------------


def helpers_are_imported_and_not_loaded_by_hand(path: Path, tree: ast.Module) -> Iterator[str]:
    for name in sorted({*names_called(tree), *names_taken(tree)} & LOADERS):
        yield f"loads modules by {name}: import them"
    changed = [node for node in nodes(tree) if isinstance(node, ast.Attribute)]
    if "sys.path" in {ast.unparse(node) for node in changed}:
        yield "touches sys.path"
