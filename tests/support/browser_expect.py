"""Playwright's `expect`, with patience; who takes it is skipped where there is no Playwright."""

from __future__ import annotations

import pytest
from browsers import NO_PLAYWRIGHT
from waiting import PATIENCE

expect = pytest.importorskip("playwright.sync_api", reason=NO_PLAYWRIGHT).expect
expect.set_options(timeout=1000 * PATIENCE)
