"""The page with a text in letters that the model does not know."""

from __future__ import annotations

from typing import Any

from browser_expect import expect
from page_actions import OpenPage, wait_for_text
from page_editor import paste, type_text
from page_trees import wait_for_forms

HEBREW = "הכלב הגדול רץ בגן והחתול ישן"
TOLD = "The text is in Hebrew letters, and the model knows Latin ones: take a model for the text."


def test_the_reason_stays_while_there_is_no_tree(open_real_page: OpenPage, english_server: Any) -> None:
    page = open_real_page(english_server)
    paste(page, HEBREW)
    wait_for_text(page, "#trouble", TOLD)
    for letter in " בלילה":  # each is answered, by nothing
        page.keyboard.type(letter, delay=60)
    page.wait_for_timeout(500)
    expect(page.locator("#trouble")).to_contain_text(TOLD)
    assert page.mistakes == []


def test_the_reason_goes_once_the_text_can_be_read_or_is_gone(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = open_real_page(english_server)
    type_text(page, "The dog barks.")
    wait_for_forms(page, ["The", "dog", "barks", "."])
    for instead in ("", "The cat sleeps."):
        page.locator(".cm-content").press("ControlOrMeta+a")
        paste(page, HEBREW)
        wait_for_text(page, "#trouble", TOLD)
        page.locator(".cm-content").press("ControlOrMeta+a")
        page.keyboard.press("Delete")
        paste(page, instead)
        expect(page.locator("#trouble")).to_be_empty()
    wait_for_forms(page, ["The", "cat", "sleeps", "."])
    assert page.mistakes == []
