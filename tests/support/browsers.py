"""Chromium; what a machine lacks for it is said, and the test that asks is skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NO_PLAYWRIGHT = "playwright is missing: pip install playwright"


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser that ends with the block."""
    sync_api = pytest.importorskip("playwright.sync_api", reason=NO_PLAYWRIGHT)
    path = shutil.which("chromium") or pytest.skip("Chromium is missing: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
