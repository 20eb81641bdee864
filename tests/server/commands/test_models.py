from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_runs import command

from treewhile.incremental.parsers import shipped_models
from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model

SAID = {
    "language": "Afrikaans",
    "treebanks": ["UD_Afrikaans-AfriBooms", "mine"],
    "licence": "CC BY-SA 4.0",
    "scores": {"LAS": 81.25, "UAS": 0.5},
    "seed": 3,
    "command": "treewhile train parser af.conllu",
}
TELLS_ENDS = {"treebanks": ["mine"], "licence": "CC0", "areas": {"ends, as said": 90.5}, "command": "learn"}

run = command("models")


@pytest.fixture
def folder(model_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model that says all of itself, and one that says little."""
    monkeypatch.setattr(shipped_models, "FOLDER", tmp_path)
    file = read_model(model_file())
    little = {key: file.information[key] for key in ("inventory", "shape")}
    write_model(
        tmp_path / "af.safetensors",
        ModelFile(file.arrays, {**file.information, **SAID, "completeness": {**TELLS_ENDS, "units": 3}}),
    )
    write_model(tmp_path / "en.safetensors", ModelFile(file.arrays, little))
    return tmp_path


def test_people_see_what_is_installed(folder: Path) -> None:
    result = run()
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    size = f"{(folder / 'af.safetensors').stat().st_size / 1e6:.1f}"
    named = ["name", "language", "treebanks", "licence", "tags", "MB", "scores", "also", "tells"]
    assert lines[0].split() == named
    assert lines[2].split("  ")[0] == "af"
    assert " ".join(lines[2].split()) == (
        "af Afrikaans UD_Afrikaans-AfriBooms, mine CC BY-SA 4.0 predicted "
        f"{size} LAS 81.25, UAS 0.50 completeness"
    )
    assert lines[3].rstrip().endswith("–")  # noqa: RUF001
    assert lines[3].split()[:5] == ["en", "–", "–", "–", "–"]  # noqa: RUF001


def test_programs_get_one_object(folder: Path) -> None:
    models = json.loads(run("--json").stdout)
    size = (folder / "af.safetensors").stat().st_size
    assert [*models] == ["af", "en"]
    assert models["af"] == {
        **SAID,
        "tags": "predicted",
        "completeness": TELLS_ENDS,
        "file": str(folder / "af.safetensors"),
        "bytes": size,
    }
    assert {models["en"][key] for key in ("language", "licence", "scores", "seed", "command")} == {None}


def test_no_models_are_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_models, "FOLDER", tmp_path)
    assert run().stdout == "no models are installed\n"
    assert run("--json").stdout == "{}\n"


def test_a_file_that_is_no_model_is_told(folder: Path) -> None:
    (folder / "xx.safetensors").write_bytes(b"nothing")
    result = run()
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{folder / 'xx.safetensors'} is no whole model file" in result.stderr
