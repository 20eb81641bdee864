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


def barriers_in_both_schemes(page: Any, name: str) -> list[tuple[str, list[str]]]:
    """What keeps people out in light colours, and in dark ones; a picture of each is saved."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        keep_picture(page, f"{name}-{scheme}")
        found += barriers(page)
    return found


def fits_the_window(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def unfold_all(page: Any) -> None:
    """Opens all that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
