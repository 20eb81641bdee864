"""The page in the language of its reader."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text
from page_editor import paste, text_shown, type_text
from page_looks import barriers, fits_the_window, keep_picture, unfold_all
from page_trees import wait_for_forms

CAT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root"
LANGUAGES = ["en", "de", "pt", "es", "fr", "nl", "af"]


def language(page: Any) -> str:
    return str(page.evaluate("document.documentElement.lang"))


def wait_for_language(page: Any, code: str) -> None:
    page.wait_for_function("code => document.documentElement.lang === code", arg=code)
    expect(page.locator("#page-language")).to_have_value(code)


def test_the_page_is_in_the_first_language_of_the_browser_that_it_has(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT), locale="de-CH")
    wait_for_language(page, "de")
    expect(page.locator("#tree-heading")).to_have_text("Baum dieses Satzes")
    expect(page.get_by_role("button", name="Abspielen")).to_be_visible()
    expect(page.locator("#correct-heading")).to_have_text("Korrigieren")
    unfold(page, "steps")
    expect(page.locator("#steps-board [data-step=shift] .title")).to_have_text("Schieben")
    assert page.mistakes == []


def test_what_the_page_tells_is_in_its_language_and_the_words_in_theirs(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT, confidences=[0.25, 0.5, 0.75]), locale="de")
    wait_for_language(page, "de")
    type_text(page, "The cat sleeps")
    wait_for_forms(page, ["The", "cat", "sleeps"])
    wait_for_text(page, "#announcer", "The: Determinierer von cat, cat: Subjekt von sleeps, sleeps: Wurzel")
    assert page.locator("#announcer span").first.get_attribute("lang") == "en"
    expect(page.locator("#tree thead th")).to_have_text(["Nr.", "Form", "Wortart", "Relation", "Kopf"])
    page.locator("#tree .word", has_text="cat").focus()
    card = page.locator("#explained")
    expect(card).to_contain_text("hängt ab von sleeps · sicher zu 50\u00a0%")
    expect(card.locator("dt")).to_have_text(["NOUN Substantiv", "nsubj Subjekt"])
    says = card.locator("dd").all_inner_texts()
    assert "Benennt eine Person, eine Sache, einen Ort oder eine Idee." in says[0]
    assert "Die Person oder Sache, die etwas tut oder über die etwas gesagt wird." in says[1]
    unfold(page, "practice")
    expect(page.locator("#practice-sentence optgroup").first).to_have_attribute("label", "Leicht")
    wait_for_text(page, "#practice-told", "Welcher Schritt kommt zuerst?")
    page.locator("#practice-board [data-step=shift]").click()
    wait_for_text(page, "#practice-told", "Richtig: The nehmen.")
    unfold(page, "practice-plan")
    expect(page.locator("#practice-planned li").first).to_have_text("dog nehmen, zu dem The gehört")
    expect(page.locator("#practice-planned")).to_contain_text("The an dog hängen, als Determinierer")
    assert page.mistakes == []


def test_numbers_and_plurals_are_those_of_the_language(open_page: OpenPage) -> None:
    page = open_page(FakeSession(), locale="fr")
    wait_for_language(page, "fr")
    paste(page, "a " * 1250)
    told = "Ce texte a 2\u202f500 caractères, et le serveur en analyse 2\u202f000 au plus"
    wait_for_text(page, "#trouble", told)


def test_english_asks_for_no_texts_and_other_languages_give_way_to_it(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT), locale="he-IL")
    assert language(page) == "en"
    asked = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert asked
    assert not [name for name in asked if "texts-" in name]


def test_a_language_that_is_chosen_stays_with_the_text(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT))
    type_text(page, "The cat")
    page.locator("#page-language").select_option("es")
    wait_for_language(page, "es")
    expect(page.locator("#tree-heading")).to_have_text("Árbol de esta oración")
    assert text_shown(page) == "The cat"
    page.reload()
    wait_for_language(page, "es")
    page.locator("#page-language").select_option("en")
    wait_for_language(page, "en")
    expect(page.locator("#tree-heading")).to_have_text("Tree of this sentence")
    assert page.mistakes == []


def test_the_address_says_which_language(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT), locale="de-DE")
    page.goto(page.url + "?lang=fr")
    wait_for_language(page, "fr")
    page.locator("#page-language").select_option("nl")
    wait_for_language(page, "nl")
    assert "lang" not in page.url


def test_a_page_without_the_texts_is_english(open_page: OpenPage) -> None:
    refuse = "window.fetch = () => Promise.reject(new TypeError('no network'));"
    page = open_page(FakeSession(CAT), refuse, locale="de-DE")
    assert language(page) == "en"
    type_text(page, "The cat")
    wait_for_forms(page, ["The", "cat"])


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(open_page: OpenPage, code: str, width: int) -> None:
    page = open_page(FakeSession(CAT), locale=code, viewport={"width": width, "height": 844})
    type_text(page, "The cat sleeps")
    wait_for_forms(page, ["The", "cat", "sleeps"])
    unfold_all(page)
    keep_picture(page, f"language-{code}-{width}")
    assert language(page) == code
    assert fits_the_window(page)
    assert page.evaluate(OVERFLOWING) == []
    if width == 390:
        assert barriers(page) == []


# Controls and lines whose text is cut off or sticks out of the window.
OVERFLOWING = """() => [...document.querySelectorAll("button, label, select, summary, p, h2, h3, h4, a")]
    .filter(one => one.checkVisibility() && !one.closest(".unseen"))
    .filter(one => {
        const { right } = one.getBoundingClientRect();
        return right > innerWidth + 0.5 || (one.tagName !== "SELECT" && one.scrollWidth > one.clientWidth + 4
            && getComputedStyle(one).display !== "inline");
    })
    .map(one => `${one.tagName} ${one.id} ${one.textContent.trim().slice(0, 40)}`)"""
