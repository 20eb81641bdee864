"""Decisions that nothing leads: the parser's arcs are hidden until somebody has decided, or asks for them."""

from __future__ import annotations

from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_until
from page_corrections import drag, focus_word, wait_for_told, word_shown, words_shown
from page_editor import cursor_place, type_text
from page_files import open_file
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import text_of, wait_for_forms

MAN = (
    "I/PRON/2/nsubj saw/VERB/0/root the/DET/4/det man/NOUN/2/obj "
    "with/ADP/7/case the/DET/7/det telescope/NOUN/2/obl"
)
CONFLICTS = [{"message": "*saw* has two objects", "words": [2, 4], "penalty": 0.1, "constraint": "objects"}]
LABELS = {"nsubj", "root", "det", "obj", "case", "obl", "nmod", "subject", "object", "determiner"}
FILE = """\
# text = I saw dogs.
1\tI\tI\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_
3\tdogs\tdog\tNOUN\t_\t_\t2\tobj\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""
LEAKS = """() => {
    const tree = document.getElementById("tree");
    const { shadowRoot } = tree;
    const shown = [shadowRoot.querySelector("svg").textContent, shadowRoot.querySelector("table").innerText];
    const named = [...shadowRoot.querySelectorAll("[aria-label]")];
    const names = named.map((one) => one.getAttribute("aria-label"));
    const told = ["explained", "announcer", "correction-told", "correction-changed", "look"].map(
        (id) => document.getElementById(id).textContent);
    return [...shown, ...names, ...told, tree.toSVG(), tree.toLaTeX(), tree.toPaper(600)].join(" ");
}"""


def blind(open_page: OpenPage, session: FakeSession, **options: Any) -> Any:
    page = open_page(session, **options)
    type_text(page, text_of(MAN))
    wait_for_forms(page, text_of(MAN).split())
    wait_until(page, lambda: "subject of" in page.locator("#announcer").text_content())
    page.locator("#blind").check()
    return page


def heads(page: Any) -> list[int | None]:
    return [word["head"] for word in words_shown(page)]


def leaks(page: Any) -> set[str]:
    """The labels that stand anywhere where the tree is shown or told."""
    told = page.evaluate(LEAKS).replace("“", " ").replace("”", " ")
    return LABELS & {*told.replace("<", " ").replace(">", " ").replace(",", " ").replace(".", " ").split()}


def test_nothing_of_the_parsers_tree_is_drawn_or_told(open_page: OpenPage) -> None:
    session = FakeSession(MAN, conflicts=CONFLICTS, confidences=[0.5] * 7, margins={7: (0.3, 4, "nmod")})
    page = blind(open_page, session)
    assert heads(page) == [None] * 7
    expect(page.locator("#tree .arc")).to_have_count(0)
    expect(page.locator("#conflicts")).to_be_hidden()
    marked = page.locator("#editor .tw-conflict").first
    assert marked.evaluate("one => getComputedStyle(one).textDecorationColor") == "rgba(0, 0, 0, 0)"
    marked.hover()
    page.locator("#editor .tw-explanation").wait_for(state="attached")
    expect(page.locator("#editor .tw-explanation")).to_be_hidden()
    for tool in ("#steps", "#moments", "#comparison"):
        expect(page.locator(tool)).to_be_hidden()
    page.locator("#tree .word", has_text="telescope").hover()
    expect(page.locator("#explained strong")).to_have_text("telescope")
    expect(page.locator("#explained dt")).to_have_text(["NOUN noun"])
    assert "saw" not in page.locator("#explained").text_content()
    page.wait_for_timeout(1500)  # longer than the announcer waits
    expect(page.locator("#announcer")).to_be_empty()
    assert leaks(page) == set()
    keep_picture(page, "blind")
    assert barriers_in_both_schemes(page, "blind") == []
    assert page.mistakes == []


def test_what_somebody_decides_is_drawn_and_no_more(open_page: OpenPage) -> None:
    page = blind(open_page, FakeSession(MAN))
    drag(page, "telescope", "man")
    wait_for_told(page, "Fixed: telescope below man.")
    expect(page.locator("#tree .arc")).to_have_count(1)
    assert heads(page) == [None, None, None, None, None, None, 4]
    assert leaks(page) == set(), "the label is the parser's"
    page.locator("#correct-label").click()
    page.locator("#chooser-text").fill("nmod")
    page.keyboard.press("Enter")
    expect(page.locator("#tree .arc .label")).to_have_text("nmod")
    page.locator("#tree .word", has_text="telescope").click()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    wait_until(page, lambda: heads(page) == [None] * 7)


def test_the_parsers_tree_of_a_sentence_is_shown_on_demand_and_hidden_again(open_page: OpenPage) -> None:
    page = blind(open_page, FakeSession(MAN))
    button = page.locator("#unveil")
    expect(button).to_have_text("Show the parser's arcs here")
    button.click()
    wait_until(page, lambda: heads(page) == [2, 0, 4, 2, 7, 7, 2])
    expect(button).to_have_text("Hide it again")
    button.click()
    wait_until(page, lambda: heads(page) == [None] * 7)
    page.locator("#blind").uncheck()
    wait_until(page, lambda: heads(page) == [2, 0, 4, 2, 7, 7, 2])
    expect(button).to_be_hidden()


def test_it_stays_so_when_the_page_is_loaded_anew(open_page: OpenPage) -> None:
    page = blind(open_page, FakeSession(MAN))
    page.reload()
    wait_for_forms(page, text_of(MAN).split())
    expect(page.locator("#blind")).to_be_checked()
    assert heads(page) == [None] * 7


def test_doubtful_words_are_named_without_what_the_parser_thinks_of_them(open_page: OpenPage) -> None:
    page = blind(open_page, FakeSession(MAN, margins={7: (0.3, 4, "nmod"), 4: (2.0, 7, "obl")}))
    page.locator("#look summary").click()
    items = page.locator("#look-list li")
    expect(items).to_have_count(7)
    assert items.all_text_contents()[:2] == ["“telescope”", "“man”"]
    focus_word(page, "I")
    page.keyboard.press("n")
    wait_for_told(page, "“telescope”")
    expect(page.locator("#tree .rival")).to_have_count(0)
    assert leaks(page) == set()


def is_before_the_full_stop(page: Any) -> bool:
    """Whether keys have led there; what is opened moves the cursor, too."""
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowLeft")
    return bool(cursor_place(page) == len("I saw dogs"))


def test_what_a_file_says_is_no_parsers(open_page: OpenPage) -> None:
    page = open_page(FakeSession("I/PRON/2/nsubj saw/VERB/0/root dogs/NOUN/2/obj ./PUNCT/2/punct"))
    page.locator("#blind").check()
    open_file(page, "dogs.conllu", FILE)
    wait_until(page, lambda: heads(page) == [2, 0, 2, 2])
    expect(page.locator("#tree-source")).to_be_visible()
    page.locator("#editor .cm-content").click()
    wait_until(page, lambda: is_before_the_full_stop(page))
    page.keyboard.type(" too")
    wait_for_forms(page, ["I", "saw", "dogs", "too", "."])
    assert word_shown(page, "too")["head"] is None
    assert word_shown(page, "dogs")["head"] == 2
    page.locator("#tree-source").click()
    wait_until(page, lambda: heads(page) == [None] * 5)


def test_the_choice_has_room_on_a_phone(open_page: OpenPage) -> None:
    page = open_page(FakeSession(MAN), viewport={"width": 360, "height": 780}, has_touch=True, is_mobile=True)
    label = page.locator("label:has(#blind)")
    assert label.bounding_box()["height"] >= 44
    label.tap()
    expect(page.locator("#blind")).to_be_checked()
    assert fits_the_window(page)
