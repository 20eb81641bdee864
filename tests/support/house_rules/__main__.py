"""The list of all house rules, and the places that break one."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from house_rules import docstrings, imports, packages, picture, suite
from house_rules.sources import parsed, place, sources, test_sources

Rule = Callable[[Path, ast.Module], Iterator[str]]

RULES_OF_MODULES: Final[list[Rule]] = [
    imports.packages_import_one_way,
    imports.kernels_alone_import_numba,
    imports.training_alone_imports_torch,
    imports.training_is_imported_by_training_alone,
    packages.every_module_says_what_it_holds,
    docstrings.docstrings_name_their_subject,
]
RULES_OF_TESTS: Final[list[Rule]] = [
    suite.every_test_asserts,
    suite.no_test_reads_what_is_private,
    suite.helpers_are_imported_and_not_loaded_by_hand,
]
RULES_OF_THE_WHOLE: Final[list[Callable[[], Iterator[str]]]] = [
    imports.no_module_imports_itself_by_way_of_others,
    imports.rooms_rest_on_the_floors_beneath_them,
    imports.every_room_has_its_place_and_no_place_is_empty,
    imports.the_client_needs_nothing_of_the_server_but_the_protocol,
    imports.packages_of_constraints_list_their_modules_from_the_ground_up,
    picture.the_picture_of_imports_is_up_to_date,
    packages.packages_have_what_they_export,
    packages.no_module_takes_the_place_of_a_public_name,
    packages.every_package_is_installed_with_its_types,
]


def broken() -> Iterator[str]:
    """Yield a line for each place that breaks a rule."""
    for rules, paths in ((RULES_OF_MODULES, sources()), (RULES_OF_TESTS, test_sources())):
        for path in paths:
            for rule in rules:
                yield from (f"{place(path)}: {message}" for message in rule(path, parsed(path)))
    for check in RULES_OF_THE_WHOLE:
        yield from check()


if __name__ == "__main__":
    found = [*broken()]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
