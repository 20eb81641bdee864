"""How the page looks, and whether it keeps anybody out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from page_actions import wait_for_motion

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


def keep_picture(page: Any, name: str) -> None:
    """Saves a screenshot where TREEWHILE_SHOTS says, for somebody to look at."""
    folder = os.environ.get("TREEWHILE_SHOTS")
    if folder:
        wait_for_motion(page)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def barriers(page: Any) -> list[tuple[str, list[str]]]:
    """What axe-core finds that keeps people out."""
    if not AXE.exists():
        pytest.skip("axe-core is missing: npm ci in web")
    wait_for_motion(page)
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run()")
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]]


def fits_the_window(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
