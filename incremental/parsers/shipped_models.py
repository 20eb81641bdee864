"""The models that come with treewhile, by their names: `load_model("en")`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from treewhile.oracles.trees.class_names import PROJECTIVE

if TYPE_CHECKING:
    from treewhile.incremental.parsers.parsing import Model
    from treewhile.oracles.errors import InputError

DEFAULT_MODEL = "en"

# Behind the links of an editable installation, so that a model that was just trained is there at once.
FOLDER = Path(__file__).resolve().parent.parent / "models"


def installed_models() -> dict[str, Path]:
    """The model files by their names, in the order of the alphabet."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.safetensors"))}


def load_model(name_or_path: str | Path = DEFAULT_MODEL, trees: str | None = None) -> Model:
    """The parser installed under a name, or in a file; in another class of trees than its own if asked."""
    from treewhile.incremental.parsers.parsing import read_parser  # here: the names alone take no time

    model = read_parser(model_path(name_or_path))
    return model if trees is None else model.with_trees(trees)


def class_of_model(name_or_path: str | Path) -> str:
    """The class of trees that a model says it was made for, which is all that is read of it."""
    from treewhile.incremental.parsers.model_files import read_information  # here: as above

    return str(read_information(model_path(name_or_path)).get("trees", PROJECTIVE))


def model_path(name_or_path: str | Path) -> Path:
    """The file of a model; an InputError lists those that are installed."""
    if not isinstance(name_or_path, str | os.PathLike):
        raise _refused(f"{name_or_path!r:.40} is no name of a model, nor a path")
    installed = installed_models()
    path = installed.get(str(name_or_path), Path(name_or_path))
    if os.path.exists(path):  # which says of no name that it is too long
        return path
    raise _refused(f"there is neither an installed model nor a file named {str(name_or_path)!r:.200}")


def _refused(what: str) -> InputError:
    from treewhile.oracles.errors import InputError  # here: the names alone take no time

    names = ", ".join(installed_models()) or "none so far"
    return InputError(f"{what}: give a model file, or the name of one that is installed ({names})")
