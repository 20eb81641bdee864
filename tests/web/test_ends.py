"""The mark at the cursor that says whether a sentence has ended, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_until
from page_editor import type_text
from page_looks import barriers_in_both_schemes, fits_the_window
from page_trees import wait_for_forms

MARK = "#editor .tw-ends"
TOLD = "may end here: 40%, has ended: 12%"
FILLED = """mark => [mark.style.getPropertyValue("--may-end"), mark.style.getPropertyValue("--ends")]"""
LINE = """line => {
    const { x, y, width, height } = line.getBoundingClientRect();
    const field = line.closest(".cm-editor").getBoundingClientRect();
    return [x - field.x, y - field.y, width, height];
}"""


def typed(open_page: OpenPage, text: str = "the dog barks", **options: Any) -> tuple[Any, FakeSession]:
    session = FakeSession(completeness=(0.4, 0.12))
    page = open_page(session, **options)
    type_text(page, text)
    wait_for_forms(page, text.split())
    return page, session


def streams_asked(session: FakeSession) -> list[list[str]]:
    return [event["options"]["streams"] for event in session.all("options")]


def test_the_mark_fills_as_the_sentence_comes_to_its_end(open_page: OpenPage) -> None:
    page, session = typed(open_page)
    expect(page.locator("#ends-told")).to_have_text(TOLD)
    assert page.locator("#ends-choice").get_attribute("title") == TOLD
    assert page.locator(MARK).evaluate(FILLED) == ["40%", "12%"]
    session.completeness = (1.0, 0.5)
    page.keyboard.type(" loudly")
    expect(page.locator("#ends-told")).to_have_text("may end here: 100%, has ended: 50%")
    wait_until(page, lambda: page.locator(MARK).evaluate(FILLED) == ["100%", "50%"])
    assert page.mistakes == []


def test_nothing_announces_how_far_it_is(open_page: OpenPage) -> None:
    page, _ = typed(open_page)
    expect(page.locator("#ends-told")).to_have_text(TOLD)
    assert page.locator("#ends-told").evaluate("told => told.closest('[aria-live], [role=status]')") is None
    assert page.locator(MARK).evaluate("mark => !!mark.closest('[aria-hidden=true]')")
    expect(page.locator("#ends")).to_have_accessible_description(TOLD)


def test_the_mark_stands_at_the_cursor_behind_the_last_sentence_alone(open_page: OpenPage) -> None:
    page, _ = typed(open_page)
    expect(page.locator(MARK)).to_have_count(1)
    end = page.locator("#editor .cm-line").evaluate(
        """line => {
            const range = document.createRange();
            range.selectNodeContents(line);
            return range.getBoundingClientRect().right;
        }"""
    )
    assert 0 < page.locator(MARK).bounding_box()["x"] - end < 8
    page.keyboard.press("Home")
    expect(page.locator(MARK)).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator(MARK)).to_have_count(1)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Backspace")
    expect(page.locator(MARK)).to_have_count(0)


def test_it_is_asked_for_only_while_it_is_shown_and_the_choice_is_kept(open_page: OpenPage) -> None:
    page, session = typed(open_page)
    expect(page.locator(MARK)).to_have_count(1)
    page.locator("#ends").uncheck()
    expect(page.locator(MARK)).to_have_count(0)
    expect(page.locator("#ends-told")).to_have_text("")
    wait_until(page, lambda: streams_asked(session) == [["analyses", "completeness"], ["analyses"]])
    page.reload()
    wait_for_forms(page, ["the", "dog", "barks"])
    expect(page.locator("#ends")).not_to_be_checked()
    assert len(streams_asked(session)) == 2
    page.locator("#ends").check()
    expect(page.locator("#ends-told")).to_have_text(TOLD)


def test_there_is_no_choice_where_the_model_knows_no_ends(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "the dog")
    wait_for_forms(page, ["the", "dog"])
    assert page.locator("#ends-choice").is_hidden()
    assert streams_asked(session) == []


def test_the_mark_moves_no_text(open_page: OpenPage) -> None:
    page, _ = typed(open_page, "a row of words " * 12 + "ends", viewport={"width": 360, "height": 780})
    line = page.locator("#editor .cm-line")
    expect(page.locator(MARK)).to_have_count(1)
    shown = line.evaluate(LINE)
    assert fits_the_window(page)
    page.locator("#ends").uncheck()
    expect(page.locator(MARK)).to_have_count(0)
    assert line.evaluate(LINE) == shown


@pytest.mark.parametrize("text", ["the dog barks at the old cat.", "הכלב הזקן נובח על החתול הזקן"])
def test_the_mark_hides_no_letter_where_a_line_is_full(open_page: OpenPage, text: str) -> None:
    session = FakeSession(completeness=(0.4, 0.12))
    page = open_page(session)
    type_text(page, text)
    expect(page.locator(MARK)).to_have_count(1)
    whole = text_box(page)
    for narrower in range(0, 24, 3):
        width = whole["width"] + 24 - narrower
        page.locator("#editor").evaluate(NARROW, width)
        wait_until(page, lambda: 0 <= gap_at_the_mark(page) < 8)
    assert text_box(page)["height"] > 1.5 * whole["height"], "the last one had to break"


# CodeMirror may miss a new size right after an update, but not that of a window.
NARROW = """(editor, width) => {
    editor.style.width = `${width}px`;
    dispatchEvent(new Event("resize"));
}"""


def gap_at_the_mark(page: Any) -> float:
    """From the last letter to the mark behind it."""
    mark, letter = page.locator(MARK).bounding_box(), text_box(page, last=True)
    to_right, to_left = (mark["x"] - letter["x"] - letter["width"], letter["x"] - mark["x"] - mark["width"])
    return float(max(to_right, to_left))


def text_box(page: Any, last: bool = False) -> dict[str, float]:
    """Where the text of the line stands, or its last letter."""
    box: dict[str, float] = page.locator("#editor .cm-line").evaluate(
        """(line, isLast) => {
            const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            let text = null;
            while (walker.nextNode()) if (walker.currentNode.data) text = walker.currentNode;
            const range = document.createRange();
            range.selectNodeContents(line);
            if (isLast) range.setStart(text, text.length - 1);
            if (isLast) range.setEnd(text, text.length);
            return range.getBoundingClientRect().toJSON();
        }""",
        last,
    )
    return box


def test_the_mark_keeps_nobody_out(open_page: OpenPage) -> None:
    page, _ = typed(open_page, reduced_motion="reduce")
    expect(page.locator(MARK)).to_have_count(1)
    assert page.locator(MARK).evaluate("mark => mark.getAnimations().length") == 0
    assert barriers_in_both_schemes(page, "ends") == []


def test_a_right_to_left_text_has_the_mark_on_its_left(open_page: OpenPage) -> None:
    page, _ = typed(open_page, "הכלב נובח")
    start = page.locator("#editor .cm-line").evaluate(
        """line => {
            const range = document.createRange();
            range.selectNodeContents(line);
            return range.getBoundingClientRect().left;
        }"""
    )
    assert 0 < start - page.locator(MARK).bounding_box()["x"] < 12


def test_the_english_model_fills_it(open_real_page: OpenPage, english_server: Any) -> None:
    page = open_real_page(english_server)
    type_text(page, "She said he left")
    expect(page.locator("#ends-told")).to_contain_text("may end here:")
    expect(page.locator(MARK)).to_have_count(1)
