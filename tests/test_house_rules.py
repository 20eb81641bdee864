"""The checks of the house rules find what they are for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from cases import each
from house_rules.docstrings import docstrings_name_their_subject
from house_rules.imports import kernels_alone_import_numba, packages_import_one_way
from house_rules.picture import picture, rows_of
from house_rules.sources import PACKAGES, ROOT
from house_rules.suite import private_reads, without_assertion

WITHOUT = """
def helper(): return 1
def test_empty(): helper()
"""
WITH = """
def check(x): assert x
def deeper(x): check(x)
def test_helper(): deeper(1)
def test_raises():
    with pytest.raises(ValueError): f()
async def test_itself(): assert 1
"""


def test_a_test_without_assertion_is_found() -> None:
    assert without_assertion(ast.parse(WITHOUT)) == ["test_empty"]
    assert without_assertion(ast.parse(WITH)) == []


@pytest.mark.slow
@each(
    "line, found",
    [
        ("server._handle", ["server._handle"]),
        ("self._handle", []),
        ("word._replace(form=1)", []),
        ("from treewhile.server.process.server import _header", ["_header"]),
        ("monkeypatch.setattr(Server, '_handle', 1)", ["_handle"]),
        (
            "monkeypatch.setattr('treewhile.server.process.server._header', 1)",
            ["treewhile.server.process.server._header"],
        ),
    ],
)
def test_private_reads_are_found(line: str, found: list[str]) -> None:
    assert [*private_reads(ast.parse(line))] == found


@pytest.mark.parametrize(
    ("folder", "line", "is_allowed"),
    [
        ("oracles", "from treewhile.incremental.nodes import LATER", False),
        ("server", "from treewhile.incremental.nodes import LATER", True),
        ("incremental", "import oracles.trees", False),
        ("incremental", "from . import nodes", False),
    ],
)
def test_imports_in_the_wrong_direction_are_found(folder: str, line: str, is_allowed: bool) -> None:
    found = [*packages_import_one_way(ROOT / folder / "some.py", ast.parse(line))]
    assert (not found) == is_allowed


def test_numba_outside_a_kernel_is_found() -> None:
    line = ast.parse("from numba import njit")
    assert [*kernels_alone_import_numba(Path("oracles/trees/some.py"), line)]
    assert not [*kernels_alone_import_numba(Path("oracles/trees/kernels/some.py"), line)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"""What is sent."""', ["the module"]),
        ('def f():\n    """Whether it is open."""', ["f"]),
        ('class A:\n    """All of them."""\n    async def g(self):\n        """Those of it."""', ["A", "g"]),
        ('"""Words."""\ndef f():\n    """Return what is sent."""\nclass A: """Whole sentence."""', []),
    ],
)
def test_docstrings_without_a_subject_are_found(text: str, found: list[str]) -> None:
    messages = [*docstrings_name_their_subject(Path("oracles/some.py"), ast.parse(text))]
    assert [
        message.split(" begins with ")[0].removeprefix("the docstring of ") for message in messages
    ] == found


def test_rooms_are_drawn_above_what_they_import() -> None:
    imported = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert rows_of({room: frozenset(found) for room, found in imported.items()}) == [["a"], ["b", "d"], ["c"]]
    drawn = picture()
    assert all(f">{package}<" in drawn for package in PACKAGES)
    assert drawn.index(">commands<") < drawn.index(">connections<") < drawn.index(">errors<")
