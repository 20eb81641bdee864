"""The extension for VS Code: its manifest is about what is built, and about what the server knows."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import msgspec
import pytest

from .test_sources import WEB


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((WEB / "vscode" / "package.json").read_text())
    return found


def test_its_settings_are_those_of_the_server() -> None:
    pytest.importorskip("pygls")
    from treewhile.server.doors.lsp.settings import Settings, read_settings

    offered = manifest()["contributes"]["configuration"]["properties"]
    defaults = {name.removeprefix("treewhile."): one["default"] for name, one in offered.items()}
    assert defaults.pop("command") == "treewhile"
    assert defaults == msgspec.to_builtins(Settings())
    for severity in offered["treewhile.severity"]["enum"]:
        assert read_settings({"severity": severity})[1] == []
    assert read_settings({"maxFileLength": offered["treewhile.maxFileLength"]["maximum"]})[1] == []
    assert read_settings({"maxFileLength": offered["treewhile.maxFileLength"]["maximum"] + 1})[1] != []


def test_what_it_starts_is_what_is_built() -> None:
    if shutil.which("npm") is None or not (WEB / "node_modules").exists():
        pytest.skip("Node.js is missing, or npm ci in web")
    subprocess.run(["npm", "run", "--silent", "vscode"], cwd=WEB, check=True, timeout=600)
    main = WEB / "vscode" / manifest()["main"]
    assert "exports" in main.read_text()
    source = (WEB / "vscode" / "extension.ts").read_text()
    languages = [event.removeprefix("onLanguage:") for event in manifest()["activationEvents"]]
    assert languages
    assert all(f'"{language}"' in source for language in languages)
