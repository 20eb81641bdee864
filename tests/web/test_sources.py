"""The sources of the editor, checked by their own tools."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
LEAST_NODE = 20


def node_version() -> int:
    """The first number; 0 where there is no Node.js."""
    if shutil.which("node") is None:
        return 0
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    return int(told.strip().removeprefix("v").partition(".")[0] or 0)


@pytest.mark.parametrize("script", ["check", "current", "test"])
def test_npm_is_content(script: str) -> None:
    if shutil.which("npm") is None or node_version() < LEAST_NODE:
        pytest.skip(f"Node.js {LEAST_NODE} or later is missing, or npm: see https://nodejs.org/")
    if not (WEB / "node_modules").exists():
        pytest.skip("what the sources need is missing: npm ci in web")
    command = ["npm", "run", "--silent", script]
    result = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=600, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_page_names_no_other_host() -> None:
    page = (WEB / "built" / "index.html").read_text()
    assert "://" not in page
    assert "<style" not in page
    assert 'style="' not in page


def test_the_lock_file_names_no_place() -> None:
    lock = (WEB / "package-lock.json").read_text()
    assert '"resolved"' not in lock
