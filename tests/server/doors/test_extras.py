"""What is missing is named, and how to install it."""

from __future__ import annotations

import pytest

from treewhile.server.errors import needs


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ModuleNotFoundError) as raised, needs("spacy"):
        import package_of_nobody.parts  # type: ignore[import-not-found]  # noqa: F401
    assert str(raised.value) == "package_of_nobody is not installed: pip install 'treewhile[spacy]' brings it"
    assert raised.value.name == "package_of_nobody"


def test_what_is_there_is_imported() -> None:
    with needs("spacy"):
        import json
    assert json.loads("1") == 1


def test_a_part_of_treewhile_that_is_missing_is_no_matter_of_extras() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"treewhile\.server\.nowhere"), needs("spacy"):
        import treewhile.server.nowhere  # noqa: F401
