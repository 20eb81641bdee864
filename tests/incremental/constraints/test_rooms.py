"""Rooms and modules of the constraints import from those that their package lists above them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3] / "incremental" / "constraints"
ROOM = "treewhile.incremental.constraints"
FOLDERS = [Path(), Path("language"), Path("machine"), Path("machine/kernels"), Path("search")]


def listed(folder: Path) -> list[str]:
    """What the docstring of a package lists, in its order."""
    text = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text())) or ""
    block = text.split("\n\n")[1]
    rows = [re.split(r"  +", line.strip())[0] for line in block.splitlines()]
    return [name for row in rows for name in re.findall(r"[a-z_]+", row)]


def inside(folder: Path) -> list[str]:
    """The modules and packages of a folder."""
    found = [path.stem for path in (ROOT / folder).glob("*.py") if path.stem != "__init__"]
    return sorted(found + [path.parent.name for path in (ROOT / folder).glob("*/__init__.py")])


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_package_lists_all_that_it_has(folder: Path) -> None:
    assert sorted(listed(folder)) == inside(folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_modules_import_from_those_listed_above_them(folder: Path) -> None:
    names = listed(folder)
    prefix = ".".join([ROOM, *folder.parts]) + "."
    for place, name in enumerate(names):
        paths = [ROOT / folder / f"{name}.py", *(ROOT / folder / name).rglob("*.py")]
        for path in filter(Path.exists, paths):
            for module in imported(path):
                if module.startswith(prefix):
                    assert module.removeprefix(prefix).split(".")[0] in names[: place + 1], (path, module)


def imported(path: Path) -> list[str]:
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    modules = [f"{node.module}.{alias.name}" for node in nodes for alias in node.names]
    assert all(node.module for node in nodes)
    return modules
