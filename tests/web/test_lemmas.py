"""Lemmas under the tags of the tree, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_until
from page_editor import type_text
from page_files import saved_conllu
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import drawn_forms, text_of, wait_for_forms

DOGS = "The/DET/2/det dogs/NOUN/3/nsubj slept/VERB/0/root"
LEMMAS = {"The": "the/DT", "dogs": "dog/NNS", "slept": "sleep/VBD"}
SHOWN = """id => {
    const lemmas = document.getElementById(id).shadowRoot?.querySelectorAll(".word:not(.ghost) .lemma");
    return [...lemmas ?? []].map(lemma => lemma.textContent);
}"""
PLACES = """id => {
    const picture = document.getElementById(id);
    const whole = picture.getBoundingClientRect();
    const forms = [...picture.shadowRoot.querySelectorAll(".form")].map(form => form.getBoundingClientRect());
    const places = forms.map(form => [form.x - whole.x, form.y - whole.y, form.width]);
    return [[whole.width, whole.height], ...places];
}"""
READ = """() => [...document.getElementById("tree").shadowRoot.querySelectorAll("table tr")].map(
    row => [...row.cells].map(cell => cell.textContent))"""


def typed(open_page: OpenPage, session: FakeSession, **options: Any) -> Any:
    page = open_page(session, **options)
    type_text(page, text_of(DOGS))
    wait_for_forms(page, text_of(DOGS).split())
    return page


def wait_for_lemmas(page: Any, lemmas: list[str], tree: str = "tree") -> None:
    wait_until(page, lambda: page.evaluate(SHOWN, tree) == lemmas)


def saved_columns(page: Any) -> list[list[str]]:
    """FORM, LEMMA and XPOS of the words, as the page saves them."""
    rows = [line.split("\t") for line in saved_conllu(page).splitlines() if "\t" in line]
    return [[row[1], row[2], row[4]] for row in rows]


def lemmas_asked(session: FakeSession) -> list[bool]:
    """What each document and each change of options said of lemmas."""
    return [event["options"].get("lemmas", False) for event in session.all("open") + session.all("options")]


def test_lemmas_are_shown_and_saved_on_demand_and_the_choice_is_kept(open_page: OpenPage) -> None:
    session = FakeSession(DOGS, lemmas=LEMMAS)
    page = typed(open_page, session)
    expect(page.locator("#lemmas")).not_to_be_checked()
    wait_for_lemmas(page, ["", "", ""])
    assert lemmas_asked(session) == [False]
    assert saved_columns(page) == [[form, "_", "_"] for form in LEMMAS]
    page.locator("#lemmas").check()
    wait_for_lemmas(page, ["the", "dog", "sleep"])
    known = [["The", "the", "DT"], ["dogs", "dog", "NNS"], ["slept", "sleep", "VBD"]]
    assert saved_columns(page) == known
    assert ">sleep</text>" in page.locator("#tree").evaluate("tree => tree.toSVG()")
    keep_picture(page, "lemmas")
    page.reload()
    wait_for_lemmas(page, ["the", "dog", "sleep"])
    expect(page.locator("#lemmas")).to_be_checked()
    assert lemmas_asked(session) == [False, True, True]
    assert saved_columns(page) == known
    page.locator("#lemmas").uncheck()
    wait_for_lemmas(page, ["", "", ""])
    wait_until(page, lambda: saved_columns(page)[0] == ["The", "_", "_"])
    assert page.mistakes == []


def test_those_who_read_the_table_find_lemmas_in_it(open_page: OpenPage) -> None:
    page = typed(open_page, FakeSession(DOGS, lemmas=LEMMAS))
    assert page.evaluate(READ)[0] == ["ID", "Form", "Tag", "Relation", "Head"]
    page.locator("#lemmas").check()
    wait_for_lemmas(page, ["the", "dog", "sleep"])
    headings, _, dogs, _ = page.evaluate(READ)
    assert headings == ["ID", "Form", "Tag", "Lemma", "Relation", "Head"]
    assert dogs == ["2", "dogs", "NOUN", "dog", "nsubj", "3 slept"]
    word = page.locator("#tree .word").nth(1)
    assert word.get_attribute("aria-label") == "dogs, NOUN, lemma dog, nsubj of 3 slept"
    assert barriers_in_both_schemes(page, "lemmas") == []
    page.locator("#lemmas").uncheck()
    wait_until(page, lambda: page.evaluate(READ)[2] == ["2", "dogs", "NOUN", "nsubj", "3 slept"])


@pytest.mark.parametrize("view", ["dependencies", "brackets", "tree"])
def test_lemmas_that_come_later_move_nothing(open_page: OpenPage, view: str) -> None:
    session = FakeSession(DOGS, phrases=[("S", 1, 3), ("NP", 1, 2)], lemmas={})
    page = typed(open_page, session, viewport={"width": 360, "height": 780})
    page.locator("#tree-view").select_option(view)
    tree = "tree" if view == "dependencies" else "phrases"
    wait_for_forms(page, text_of(DOGS).split(), tree)
    picture = page.locator(f"#{tree} svg")
    picture.locator(".label").first.wait_for()
    without = picture.bounding_box()["height"]
    page.locator("#lemmas").check()
    wait_until(page, lambda: picture.bounding_box()["height"] > without)
    places = word_places(page, tree)
    session.lemmas = LEMMAS
    session.answer()
    wait_for_lemmas(page, ["the", "dog", "sleep"], tree)
    keep_picture(page, f"lemmas-{view}")
    assert word_places(page, tree) == places
    assert fits_the_window(page)
    page.locator("#lemmas").uncheck()
    wait_until(page, lambda: picture.bounding_box()["height"] == without)


def word_places(page: Any, tree: str) -> list[Any]:
    """The size of the picture, and where the forms of the words stand in it; what is above it may move it."""
    return list(page.evaluate(PLACES, tree))


def test_there_is_no_choice_where_the_model_knows_no_lemmas(open_page: OpenPage) -> None:
    session = FakeSession(DOGS)
    page = typed(open_page, session)
    assert page.locator("#lemmas-choice").is_hidden()
    assert lemmas_asked(session) == [False]


def test_the_english_model_knows_lemmas(open_real_page: OpenPage, english_server: Any) -> None:
    page = open_real_page(english_server)
    type_text(page, "The dogs slept.")
    wait_until(page, lambda: drawn_forms(page) == ["The", "dogs", "slept", "."])
    page.locator("#lemmas").check()
    wait_for_lemmas(page, ["the", "dog", "sleep", "."])
    assert saved_columns(page)[1] == ["dogs", "dog", "NNS"]
    page.locator("#lemmas").uncheck()
    wait_until(page, lambda: saved_columns(page)[1] == ["dogs", "_", "_"])
