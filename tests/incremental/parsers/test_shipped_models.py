from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from treewhile.incremental.parsers import shipped_models
from treewhile.incremental.parsers.shipped_models import load_model, model_path
from treewhile.oracles import InputError


@pytest.fixture
def folder(model_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed models: en, with a segmenter, and af, without."""
    monkeypatch.setattr(shipped_models, "FOLDER", tmp_path)
    shutil.copy(model_file(), tmp_path / "en.safetensors")
    shutil.copy(model_file(with_segmenter=False), tmp_path / "af.safetensors")
    (tmp_path / "notes.txt").write_text("no model")
    return tmp_path


def test_model_files_are_found_by_their_names(folder: Path) -> None:
    found = shipped_models.installed_models()
    assert list(found.items()) == [("af", folder / "af.safetensors"), ("en", folder / "en.safetensors")]


def test_a_name_or_a_path_loads_a_model(folder: Path) -> None:
    assert load_model("af").segmenter is None
    assert load_model("en").segmenter is not None
    assert load_model().segmenter is not None, "en, if nothing is said"
    assert load_model(folder / "af.safetensors").parse(["dog"]).heads == (0,)


def test_what_is_neither_gives_the_names_that_are_installed(folder: Path) -> None:
    with pytest.raises(InputError, match=r"named 'de': give .* one that is installed \(af, en\)$"):
        load_model("de")
    with pytest.raises(InputError, match=r"safetensors': give"):
        model_path(folder / "de.safetensors")


@pytest.mark.parametrize("given", [None, 3, ["en"]])
def test_what_can_be_no_name_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="is no name of a model, nor a path: give a model file, or the name"):
        load_model(given)


def test_a_folder_without_models_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_models, "FOLDER", tmp_path / "missing")
    assert shipped_models.installed_models() == {}
    with pytest.raises(InputError, match=r"\(none so far\)$"):
        load_model()


def test_models_stand_beside_the_engine() -> None:
    assert shipped_models.FOLDER.name == "models"
    assert (shipped_models.FOLDER.parent / "parsers").exists()
