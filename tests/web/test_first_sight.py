"""What somebody finds who sees the page for the first time."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_for_text, wait_until
from page_editor import text_shown, type_text
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import drawn_forms, text_of, wait_for_forms

CAT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root"
LANGUAGES = ["en", "af", "de", "es", "fr", "nl", "pt"]
PARTS = ["Write", "Correct", "Watch", "Practise", "Measure"]
# Those that lines have while no word lights them.
WEIGHTS = """() => [...document.getElementById("tree").shadowRoot.querySelectorAll(".arc .line")].map(
    line => getComputedStyle(line).getPropertyValue("--weight"))"""


def examples(page: Any) -> list[str]:
    return [*page.locator("#examples button").all_text_contents()]


def wait_for_text_of(page: Any, text: str) -> None:
    wait_until(page, lambda: text_shown(page) == text)


def test_one_key_types_an_example_and_a_second_one_stops_it(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    first = examples(page)[0]
    page.keyboard.press("Enter")
    wait_for_text(page, "#replay", "Stop")
    wait_until(page, lambda: len(drawn_forms(page)) > 1)
    expect(page.locator("#examples")).to_be_hidden()
    page.keyboard.press("End")
    page.keyboard.type("!")
    wait_for_text(page, "#replay", "Replay")
    assert first.rstrip(".") in text_shown(page).replace("!", "")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("#examples")).to_be_visible()
    assert page.mistakes == []


def test_enter_begins_a_line_where_there_is_a_text(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT))
    type_text(page, "The cat")
    page.keyboard.press("Enter")
    wait_for_text_of(page, "The cat\n")
    expect(page.locator("#replay")).to_have_text("Replay")


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_examples_in_the_language_of_the_model(open_page: OpenPage, language: str) -> None:
    page = open_page(FakeSession(models=LANGUAGES))
    page.locator("#model").select_option(language)
    expect(page.locator("#examples button[lang]").first).to_have_attribute("lang", language)
    assert len({*examples(page)}) in (2, 3)
    second = page.locator("#examples button").nth(1)
    text = second.text_content()
    second.click()
    wait_until(page, lambda: text_shown(page)[:3] == text[:3])
    page.locator("#replay").click()  # stops
    wait_for_text_of(page, text)


def test_a_language_without_examples_offers_none(open_page: OpenPage) -> None:
    page = open_page(FakeSession(models=["en", "hu"]))
    expect(page.locator("#examples")).to_be_visible()
    page.locator("#model").select_option("hu")
    expect(page.locator("#examples")).to_be_hidden()


def test_the_parts_are_named_by_what_people_do_and_one_step_leads_to_each(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT))
    type_text(page, "The cat sleeps")
    links = page.locator("#parts a")
    expect(links).to_have_text(PARTS)
    page.locator("#parts a", has_text="Watch").click()
    wait_for_text(page, "#steps-told", "can still be")
    page.locator("#parts a", has_text="Practise").press("Enter")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    page.locator("#parts a", has_text="Measure").click()
    expect(page.locator("#latency")).to_have_attribute("open", "")
    page.locator("#parts a", has_text="Correct").click()
    expect(page.locator("#open-conllu")).to_be_in_viewport()
    page.locator("#parts a", has_text="Write").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("!")
    wait_for_text_of(page, "The cat sleeps!")
    assert page.mistakes == []


def test_all_insiders_words_have_a_plain_line_beside_them(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT, completeness=(0.5, 0.5)))
    words = ["Next steps", "Time dial", "Committed and best", "Latency", "Practice"]
    for title in words:
        expect(page.locator("summary", has_text=title).locator(".plain")).to_contain_text(" ")
    for title in ["Mark ends", "Stability", "L1, exact search", "L2, constraints", "Sureness"]:
        expect(page.locator("label", has_text=title).locator(".plain")).to_contain_text(" ")
    expect(page.locator("#correct > .plain")).to_contain_text("CoNLL-U is")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_sight_keeps_nobody_out(open_page: OpenPage, width: int) -> None:
    page = open_page(FakeSession(models=LANGUAGES), viewport={"width": width, "height": 780})
    expect(page.locator("#examples")).to_be_visible()
    assert fits_the_window(page)
    assert barriers_in_both_schemes(page, f"first-sight-{width}") == []


def test_lines_are_as_heavy_as_their_arcs_are_sure_on_demand(open_page: OpenPage) -> None:
    session = FakeSession(CAT, confidences=[0.4, 0.8, 1.0])
    page = open_page(session)
    type_text(page, text_of(CAT))
    wait_for_forms(page, text_of(CAT).split())
    assert page.evaluate(WEIGHTS) == ["1.5px"] * 3
    page.locator("#sureness").check()
    wait_until(page, lambda: {*page.evaluate(WEIGHTS)} == {"0.75px", "2px", "4px"})
    assert 'stroke-width="0.75"' in page.locator("#tree").evaluate("tree => tree.toSVG()")
    page.locator("#tree .word", has_text="cat").hover()
    expect(page.locator("#explained")).to_contain_text("sure to 80%")
    keep_picture(page, "sureness")
    page.reload()
    expect(page.locator("#sureness")).to_be_checked()
    page.locator("#sureness").uncheck()
    wait_until(page, lambda: page.evaluate(WEIGHTS) == ["1.5px"] * 3)
    assert page.mistakes == []
