"""Models of a server and their class of trees, known before anything is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treewhile.incremental.parsers.shipped_models import class_of_model


class ServedModels(NamedTuple):
    """Models by names or paths; if `trees` is None, each model parses in its own class of trees."""

    names: Sequence[str]
    trees: str | None = None

    @property
    def classes(self) -> set[str]:
        """Classes of trees in which the models parse."""
        return {self.trees} if self.trees else {class_of_model(name) for name in self.names}

    def __str__(self) -> str:
        return ", ".join(self.names)
