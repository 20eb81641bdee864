"""Phrases on the page, as brackets over the words and as a tree, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import DRAWN, OpenPage, wait_until
from page_editor import type_text
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import text_of, wait_for_forms

DOG = (
    "The/DET/3/det old/ADJ/3/amod dog/NOUN/4/nsubj barks/VERB/0/root "
    "at/ADP/7/case the/DET/7/det cat/NOUN/4/obl"
)
PHRASES = [("S", 1, 7), ("NP", 1, 3), ("VP", 4, 7), ("PP", 5, 7), ("NP", 6, 7)]

LABELS = """() => [...document.getElementById("phrases").shadowRoot.querySelectorAll("svg .label")].map(
    label => label.textContent)"""
ROWS = """() => [...document.getElementById("phrases").shadowRoot.querySelectorAll("tbody tr")].map(
    row => [...row.cells].map(cell => cell.textContent))"""


def showing(open_page: OpenPage, view: str, text: str = text_of(DOG), **options: Any) -> Any:
    """The page with a text in one of its views."""
    page = open_page(FakeSession(DOG, phrases=PHRASES), **options)
    page.locator("#tree-view").select_option(view)
    type_text(page, text)
    wait_for_forms(page, text.split(), "phrases")
    return page


def wait_for_labels(page: Any, labels: list[str]) -> None:
    wait_until(page, lambda: sorted(page.evaluate(LABELS)) == sorted(labels))


@pytest.mark.parametrize("view", ["brackets", "tree"])
def test_phrases_that_will_go_on_are_shown_as_open(open_page: OpenPage, view: str) -> None:
    page = showing(open_page, view, "The old dog barks at")
    wait_for_labels(page, ["S…", "NP", "VP…", "PP…"])
    keep_picture(page, f"phrases-open-{view}")
    type_text(page, " the cat")
    wait_for_labels(page, ["S", "NP", "VP", "PP", "NP"])
    keep_picture(page, f"phrases-{view}")
    assert page.mistakes == []


def test_a_table_tells_the_phrases_to_those_who_do_not_see_them(open_page: OpenPage) -> None:
    page = showing(open_page, "tree", "The old dog barks")
    wait_until(
        page,
        lambda: (
            page.evaluate(ROWS)
            == [["S", "The old dog barks", "open"], ["NP", "The old dog", "ended"], ["VP", "barks", "open"]]
        ),
    )


def test_phrases_are_asked_for_only_while_they_are_shown(open_page: OpenPage) -> None:
    session = FakeSession(DOG, phrases=PHRASES)
    page = open_page(session)
    for view in ("tree", "brackets", "dependencies"):
        page.locator("#tree-view").select_option(view)
    streams = [["analyses", "constituents"], ["analyses"]]
    wait_until(page, lambda: [event["options"]["streams"] for event in session.all("options")] == streams)


def test_there_is_no_choice_where_the_model_knows_of_no_phrases(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG))
    type_text(page, "The old dog")
    wait_for_forms(page, ["The", "old", "dog"])
    assert page.locator("#tree-view").is_hidden()


def test_the_view_is_kept(open_page: OpenPage) -> None:
    page = showing(open_page, "brackets")
    page.reload()
    wait_for_forms(page, text_of(DOG).split(), "phrases")
    assert page.locator("#tree-view").input_value() == "brackets"
    assert page.locator("#tree").is_hidden()


def test_phrases_keep_nobody_out(open_page: OpenPage) -> None:
    page = showing(open_page, "brackets", viewport={"width": 360, "height": 780})
    for view in ("brackets", "tree"):
        page.locator("#tree-view").select_option(view)
        wait_for_forms(page, text_of(DOG).split(), "phrases")
        assert barriers_in_both_schemes(page, f"phrases-narrow-{view}") == []
        assert fits_the_window(page)


SEEN = """() => {
    const room = document.getElementById("phrases").shadowRoot.querySelector(".room").getBoundingClientRect();
    return [...document.getElementById("phrases").shadowRoot.querySelectorAll(".word")].map((word) => {
        const { left, right } = word.getBoundingClientRect();
        return room.left <= left && right <= room.right;
    });
}"""


def test_the_picture_follows_who_types_and_lets_a_reader_scroll_away(open_page: OpenPage) -> None:
    session = FakeSession(DOG, phrases=PHRASES)
    page = open_page(session, viewport={"width": 360, "height": 780})
    page.locator("#tree-view").select_option("tree")
    type_text(page, "The")
    forms = ["The"]
    for word in text_of(DOG).split()[1:]:
        page.keyboard.type(f" {word}")
        forms.append(word)
        wait_for_forms(page, forms, "phrases")
        wait_until(page, lambda: page.evaluate(SEEN)[-1])
    assert not page.evaluate(SEEN)[0]
    room = page.locator("#phrases .room")
    assert room.evaluate("room => getComputedStyle(room, '::-webkit-scrollbar').height") == "10px"
    room.evaluate("room => { room.scrollLeft = 0 }")
    session.phrases = PHRASES[:1]
    session.answer()
    wait_for_labels(page, ["S"])
    assert page.evaluate(SEEN)[0]
    page.locator("#phrases .word").first.click()
    expect(page.locator("#editor .cm-content")).to_be_focused()
    expect(page.locator("#phrases .word.current .form")).to_have_text("The")
    page.keyboard.press("ControlOrMeta+End")
    wait_until(page, lambda: page.evaluate(SEEN)[-1])
    page.keyboard.press("ControlOrMeta+Home")
    wait_until(page, lambda: page.evaluate(SEEN)[0])
    assert page.mistakes == []


# A word is clicked, and the cursor is gone again before a frame is drawn.
CLICKED_AND_LEFT = """() => {
    const within = (id, place) => document.getElementById(id).shadowRoot.querySelector(place);
    const far = { bubbles: true, composed: true };
    within("phrases", ".word .form").dispatchEvent(new MouseEvent("click", far));
    const key = new KeyboardEvent("keydown", { key: "End", ctrlKey: true, ...far });
    within("editor", ".cm-content").dispatchEvent(key);
}"""


def test_a_cursor_that_comes_back_at_once_from_a_clicked_word_is_followed(open_page: OpenPage) -> None:
    page = showing(open_page, "tree", "The old dog barks")
    current = page.locator("#phrases .word.current .form")
    expect(current).to_have_text("barks")
    page.evaluate(CLICKED_AND_LEFT)
    page.evaluate(DRAWN)
    expect(current).to_have_text("barks")


def test_phrases_can_be_saved_and_copied(open_page: OpenPage) -> None:
    page = showing(open_page, "tree", "The old dog barks")
    with page.expect_download() as download:
        page.locator("#save-svg").click()
    saved = Path(download.value.path()).read_text()
    assert [f">{label}<" in saved for label in ("S…", "NP", "VP…", "PP")] == [True, True, True, False]
    written = page.evaluate("document.getElementById('phrases').toBrackets()")
    assert written == "(ROOT (S (NP (DET The) (ADJ old) (NOUN dog)) (VP (VERB barks))))\n"
    assert page.locator("#copy-conllu").text_content() == "Copy brackets"


def test_phrases_are_copied_as_latex(open_page: OpenPage) -> None:
    page = showing(open_page, "tree", "The old dog barks", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy-latex").click()
    expect(page.locator("#copy-latex")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "\\begin{forest}\n  [{S}\n    [{NP}\n      [{DET} [{The}]]\n" in copied
    assert "dependency" not in copied
    page.locator("#tree-view").select_option("dependencies")
    page.locator("#copy-latex").click()
    wait_until(page, lambda: "\\begin{dependency}" in page.evaluate("navigator.clipboard.readText()"))
    assert page.mistakes == []


def test_a_word_that_is_chosen_in_the_picture_is_where_the_cursor_goes(open_page: OpenPage) -> None:
    page = showing(open_page, "brackets")
    page.locator("#phrases .word").nth(1).click()
    page.keyboard.type("er")
    wait_for_forms(page, ["The", "older", *text_of(DOG).split()[2:]], "phrases")
