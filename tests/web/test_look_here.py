"""Where a tree is doubtful: the list, the key that leads from doubt to doubt, and both arcs in the tree."""

from __future__ import annotations

from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_until
from page_corrections import focus_word, wait_for_told, wait_until_fixed, word_shown
from page_editor import type_text
from page_files import open_file
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import text_of, wait_for_forms

MAN = (
    "I/PRON/2/nsubj saw/VERB/0/root the/DET/4/det man/NOUN/2/obj "
    "with/ADP/7/case the/DET/7/det telescope/NOUN/2/obl"
)
MARGINS = {7: (0.3, 4, "nmod"), 1: (2.5, 4, "nsubj"), 4: (9.0, 7, "nsubj"), 5: (0.01, 2, "advmod")}
FILE = """\
# text = The dog barks.
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tdog\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tbarks\tbark\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""
PHONE = {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True}


def session(**options: Any) -> FakeSession:
    return FakeSession(MAN, margins=MARGINS, rules={7: "one-object"}, **options)


def shown(open_page: OpenPage, session: FakeSession, **options: Any) -> Any:
    page = open_page(session, **options)
    type_text(page, text_of(MAN))
    wait_for_forms(page, text_of(MAN).split())
    return page


def open_list(page: Any) -> Any:
    page.locator("#look summary").click()
    return page.locator("#look-list li")


def rival(page: Any) -> Any:
    return page.locator("#tree .rival .label")


def current(page: Any) -> str:
    return str(page.locator("#tree .word.current .form").text_content())


def press_next(page: Any, form: str) -> None:
    page.keyboard.press("n")
    wait_until(page, lambda: current(page) == form)


def test_the_least_sure_words_stand_first_with_what_speaks_for_them(open_page: OpenPage) -> None:
    page = shown(open_page, session())
    items = open_list(page)
    expect(items.first).to_be_visible()
    assert items.all_text_contents() == [
        "“with” below “telescope” as case. Just as likely: below “saw” as advmod.",
        "“telescope” below “saw” as obl. Next best: below “man” as nmod, 1.3 times less likely. "
        "The rule “one-object” decided.",
        "“I” below “saw” as nsubj. Next best: below “man” as nsubj, 12 times less likely.",
        "“man” below “saw” as obj. Next best: below “telescope” as nsubj, more than 1,000 times less likely.",
        "“saw” as the root. Nothing else is possible here.",
        "“the” below “man” as det. Nothing else is possible here.",
        "“the” below “telescope” as det. Nothing else is possible here.",
    ]
    keep_picture(page, "look-here")
    assert barriers_in_both_schemes(page, "look-here") == []
    assert page.mistakes == []


def test_a_choice_leads_to_its_word_and_lights_its_arc_and_the_rival(open_page: OpenPage) -> None:
    page = shown(open_page, session())
    open_list(page).nth(1).locator("button").click()
    wait_until(page, lambda: current(page) == "telescope")
    expect(rival(page)).to_have_text("nmod")
    expect(page.locator("#tree .arc[data-doubted] .label")).to_have_text("obl")
    expect(page.locator("#correction-told")).to_contain_text("Next best: below “man” as nmod")
    keep_picture(page, "look-here-rival")
    page.keyboard.press("ArrowLeft")
    expect(rival(page)).to_have_count(0)
    expect(page.locator("#tree .arc[data-doubted]")).to_have_count(0)


def test_a_key_leads_from_doubt_to_doubt_past_what_is_fixed(open_page: OpenPage) -> None:
    known = session()
    page = shown(open_page, known)
    focus_word(page, "I")
    assert known.all("ask_margins") == []
    press_next(page, "with")
    expect(page.locator("#correction-told")).to_contain_text("Just as likely: below “saw” as advmod.")
    page.keyboard.press("f")
    wait_for_told(page, "Fixed: with below telescope, as case, with the tag ADP.")
    press_next(page, "telescope")
    press_next(page, "I")
    press_next(page, "man")
    for form in ("saw", "the", "the"):
        press_next(page, form)
    page.keyboard.press("n")
    wait_for_told(page, "You have looked at every word that is not fixed. Press again to begin anew.")
    press_next(page, "telescope")
    expect(page.locator("#look")).not_to_have_attribute("open", "")
    assert page.mistakes == []


def test_the_server_is_asked_while_the_list_is_open_and_once_for_each_analysis(open_page: OpenPage) -> None:
    known = session()
    page = shown(open_page, known)
    assert known.all("ask_margins") == []
    items = open_list(page)
    expect(items).to_have_count(7)
    focus_word(page, "man")
    focus_word(page, "telescope")
    assert len(known.all("ask_margins")) == 1
    page.keyboard.press("f")
    expect(items).to_have_count(6)
    assert len(known.all("ask_margins")) == 2, "the card of the word asks no more"
    page.locator("#look summary").click()
    page.locator("#editor .cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(" the man")
    expect(page.locator("#tree .word:not(.ghost)")).to_have_count(9)
    page.locator("#stage", has_text="settled").wait_for()
    assert len(known.all("ask_margins")) == 2


def test_the_list_follows_the_sentence_as_it_is_typed(open_page: OpenPage) -> None:
    known = session()
    page = open_page(known)
    type_text(page, "I saw")
    wait_for_forms(page, ["I", "saw"])
    items = open_list(page)
    expect(items).to_have_count(2)
    page.locator("#editor .cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(" the man")
    expect(items).to_have_count(4)
    expect(items.first).to_contain_text("“I”")


def test_a_sentence_about_which_the_server_knows_nothing_says_so(open_page: OpenPage) -> None:
    known = session()
    page = shown(open_page, known)
    known.unsure = "sentence 0 has no best parse"
    focus_word(page, "I")
    page.keyboard.press("n")
    wait_for_told(page, "The server cannot tell how sure it is of this sentence.")


def test_words_of_a_file_are_doubtful_where_the_parser_has_another_arc(open_page: OpenPage) -> None:
    known = FakeSession("The/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root ./PUNCT/2/punct")
    known.margins = {4: (1.5, 3, "punct"), 2: (4.0, 1, "obj")}
    page = open_page(known)
    open_file(page, "dog.conllu", FILE)
    wait_for_forms(page, ["The", "dog", "barks", "."])
    items = open_list(page)
    expect(items.first).to_contain_text("“.” below “barks” as punct")
    expect(items.first).to_contain_text("The parser finds below “dog” as punct 4.5 times likelier.")
    assert page.mistakes == []


def test_a_finger_finds_all_of_it_on_a_phone(open_page: OpenPage) -> None:
    page = shown(open_page, session(), **PHONE)
    page.locator("#look summary").tap()
    items = page.locator("#look-list button")
    expect(items).to_have_count(7)
    assert all(item.bounding_box()["height"] >= 44 for item in items.all())
    assert fits_the_window(page)
    items.nth(1).tap()
    expect(rival(page)).to_have_text("nmod")
    page.locator("#look-next").tap()
    wait_until(page, lambda: current(page) == "with")


def test_the_real_server_tells_what_else_was_possible(open_real_page: OpenPage, english_server: Any) -> None:
    page = open_real_page(english_server)
    type_text(page, "I saw the man with the old telescope in the garden.")
    page.locator("#stage", has_text="complete").wait_for()
    page.locator("#look summary").click()
    items = page.locator("#look-list li")
    expect(items).to_have_count(8)
    page.locator("#look-all").click()
    expect(items).to_have_count(12)
    expect(items.first).to_contain_text("as")
    focus_word(page, "I")
    page.keyboard.press("n")
    expect(page.locator("#tree .rival")).to_have_count(1)
    form = current(page)
    page.keyboard.press("f")
    wait_until_fixed(page, form, "head", "label", "tag")
    assert "head" in word_shown(page, form)["fixed"]
    expect(page.locator("#look-list")).not_to_contain_text(f"“{form}” below")
    assert page.mistakes == []
