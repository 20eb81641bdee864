"""Which models a server has, and in which class of trees it parses; to be known before anything is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treewhile.incremental.parsers.shipped_models import class_of_model


class ServedModels(NamedTuple):
    """Models by their names or paths; `trees` is None where each parses in the class that it was made for."""

    names: Sequence[str]
    trees: str | None = None

    @property
    def classes(self) -> set[str]:
        """The classes that are parsed in."""
        return {self.trees} if self.trees else {class_of_model(name) for name in self.names}

    def __str__(self) -> str:
        return ", ".join(self.names)
