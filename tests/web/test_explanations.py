"""Words, arcs and what they are called, explained in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_until
from page_corrections import focus_word
from page_editor import type_text
from page_files import open_file
from page_looks import barriers, barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import text_of, wait_for_forms

CAT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root in/ADP/6/case the/DET/6/det sun/NOUN/3/obl"
GERMAN = """\
# text = Meine Katze schläft.
1\tMeine\tmein\tDET\tPPOSAT\tCase=Nom|Number[psor]=Sing|Person=1\t2\tdet:poss\t_\t_
2\tKatze\tKatze\tNOUN\tNN\tGender=Fem|Number=Sing\t3\tnsubj\t_\t_
3\tschläft\tschlafen\tVERB\tVVFIN\tMood=Ind\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t$.\t_\t3\tpunct\t_\t_

"""
HEBREW = "הכלב/NOUN/3/nsubj הזקן/ADJ/1/amod נובח/VERB/0/root על/ADP/5/case הדוור/NOUN/3/obl"
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
# all is in sight: the page does not scroll under the pointer
TALL = {"viewport": {"width": 1280, "height": 1000}}
LIT = """how => {
    const { shadowRoot } = document.getElementById("tree");
    const words = shadowRoot.querySelectorAll(`.word[data-lit="${how}"] .form`);
    return [...words].map(form => form.textContent);
}"""


def typed(open_page: OpenPage, known: str = CAT, **options: Any) -> Any:
    page = open_page(FakeSession(known), **options)
    type_text(page, text_of(known))
    wait_for_forms(page, text_of(known).split())
    return page


def word(page: Any, form: str) -> Any:
    return page.locator("#tree .word", has_text=form).first


def arc(page: Any, label: str) -> Any:
    """What a pointer can take hold of."""
    return page.locator("#tree .arc", has_text=label).locator(".label").first


def lit(page: Any) -> dict[str, list[str]]:
    """The words that are lit, by how."""
    return {how: page.evaluate(LIT, how) for how in ("own", "below", "head")}


def test_a_word_under_the_pointer_is_explained_and_its_subtree_lights_up(open_page: OpenPage) -> None:
    page = typed(open_page)
    word(page, "sun").hover()
    card = page.locator("#explained")
    expect(card.locator("strong")).to_have_text("sun")
    expect(card.locator("dt")).to_have_text(["NOUN noun", "obl oblique"])
    expect(card).to_contain_text("depends on sleeps")
    expect(card).to_contain_text("Names a person, a thing, a place or an idea.The kettle boils.")
    assert lit(page) == {"own": ["sun"], "below": ["in", "the"], "head": ["sleeps"]}
    keep_picture(page, "explained-word")
    page.locator("h1").hover()
    expect(card).to_be_hidden()
    assert lit(page) == {"own": [], "below": [], "head": []}
    assert page.mistakes == []


def test_an_arc_under_the_pointer_is_explained_and_lights_up(open_page: OpenPage) -> None:
    page = typed(open_page)
    arc(page, "nsubj").hover()
    card = page.locator("#explained")
    expect(card.locator("strong")).to_have_text("cat → sleeps")
    expect(card.locator("dt")).to_have_text(["nsubj subject"])
    assert lit(page) == {"own": ["cat"], "below": ["The"], "head": ["sleeps"]}
    arc(page, "root").hover()
    expect(card.locator("strong")).to_have_text("sleeps: the head of the sentence")
    keep_picture(page, "explained-arc")


def test_the_pointer_may_rest_on_the_card_and_escape_closes_it(open_page: OpenPage) -> None:
    page = typed(open_page)
    word(page, "cat").hover()
    card = page.locator("#explained")
    expect(card).to_be_visible()
    card.hover()
    page.wait_for_timeout(600)  # longer than a card stays behind
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_the_card_of_a_word_leaves_the_buttons_of_correction_free(open_page: OpenPage) -> None:
    page = typed(open_page)
    page.set_viewport_size({"width": 1280, "height": 1600})
    word(page, "cat").hover()
    card = page.locator("#explained")
    expect(card).to_be_visible()
    buttons = page.locator("#correction").bounding_box()
    assert buttons["y"] + buttons["height"] < card.bounding_box()["y"] < buttons["y"] + 2 * buttons["height"]


def test_words_are_explained_by_keys_alone_and_to_those_who_hear_them(open_page: OpenPage) -> None:
    page = typed(open_page)
    page.keyboard.press("Control+Home")
    wait_until(page, lambda: page.locator("#tree .word.current").text_content().startswith("The"))
    while not page.evaluate("document.activeElement.id === 'tree'"):
        page.keyboard.press("Tab")
    card = page.locator("#explained")
    expect(card.locator("strong")).to_have_text("The")
    page.keyboard.press("ArrowRight")
    expect(card.locator("strong")).to_have_text("cat")
    cat, the = word(page, "cat"), word(page, "The")
    expect(cat).to_have_attribute("aria-label", "cat, NOUN, nsubj of 3 sleeps")
    told = "depends on sleeps. NOUN: noun. Names a person, a thing, a place or an idea. nsubj: subject."
    wait_until(page, lambda: (cat.get_attribute("aria-description") or "").startswith(told))
    assert the.get_attribute("aria-description") is None
    assert lit(page)["below"] == ["The"]
    assert barriers_in_both_schemes(page, "explained-by-keys") == []
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(card.locator("strong")).to_have_text("sleeps")
    page.keyboard.press("Tab")
    expect(card).to_be_hidden()
    assert page.mistakes == []


def test_the_card_is_gone_while_the_keys_of_heads_stand_over_words(open_page: OpenPage) -> None:
    page = typed(open_page, viewport={"width": 1280, "height": 720})
    focus_word(page, "sleeps")
    card = page.locator("#explained")
    expect(card.locator("strong")).to_have_text("sleeps")
    page.keyboard.press("h")
    expect(page.locator("#tree .hints rect")).to_have_count(6)
    expect(card).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(600)  # longer than a card takes to come
    expect(card).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#tree .hints")).to_have_count(0)
    expect(card.locator("strong")).to_have_text("sleeps")
    assert page.mistakes == []


def test_what_else_a_word_could_be_is_told_with_its_probability(open_page: OpenPage) -> None:
    session = FakeSession(CAT, others={6: [(2, "nmod", 0.23), (0, "root", 0.04), (-1, "obj", 0.02)]})
    page = open_page(session)
    type_text(page, text_of(CAT))
    wait_for_forms(page, text_of(CAT).split())
    assert session.all("ask_margins") == []
    word(page, "sun").hover()
    others = page.locator("#explained .others")
    expect(others).to_contain_text("It could also be")
    told = ["below “cat” as nmod: 23%", "as the root: 4%", "below a word to come as obj: 2%"]
    expect(others.locator("li")).to_have_text(told)
    described = word(page, "sun").get_attribute("aria-description") or ""
    assert f"It could also be: {', '.join(told)}." in described
    keep_picture(page, "explained-others")
    arc(page, "case").hover()
    expect(page.locator("#explained strong")).to_have_text("in → sun")
    expect(others).to_have_count(0)
    assert len(session.all("ask_margins")) == 1
    page.locator("#blind").check()
    word(page, "sun").hover()
    expect(page.locator("#explained strong")).to_have_text("sun")
    page.wait_for_timeout(300)
    expect(others).to_have_count(0)
    assert page.mistakes == []


def test_a_finger_explains_words_and_arcs_on_a_phone(open_page: OpenPage) -> None:
    page = typed(open_page, **PHONE)
    word(page, "cat").tap()
    card = page.locator("#explained")
    expect(card.locator("strong")).to_have_text("cat")
    assert lit(page) == {"own": ["cat"], "below": ["The"], "head": ["sleeps"]}
    assert fits_the_window(page)
    assert barriers(page) == []
    keep_picture(page, "explained-phone")
    page.locator("#tree-heading").tap()
    expect(card).to_be_hidden()
    arc(page, "det").tap()
    expect(card.locator("strong")).to_have_text("The → cat")
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_features_lemmas_and_the_tags_of_a_treebank_are_told_where_a_file_has_them(
    open_page: OpenPage,
) -> None:
    page = open_page(FakeSession(), **TALL)
    open_file(page, "katze.conllu", GERMAN)
    wait_for_forms(page, ["Meine", "Katze", "schläft", "."])
    expect(page.locator("#tree-source")).to_be_visible()
    word(page, "Meine").hover()
    card = page.locator("#explained")
    signs = ["DET", "det:poss", "Case=Nom", "Number[psor]=Sing", "Person=1"]
    expect(card.locator("code")).to_have_text(signs)
    expect(card).to_contain_text("lemma mein · XPOS PPOSAT · depends on Katze")
    expect(card).to_contain_text("singular of the possessor")
    expect(card.locator(".example [lang=de]").first).to_have_text("meine Tasche")
    keep_picture(page, "explained-features")


def test_hebrew_is_explained_as_well(open_page: OpenPage) -> None:
    page = typed(open_page, HEBREW)
    word(page, "הדוור").hover()
    expect(page.locator("#explained strong")).to_have_text("הדוור")
    assert lit(page)["below"] == ["על"]
    assert fits_the_window(page)
    keep_picture(page, "explained-hebrew")


def test_what_cannot_be_explained_is_told_and_asked_for_again(open_page: OpenPage) -> None:
    page = typed(open_page)
    page.route("**/glossary-en.json", lambda route: route.abort())
    word(page, "sun").hover()
    expect(page.locator("#explained")).to_have_text("The explanations cannot be had at present.")
    page.unroute("**/glossary-en.json")
    word(page, "cat").hover()
    expect(page.locator("#explained strong")).to_have_text("cat")


@pytest.mark.parametrize("view", ["brackets", "tree"])
def test_labels_of_phrases_are_explained(open_page: OpenPage, view: str) -> None:
    session = FakeSession(CAT, phrases=[("S", 1, 6), ("NP", 1, 2), ("PP", 4, 6)])
    page = open_page(session)
    type_text(page, text_of(CAT))
    page.locator("#tree-view").select_option(view)
    wait_for_forms(page, text_of(CAT).split(), "phrases")
    page.locator("#phrases .label", has_text="PP").hover()
    card = page.locator("#explained")
    expect(card.locator("dt")).to_have_text(["PP prepositional phrase"])
    page.locator("#phrases .word", has_text="cat").hover()
    expect(card.locator("dt")).to_have_text(["NOUN noun", "nsubj subject"])
