"""Models of a server with their languages and abilities, known before their arrays are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from treewhile.incremental.parsers.shipped_models import (
    DEFAULT_MODEL,
    class_of_model,
    installed_models,
    model_path,
)
from treewhile.oracles.errors import InputError

ENDING: Final = ".safetensors"


class ServedModels(NamedTuple):
    """Models by names or paths; if `trees` is None, each model parses in its own class of trees.

    `grammars` has the names or files of grammars by the names that clients use for models, the default first;
    models that are not there are searched under the installed grammar for their language. `edits_grammars`
    says whether clients may bring grammars of their own.
    """

    names: Sequence[str]
    trees: str | None = None
    grammars: Mapping[str, Sequence[str]] = MappingProxyType({})
    edits_grammars: bool = False

    @property
    def classes(self) -> set[str]:
        """Classes of trees in which the models parse."""
        return {self.trees} if self.trees else {class_of_model(name) for name in self.names}

    @property
    def by_name(self) -> dict[str, str]:
        """Names or paths by the names that clients use, the default first; raise InputError if two agree."""
        found = {short_name(name): name for name in self.names}
        if len(found) < len(self.names):
            raise InputError(
                "two models have the same name: clients could not choose, rename one of the files"
            )
        return found

    def grammar_files(self, model: str) -> dict[str, str]:
        """Return the grammars of a model by the names that clients use, the default first.

        Raise InputError if two agree.
        """
        given = self.grammars.get(model, ())
        found = {_grammar_name(one): one for one in given}
        if len(found) < len(given):
            what = f"two grammars of {model} have the same name"
            raise InputError(f"{what}: clients could not choose, rename one of the files")
        return found

    def __str__(self) -> str:
        return ", ".join(self.names)


def every_installed_model() -> list[str]:
    """Return the names of the installed models, the default first; it is named even if it is missing."""
    return [*dict.fromkeys([DEFAULT_MODEL, *installed_models()])]


def _grammar_name(name_or_path: str) -> str:
    """Return the name of a grammar for clients."""
    return Path(name_or_path).stem if name_or_path.endswith(".constraints") else Path(name_or_path).name


def short_name(name_or_path: str) -> str:
    """Return the name of a model for clients."""
    return Path(name_or_path).stem if name_or_path.endswith(ENDING) else name_or_path


class ModelFacts(NamedTuple):
    """Language and abilities of a model, from the information in its file.

    labels  of its arcs, the most frequent first; likewise tags
    """

    language: str = ""
    abilities: Sequence[str] = ()
    labels: Sequence[str] = ()
    tags: Sequence[str] = ()


def facts_of(information: Mapping[str, Any]) -> ModelFacts:
    """Return the facts in the information of a model file."""
    from treewhile.incremental.parsers.completeness_layers import COMPLETENESS  # imported here: slow
    from treewhile.incremental.parsers.lemma_layers import LEMMAS
    from treewhile.incremental.parsers.model_contents import SEGMENTER, language_of
    from treewhile.incremental.parsers.network_shapes import SPANS

    parts = {
        "tokenizer": SEGMENTER,
        "constituents": SPANS,
        "completeness": COMPLETENESS,
        "lemmas": LEMMAS,
    }
    abilities = [ability for ability, part in parts.items() if part in information]
    inventory = information.get("inventory", {})
    names = (inventory.get("labels", ()), inventory.get("tags", ()))
    return ModelFacts(language_of(information), abilities, *names)


def facts_in_file(name_or_path: str) -> ModelFacts:
    """Return the facts about a model, without reading its arrays; none if its file cannot be read."""
    from treewhile.incremental.parsers.model_files import read_information  # imported here, as above

    try:
        return facts_of(read_information(model_path(name_or_path)))
    except InputError:  # told to whoever uses the model
        return ModelFacts()
