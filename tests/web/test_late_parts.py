"""Parts of the page whose scripts are loaded when they are opened, with a real server."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from page_actions import OpenPage, unfold, wait_for_text

SCRIPT = "**/grammar_editor-*.js"


def scripts_loaded(page: Any) -> list[str]:
    """The names of scripts that the page has fetched, in their order."""
    entries = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    return [name.rpartition("/")[2] for name in entries if name.endswith(".js")]


def is_grammar(name: str) -> bool:
    return name.startswith("grammar_editor-")


def test_a_part_is_loaded_when_it_is_opened_and_once(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    assert "page.js" in scripts_loaded(page)
    assert not any(is_grammar(name) for name in scripts_loaded(page))
    for _ in range(3):
        unfold(page, "grammar-part")
    expect(page.locator("#grammar-text")).not_to_have_value("")
    assert sum(is_grammar(name) for name in scripts_loaded(page)) == 1
    assert page.mistakes == []


@pytest.mark.parametrize("scripts", ["**/*.js", SCRIPT])
def test_a_part_that_cannot_be_loaded_says_so_and_is_loaded_at_another_try(
    open_real_page: OpenPage, real_server: Any, scripts: str
) -> None:
    """Where the server answers but for that script, the page is loaded anew: browsers may not ask again."""
    page = open_real_page(real_server)
    page.route(scripts, lambda route: route.abort())
    unfold(page, "grammar-part")
    wait_for_text(page, "#grammar-part > .told[role=status]", "This part could not be loaded")
    page.unroute(scripts)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    unfold(page, "grammar-part")
    expect(page.locator("#grammar-text")).not_to_have_value("")
