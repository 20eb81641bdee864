"""Rules about imports: which package, room and module may import which."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

from house_rules.sources import PACKAGES, ROOT, modules, names_imported, parsed, place, sources

# A room is a folder of a package, or a module beside its folders; it imports from the floors beneath its own.
# A new room gets a place here; one that imports from its own floor or from above does not stand.
FLOORS: Final = {
    "incremental": [
        ["output_files"],
        ["treebanks"],
        ["completeness"],
        ["texts"],
        ["parsers"],
        ["constituents"],
        ["search"],
        ["constraints", "sessions"],
        ["embedding", "messages"],
        ["building"],
        ["transcripts"],
        ["scores"],
        ["training"],
        ["__init__"],
    ],
    "server": [
        ["__init__", "errors", "limits", "logs"],
        ["protocol", "work"],
        ["client", "corpora"],
        ["hosted"],
        ["stores"],
        ["connections"],
        ["process"],
        ["load"],
        ["terminal"],
        ["doors"],
        ["commands"],
    ],
}
CONSTRAINTS: Final = "treewhile.incremental.constraints"


def packages_import_one_way(path: Path, tree: ast.Module) -> Iterator[str]:
    package = path.relative_to(ROOT).parts[0]
    later = PACKAGES[PACKAGES.index(package) + 1 :]
    for name in names_imported(tree):
        first, *rest = name.split(".")
        if name.startswith("."):
            yield f"imports relatively: {name}"
        elif first == "treewhile" and rest[0] in later:
            yield f"imports {name}, which rests on {package}"
        elif first in PACKAGES:
            yield f"imports {name} from the folder: import it from treewhile"


def kernels_alone_import_numba(path: Path, tree: ast.Module) -> Iterator[str]:
    is_kernel = path.name in ("numba_dispatchers.py", "kernels.py") or {"kernels", "building"} & {*path.parts}
    if not is_kernel and "numba" in {name.split(".")[0] for name in names_imported(tree)}:
        yield "imports numba outside a kernel"


def training_alone_imports_torch(path: Path, tree: ast.Module) -> Iterator[str]:
    is_training = path.parent == ROOT / "incremental" / "training"
    if not is_training and "torch" in {name.split(".")[0] for name in names_imported(tree)}:
        yield "imports torch outside incremental/training"


def training_is_imported_by_training_alone(path: Path, tree: ast.Module) -> Iterator[str]:
    if path.parent.name not in ("training", "train"):
        for name in names_imported(tree):
            if name.startswith("treewhile.incremental.training"):
                yield f"imports {name}, which nothing needs every day"


# --- rooms --------------------------------------------------------------------------------------------------


@cache
def arrows() -> Mapping[str, set[str]]:
    """Return, by module, the modules of the house that it imports."""
    return {name: {*_modules_imported(path)} - {name} for name, path in modules().items()}


def _modules_imported(path: Path) -> Iterator[str]:
    for name in names_imported(parsed(path)):
        parent = name.rpartition(".")[0]
        if name in modules() or parent in modules():
            yield name if name in modules() else parent


def room_of(module: str) -> tuple[str, str]:
    """Return the package and the room of a module."""
    _, package, *rest = module.split(".")
    return package, rest[0] if rest else "__init__"


def no_module_imports_itself_by_way_of_others() -> Iterator[str]:
    try:
        TopologicalSorter(arrows()).prepare()
    except CycleError as error:
        yield f"these import each other: {' <- '.join(error.args[1])}"


def rooms_rest_on_the_floors_beneath_them() -> Iterator[str]:
    floor = {
        (package, room): number
        for package, floors in FLOORS.items()
        for number, rooms in enumerate(floors)
        for room in rooms
    }
    for module, imported in ((one, two) for one in arrows() for two in arrows()[one]):
        here, there = room_of(module), room_of(imported)
        if (
            here != there
            and here[0] == there[0]
            and floor.get(there, 0) >= floor.get(here, 1)
            and here in floor
        ):
            yield f"{module} imports {imported}, which stands no floor beneath"


def every_room_has_its_place_and_no_place_is_empty() -> Iterator[str]:
    for package, floors in FLOORS.items():
        placed = {room for rooms in floors for room in rooms}
        rooms = {room_of(name)[1] for name in modules() if name.split(".")[1] == package}
        for room in sorted(placed ^ rooms):
            yield f"the floors of {package} and its rooms differ in {room}"


def the_client_needs_nothing_of_the_server_but_the_protocol() -> Iterator[str]:
    for module in modules():
        if module.startswith("treewhile.server.client"):
            for imported in arrows()[module]:
                package, room = room_of(imported)
                if package == "server" and room not in ("client", "errors", "protocol"):
                    yield f"{module} imports {imported}: a client needs the protocol alone"


# --- constraints --------------------------------------------------------------------------------------------


def packages_of_constraints_list_their_modules_from_the_ground_up() -> Iterator[str]:
    folders = sorted(
        path.parent for path in sources() if "constraints" in path.parts and path.stem == "__init__"
    )
    for folder in folders:
        listed, inside = _listed(folder), _inside(folder)
        unlisted = sorted({*listed} ^ {*inside})
        for name in unlisted:
            yield f"{place(folder)}: its docstring and its modules differ in {name}"
        if not unlisted:
            yield from _imports_from_below(folder, listed)


def _listed(folder: Path) -> list[str]:
    """Return the names that the docstring of a package lists, in its order."""
    text = ast.get_docstring(parsed(folder / "__init__.py")) or ""
    rows = [re.split(r"  +", line.strip())[0] for line in text.split("\n\n")[1].splitlines()]
    return [name for row in rows for name in re.findall(r"[a-z_]+", row)]


def _inside(folder: Path) -> list[str]:
    """Return the names of the modules and packages of a folder."""
    found = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    return sorted(found + [path.parent.name for path in folder.glob("*/__init__.py")])


def _imports_from_below(folder: Path, listed: list[str]) -> Iterator[str]:
    room = ".".join(["treewhile", *folder.relative_to(ROOT).parts]) + "."
    for module in (name for name in modules() if name.startswith(room)):
        within = [name for name in names_imported(parsed(modules()[module])) if name.startswith(room)]
        for imported in within:
            here, there = (listed.index(name.removeprefix(room).split(".")[0]) for name in (module, imported))
            if there > here:
                yield f"{module} imports {imported}, which its package lists below it"
