"""Playwright's `expect`; a test module that takes it is skipped where there is no Playwright."""

from __future__ import annotations

import pytest
from browsers import NO_PLAYWRIGHT

expect = pytest.importorskip("playwright.sync_api", reason=NO_PLAYWRIGHT).expect
