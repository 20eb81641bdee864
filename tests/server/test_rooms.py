"""The plan of the house: no circle among modules, and rooms that rest on those beneath them alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# A room is a folder of a package, or a module beside its folders; it imports from the floors beneath its own.
# A new room gets a place here; one that imports from its own floor or from above does not stand.
FLOORS = {
    "incremental": [
        ["output_files"],
        ["treebanks"],
        ["completeness"],
        ["texts"],
        ["parsers"],
        ["constituents"],
        ["search"],
        ["constraints", "sessions"],
        ["compiling", "embedding", "messages"],
        ["transcripts"],
        ["scores"],
        ["training"],
        ["__init__"],
    ],
    "server": [
        ["__init__", "errors", "limits", "logs"],
        ["protocol", "work"],
        ["client", "corpora", "metrics"],
        ["hosted"],
        ["stores"],
        ["connections"],
        ["process"],
        ["load"],
        ["terminal"],
        ["doors"],
        ["training"],
        ["commands"],
    ],
}


@cache
def modules() -> Mapping[str, Path]:
    """All modules by the names under which they are imported."""
    found = {}
    for package in ("oracles", "incremental", "server"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = ["treewhile", *path.relative_to(ROOT).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported_by(path: Path) -> Iterator[str]:
    """Modules of the house that a module imports anywhere, for types included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in modules() or node.module in modules():
                    yield whole if whole in modules() else node.module


@cache
def arrows() -> Mapping[str, set[str]]:
    return {name: {*imported_by(path)} - {name} for name, path in modules().items()}


def room_of(module: str) -> tuple[str, str]:
    """The package and the room of a module."""
    _, package, *rest = module.split(".")
    return package, rest[0] if rest else "__init__"


def test_no_module_imports_itself_by_way_of_others() -> None:
    try:
        TopologicalSorter(arrows()).prepare()
    except CycleError as error:
        pytest.fail(f"these import each other: {' <- '.join(error.args[1])}")


@pytest.mark.parametrize("package", FLOORS)
def test_rooms_rest_on_the_floors_beneath_them(package: str) -> None:
    floors = {room: number for number, rooms in enumerate(FLOORS[package]) for room in rooms}
    upwards = [
        f"{module} imports {imported}"
        for module in arrows()
        for imported in arrows()[module]
        if room_of(module)[0] == room_of(imported)[0] == package
        and room_of(module) != room_of(imported)
        and floors[room_of(imported)[1]] >= floors[room_of(module)[1]]
    ]
    assert upwards == []


@pytest.mark.parametrize("package", FLOORS)
def test_every_room_has_its_place_and_no_place_is_empty(package: str) -> None:
    rooms = {room_of(name)[1] for name in modules() if name.split(".")[1] == package}
    placed = [room for floor in FLOORS[package] for room in floor]
    assert sorted(placed) == sorted(rooms)


def test_the_client_needs_nothing_of_the_server_but_the_protocol() -> None:
    within = [name for name in modules() if name.startswith("treewhile.server.client")]
    needed = {
        room_of(imported)[1] for name in within for imported in arrows()[name] if ".server." in imported
    }
    assert needed == {"client", "errors", "protocol"}
