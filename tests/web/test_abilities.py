"""The page with models that know less than the English one: it says what is missing, in place of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage
from page_editor import type_text
from page_looks import barriers, fits_the_window
from real_servers import RealServer


@pytest.fixture(scope="module")
def bilingual_server() -> Iterator[RealServer]:
    """A server with the Dutch model that comes with treewhile, and the English one."""
    with RealServer("nl", "--model", "en") as server:
        yield server


def test_a_model_says_what_the_page_does_not_have_for_it(
    open_real_page: OpenPage, bilingual_server: Any
) -> None:
    page = open_real_page(bilingual_server)
    few, phrases = page.locator("#conflicts-few"), page.locator("#tree-view-none")
    type_text(page, "De mannen loopt naar huis.")
    expect(few).to_have_text(
        "This model tells hardly any mistakes: a sentence without a remark may still be wrong."
    )
    expect(phrases).to_have_text("This model knows no phrases.")
    page.locator("#model").select_option("en")
    for line in (few, phrases):
        expect(line).to_be_hidden()
    expect(page.locator("#tree-view")).to_be_visible()
    page.locator("#model").select_option("nl")
    for line in (few, phrases):
        expect(line).to_be_visible()
    assert page.mistakes == []


def test_both_lines_are_in_the_language_of_the_page_and_fit_a_phone(open_page: OpenPage) -> None:
    page = open_page(
        FakeSession("De/DET/0/root", tells_mistakes=False),
        locale="nl",
        viewport={"width": 360, "height": 800},
    )
    type_text(page, "De")
    expect(page.locator("#conflicts-few")).to_contain_text("Dit model meldt bijna geen fouten")
    expect(page.locator("#tree-view-none")).to_have_text("Dit model kent geen woordgroepen.")
    assert fits_the_window(page)
    assert barriers(page) == []
