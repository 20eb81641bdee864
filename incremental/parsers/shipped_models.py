"""Models that are installed with treewhile, by name: `load_model("en")`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from treewhile.oracles.trees.class_names import PROJECTIVE

if TYPE_CHECKING:
    from treewhile.incremental.parsers.parsing import Model
    from treewhile.oracles.errors import InputError

DEFAULT_MODEL = "en"

# Resolved, since an editable installation links here: a newly trained model is available at once.
FOLDER = Path(__file__).resolve().parent.parent / "models"


def installed_models() -> dict[str, Path]:
    """Return the model files by name, in alphabetical order."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.safetensors"))}


def load_model(name_or_path: str | Path = DEFAULT_MODEL, trees: str | None = None) -> Model:
    """Return the parser with a name, or in a file, with its own class of trees or the given one."""
    from treewhile.incremental.parsers.parsing import read_parser  # here, since listing names must be fast

    model = read_parser(model_path(name_or_path))
    return model if trees is None else model.with_trees(trees)


def class_of_model(name_or_path: str | Path) -> str:
    """Return a model's class of trees, without reading its arrays."""
    from treewhile.incremental.parsers.model_files import read_information  # imported here, as above

    return str(read_information(model_path(name_or_path)).get("trees", PROJECTIVE))


def model_path(name_or_path: str | Path) -> Path:
    """Return the file of a model; an InputError lists the installed models."""
    if not isinstance(name_or_path, str | os.PathLike):
        raise _refused(f"{name_or_path!r:.40} is no name of a model, nor a path")
    installed = installed_models()
    path = installed.get(str(name_or_path), Path(name_or_path))
    if os.path.exists(path):  # False for a name that is too long, without an error
        return path
    raise _refused(f"there is neither an installed model nor a file named {str(name_or_path)!r:.200}")


def _refused(what: str) -> InputError:
    from treewhile.oracles.errors import InputError  # here, since listing names must be fast

    names = ", ".join(installed_models()) or "none so far"
    return InputError(f"{what}: give a model file, or the name of one that is installed ({names})")
