"""Text and tree together in any window, long sentences that can be read, and what leaves the page."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_until
from page_editor import type_text
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import drawn_crossings, text_of, wait_for_forms

# 60 words, of which some hang on words that are far away.
LONG = (
    "When/ADV/12/advmod the/DET/4/det old/ADJ/4/amod woman/NOUN/12/nsubj who/PRON/7/nsubj had/AUX/7/aux "
    "lived/VERB/4/acl:relcl by/ADP/10/case the/DET/10/det river/NOUN/7/obl finally/ADV/12/advmod "
    "decided/VERB/22/advcl to/PART/14/mark sell/VERB/12/xcomp the/DET/16/det house/NOUN/14/obj "
    "that/PRON/19/obj he/PRON/19/nsubj built/VERB/16/acl:relcl ,/PUNCT/12/punct she/PRON/22/nsubj "
    "wrote/VERB/0/root a/DET/25/det long/ADJ/25/amod letter/NOUN/22/obj to/ADP/28/case "
    "her/PRON/28/nmod:poss neighbour/NOUN/22/obl ,/PUNCT/33/punct in/ADP/31/case which/PRON/33/obl "
    "she/PRON/33/nsubj told/VERB/28/acl:relcl him/PRON/33/iobj that/SCONJ/38/mark he/PRON/38/nsubj "
    "could/AUX/38/aux have/VERB/33/ccomp the/DET/40/det garden/NOUN/38/obj and/CCONJ/43/cc the/DET/43/det "
    "boat/NOUN/40/conj if/SCONJ/46/mark he/PRON/46/nsubj promised/VERB/38/advcl to/PART/48/mark "
    "look/VERB/46/xcomp after/ADP/51/case the/DET/51/det dog/NOUN/48/obl until/SCONJ/55/mark "
    "her/PRON/54/nmod:poss daughter/NOUN/55/nsubj came/VERB/48/advcl back/ADV/55/advmod from/ADP/58/case "
    "town/NOUN/55/obl again/ADV/55/advmod ./PUNCT/22/punct"
)
SHORT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root ./PUNCT/3/punct"
HEBREW = (
    "הכלב/NOUN/3/nsubj הזקן/ADJ/1/amod נובח/VERB/0/root על/ADP/5/case הדוור/NOUN/3/obl "
    "של/ADP/7/case הכפר/NOUN/5/nmod" + 12 * " גם/ADV/3/advmod"
)
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
LOW: dict[str, dict[str, Any]] = {
    "phone with its keyboard up": {**PHONE, "viewport": {"width": 390, "height": 430}},
    "phone on its side": {**PHONE, "viewport": {"width": 800, "height": 200}},
    "zoomed": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},  # 1280 pixels at 200%
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}

IN_SIGHT = """() => ["editor", "tree-box"].every(id => {
    const { top, bottom } = document.getElementById(id).getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
})"""
HEIGHTS = (
    """() => ["write", "tree-card"].map(id => document.getElementById(id).getBoundingClientRect().height)"""
)
# Counts how often it is asked where the tree stands in a frame in which it was scrolled.
WATCH_SCROLLING = """() => {
    let isScrolled = false;
    window.askedBack = 0;
    const frames = window.requestAnimationFrame;
    window.requestAnimationFrame = act => frames(time => { isScrolled = false; act(time); });
    const room = document.getElementById("tree").shadowRoot.querySelector(".room");
    for (const name of ["scrollLeft", "scrollTop"]) {
        const { get, set } = Object.getOwnPropertyDescriptor(Element.prototype, name);
        Object.defineProperty(room, name, {
            get() { window.askedBack += isScrolled; return get.call(this); },
            set(value) { isScrolled = true; set.call(this, value); },
        });
    }
    room.scrollTo = (left, top) => { isScrolled = true; Element.prototype.scrollTo.call(room, left, top); };
}"""
# The words of the tree that are seen from left to right, by their numbers.
SEEN = """tree => {
    const room = tree.shadowRoot.querySelector(".room").getBoundingClientRect();
    return [...tree.shadowRoot.querySelectorAll(".word")].flatMap((word, place) => {
        const { left, right, bottom } = word.getBoundingClientRect();
        return room.left <= left && right <= room.right && bottom <= room.bottom + 1 ? [place + 1] : [];
    });
}"""
# From where to where a tree is seen, without the scrollbar.
VIEW = """
    const room = tree.shadowRoot.querySelector(".room");
    const { left: start } = tree.getBoundingClientRect();
    const view = { left: start, right: start + tree.clientWidth - (room.offsetWidth - room.clientWidth) };
    const names = [...room.querySelectorAll(".name")].map(name => name.getBoundingClientRect());"""
# Ends of lines that are in view, and neither at a word nor beside a name.
IN_THE_AIR = (
    "tree => {"
    + VIEW
    + """
    const isNamed = (x, y) => names.some(({ left, right, top, bottom }) =>
        left - 8 <= x && x <= right + 8 && top - 2 <= y && y <= bottom + 2);
    return [...room.querySelectorAll(".line")].flatMap(line => {
        const matrix = line.getScreenCTM();
        const place = at => line.getPointAtLength(at).matrixTransform(matrix);
        const points = [place(0), place(line.getTotalLength())];
        const { left, right, top } = line.getBoundingClientRect();
        if (right - left < 1 || right < view.left + 5 || left > view.right - 5) return [];
        const ends = points.map(({ x, y }) => ({ x: Math.min(Math.max(x, view.left), view.right), y: top,
            isAtWord: y > top + 3 && view.left <= x && x <= view.right }));
        return ends.filter(({ x, y, isAtWord }) => !isAtWord && !isNamed(x, y)).map(({ x }) => x);
    });
}"""
)
# Names of which something is out of view, on the left or right.
CUT_NAMES = (
    "tree => {"
    + VIEW
    + """
    return names.filter(({ left, right }) => left < view.left - 0.5 || right > view.right + 0.5);
}"""
)
SMALL = """() => [...document.querySelectorAll(
        "button, select, summary, #parts a, input[type=range], label:has(#grammar-used)")]
    .filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 44)
    .map(one => one.outerHTML)"""


def typed(open_page: OpenPage, known: str, rows: str = "", **options: Any) -> Any:
    page = open_page(FakeSession(known), **options)
    if rows:
        page.locator("#rows").select_option(rows)
    page.locator(".cm-content").focus()
    page.keyboard.insert_text(text_of(known))
    wait_for_forms(page, text_of(known).split())
    return page


def seen(page: Any) -> list[int]:
    return [*page.locator("#tree").evaluate(SEEN)]


def ends_in_the_air(page: Any) -> list[float]:
    return [*page.locator("#tree").evaluate(IN_THE_AIR)]


def names(page: Any) -> list[str]:
    return [*page.locator("#tree .name text").all_text_contents()]


@pytest.mark.parametrize("window", LOW)
def test_text_and_tree_stay_in_sight_and_do_not_jump_while_one_types(
    open_page: OpenPage, window: str
) -> None:
    page = open_page(FakeSession(LONG), **LOW[window])
    forms = text_of(LONG).split()
    heights = set()
    type_text(page, forms[0])
    for last in range(2, 26):
        page.keyboard.type(f" {forms[last - 1]}")
        wait_for_forms(page, forms[:last])
        heights.add(tuple(page.evaluate(HEIGHTS)))
        if last % 8 == 0:
            wait_until(page, lambda: page.evaluate(IN_SIGHT))
            wait_until(page, lambda last=last: last in seen(page))
    assert len(heights) == 1
    keep_picture(page, f"legible-{window}")
    assert fits_the_window(page)
    assert page.mistakes == []


def test_the_tree_follows_what_is_typed_without_being_laid_out_twice(open_page: OpenPage) -> None:
    page = open_page(FakeSession(LONG), viewport={"width": 390, "height": 780})
    page.evaluate(WATCH_SCROLLING)
    forms = text_of(LONG).split()
    type_text(page, forms[0])
    for last in range(2, 20):
        page.keyboard.type(f" {forms[last - 1]}")
        wait_for_forms(page, forms[:last])
    wait_until(page, lambda: 19 in seen(page))
    assert page.evaluate("window.askedBack") == 0


def test_a_keyboard_that_comes_up_leaves_text_and_tree_in_sight(open_page: OpenPage) -> None:
    page = typed(open_page, SHORT, **PHONE)
    wait_until(page, lambda: page.evaluate(IN_SIGHT))
    page.set_viewport_size({"width": 390, "height": 430})
    wait_until(page, lambda: page.evaluate(IN_SIGHT))


def test_on_wide_screens_the_tree_is_beside_its_text(open_page: OpenPage) -> None:
    page = typed(open_page, LONG, viewport={"width": 1680, "height": 950})
    text, tree = (page.locator(place).bounding_box() for place in ("#write", "#tree-card"))
    assert text["x"] + text["width"] < tree["x"]
    assert text["y"] == tree["y"]
    assert page.evaluate(IN_SIGHT)
    keep_picture(page, "legible-wide")


@pytest.mark.parametrize("rows", ["one", "several"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_sentence_of_sixty_words_has_no_crossings_and_no_end_in_the_air(
    open_page: OpenPage, width: int, rows: str
) -> None:
    page = typed(open_page, LONG, rows, viewport={"width": width, "height": 780})
    assert drawn_crossings(page) == 0
    assert (page.locator("#tree svg > g:has(.word)").count() == 1) == (rows == "one")
    for where in ("Home", "ArrowRight", "End"):
        for _ in range(20 if where == "ArrowRight" else 1):
            page.keyboard.press(f"Control+{where}")
        wait_until(page, lambda: ends_in_the_air(page) == [])
    assert names(page)
    assert fits_the_window(page)
    assert barriers_in_both_schemes(page, f"sixty-{rows}-{width}") == []


def test_narrow_windows_have_one_row_and_the_choice_of_rows_is_kept(open_page: OpenPage) -> None:
    page = typed(open_page, LONG, viewport={"width": 390, "height": 780})
    rows = page.locator("#tree svg > g:has(.word)")
    expect(rows).to_have_count(1)
    page.set_viewport_size({"width": 1280, "height": 780})
    wait_until(page, lambda: rows.count() > 1)
    page.locator("#rows").select_option("one")
    page.locator("#compact").check()
    expect(rows).to_have_count(1)
    page.reload()
    expect(page.locator("#compact")).to_be_checked()
    wait_for_forms(page, text_of(LONG).split())
    expect(rows).to_have_count(1)


@pytest.mark.parametrize("width", [360, 390, 640, 1000])
def test_names_of_arcs_that_leave_the_view_are_wholly_in_it(open_page: OpenPage, width: int) -> None:
    page = typed(open_page, LONG, "one", viewport={"width": width, "height": 780})
    room = page.locator("#tree .room")
    seen_names = set()
    for place in (0, 37, 150, 333, 800, 1200, 100_000):
        room.evaluate("(room, place) => room.scrollTo(place, 0)", place)
        wait_until(page, lambda: ends_in_the_air(page) == [])
        assert page.locator("#tree").evaluate(CUT_NAMES) == []
        seen_names.update(names(page))
    assert len(seen_names) > 5
    page.locator("#larger").click()
    wait_until(page, lambda: page.locator("#tree").evaluate(CUT_NAMES) == [])


def test_a_name_leads_to_its_word(open_page: OpenPage) -> None:
    page = typed(open_page, LONG, "one", viewport={"width": 390, "height": 780})
    page.keyboard.press("Control+End")
    wait_until(page, lambda: 60 in seen(page))
    page.locator("#tree .name", has_text="wrote").first.click()
    wait_until(page, lambda: 22 in seen(page))
    expect(page.locator("#tree .word.current .form")).to_have_text("wrote")


def test_dragging_the_ground_moves_the_picture(open_page: OpenPage) -> None:
    page = typed(open_page, LONG, "one", viewport={"width": 1000, "height": 780})
    page.keyboard.press("Control+Home")
    wait_until(page, lambda: 1 in seen(page))
    box = page.locator("#tree").bounding_box()
    page.mouse.move(box["x"] + 800, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 8, steps=4)
    page.mouse.up()
    wait_until(page, lambda: 1 not in seen(page) and 20 in seen(page))
    wait_until(page, lambda: ends_in_the_air(page) == [])


def test_the_tree_is_smaller_larger_compact_and_whole_at_once(open_page: OpenPage) -> None:
    page = typed(open_page, LONG, "one", viewport={"width": 1280, "height": 780})
    width = lambda: page.locator("#tree svg").bounding_box()["width"]  # noqa: E731
    usual = width()
    page.locator("#larger").click()
    wait_until(page, lambda: width() > 1.2 * usual)
    page.locator("#smaller").click()
    wait_until(page, lambda: width() == usual)
    page.locator("#compact").check()
    wait_until(page, lambda: width() < 0.85 * usual)
    page.locator("#rows").select_option("several")
    page.locator("#whole").click()
    wait_until(page, lambda: len(seen(page)) == 60)


def test_punctuation_is_folded_on_demand(open_page: OpenPage) -> None:
    page = typed(open_page, SHORT)
    labels = page.locator("#tree .label")
    expect(labels.filter(has_text="punct")).to_have_count(1)
    page.locator("#fold").check()
    expect(labels.filter(has_text="punct")).to_have_count(0)
    wait_for_forms(page, text_of(SHORT).split())
    assert "PUNCT" not in page.locator("#tree .tag").all_text_contents()


def test_from_right_to_left_one_row_follows_who_types_and_names_what_is_out_of_view(
    open_page: OpenPage,
) -> None:
    page = typed(open_page, HEBREW, "one", **LOW["phone with its keyboard up"])
    wait_until(page, lambda: 19 in seen(page))
    wait_until(page, lambda: "נובח" in "".join(names(page)))
    wait_until(page, lambda: ends_in_the_air(page) == [])
    page.keyboard.press("Control+Home")
    wait_until(page, lambda: 1 in seen(page))
    wait_until(page, lambda: ends_in_the_air(page) == [])
    assert barriers_in_both_schemes(page, "legible-hebrew") == []


def test_latex_is_copied_and_paper_has_the_sentence_and_its_tree_alone(open_page: OpenPage) -> None:
    page = typed(open_page, SHORT, color_scheme="dark")
    assert r"\depedge{2}{1}{det}" in page.locator("#tree").evaluate("tree => tree.toLaTeX()")
    page.locator("#copy-latex").click()
    expect(page.locator("#copy-latex")).to_have_text("Copied")
    expect(page.locator("#copy-latex")).to_have_text("Copy LaTeX")
    page.evaluate("window.print = () => { window.isPrinted = true }")
    page.locator("#print").click()
    assert page.evaluate("window.isPrinted")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#paper p")).to_have_text(text_of(SHORT))
    expect(page.locator("#paper svg")).to_be_visible()
    expect(page.locator("header, main")).to_have_count(2)
    assert [page.locator(place).is_visible() for place in ("header", "main")] == [False, False]
    assert page.locator("#paper svg rect").first.get_attribute("fill") == "#ffffff"
    keep_picture(page, "legible-paper")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("#paper")).to_have_count(0)
    assert page.mistakes == []


def test_keys_come_to_the_tree_before_they_come_to_forgetting(open_page: OpenPage) -> None:
    page = typed(open_page, SHORT)
    expect(page.locator("#forget")).to_be_visible()
    stops: list[str] = []
    while "forget" not in stops:
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.id"))
    assert {"correct-head", "rows", "compact", "smaller", "print"} <= {*stops}


def test_what_can_be_pressed_is_large_enough_for_a_finger(open_page: OpenPage) -> None:
    page = typed(open_page, SHORT, **PHONE)
    unfold(page, "dial")
    page.evaluate("document.getElementById('grammar').hidden = false")
    unfold(page, "grammar-part")
    expect(page.locator("#grammar-used")).to_be_visible()
    assert page.evaluate(SMALL) == []
