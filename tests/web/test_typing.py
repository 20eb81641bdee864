"""What stands in the text and in the tree while somebody types, pastes, composes and clicks."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import DRAWN, OpenPage, wait_for_motion, wait_for_text, wait_until
from page_editor import (
    cursor_place,
    expected_told,
    ghosts_watched,
    paste,
    text_shown,
    type_text,
    watch_ghosts,
)
from page_files import open_file
from page_trees import drawn_crossings, drawn_forms, text_of, wait_for_forms

DOG = (
    "The/DET/3/det old/ADJ/3/amod dog/NOUN/4/nsubj barks/VERB/0/root "
    "at/ADP/7/case the/DET/7/det postman/NOUN/4/obl"
)
AT_80_WORDS_A_MINUTE = 150  # milliseconds a letter


def test_what_is_expected_comes_after_a_pause_and_stands_in_no_word_and_before_no_text(
    open_page: OpenPage,
) -> None:
    """It is gone with the next letter, and moves no cursor."""
    page = open_page(FakeSession(DOG))
    page.locator(".cm-content").click()
    watch_ghosts(page)
    page.keyboard.type("The old dog barks at the", delay=AT_80_WORDS_A_MINUTE)
    wait_until(page, lambda: expected_told(page) == ["noun"] and ghosts_watched(page)["shown"] > 0)
    page.keyboard.type(" p")
    assert expected_told(page) == []
    page.evaluate(DRAWN)
    assert ghosts_watched(page)["soonest"] > 500  # milliseconds after a letter
    page.keyboard.type("ostman", delay=AT_80_WORDS_A_MINUTE)
    page.keyboard.press("Home")
    page.keyboard.type("Say", delay=AT_80_WORDS_A_MINUTE)
    wait_until(page, lambda: ghosts_watched(page)["all"] > 100)
    seen = ghosts_watched(page)
    assert seen["shown"] > 0
    assert (seen["inside"], seen["before"], seen["moved"]) == (0, 0, 0)


def select_word(page: Any, place: int) -> None:
    """Selects the word whose first letter stands at a place of the only line."""
    page.keyboard.press("Home")
    for _ in range(place):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+Shift+ArrowRight")


@pytest.mark.parametrize("is_whole", [False, True])
def test_text_that_is_replaced_by_the_same_text_keeps_its_tree(open_page: OpenPage, is_whole: bool) -> None:
    session = FakeSession(DOG)
    page = open_page(session)
    type_text(page, "The old dog barks")
    wait_for_forms(page, ["The", "old", "dog", "barks"])
    session.is_held = True
    if is_whole:
        page.keyboard.press("Control+a")
        paste(page, "The old dog barks")
    else:
        select_word(page, 8)
        paste(page, "dog")
    page.evaluate(DRAWN)
    assert drawn_forms(page) == ["The", "old", "dog", "barks"]
    expect(page.locator("#editor .tw-provisional")).to_have_text(["The old dog barks"])
    assert text_shown(page) == session.text == "The old dog barks"
    assert page.mistakes == []


def test_control_characters_that_are_pasted_or_typed_reach_nobody(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "a ")
    paste(page, "b\u0000\u0007c\u000bd\te\u009f")
    page.keyboard.type("f")
    wait_until(page, lambda: session.text == "a bc\nd\tef")
    assert text_shown(page) == "a bc\nd\tef"


def test_an_emoji_that_takes_the_place_of_one_that_begins_alike_comes_whole(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "\U0001f389 dog")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.insert_text("\U0001f38a")
    wait_until(page, lambda: session.text == "\U0001f38a dog")
    assert all("\ufffd" not in event["text"] for event in session.all("edit"))


def test_what_an_input_method_has_not_committed_is_not_sent(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "a ")
    wait_until(page, lambda: session.text == "a ")
    keyboard = page.context.new_cdp_session(page)
    for text in ["n", "に", "にほ", "にほん"]:
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        keyboard.send("Input.imeSetComposition", {"text": text, **place})
        wait_until(page, lambda text=text: text_shown(page) == f"a {text}")  # type: ignore[misc]
    page.evaluate(DRAWN)
    assert session.text == "a "
    keyboard.send("Input.insertText", {"text": "日本"})
    wait_until(page, lambda: session.text == "a 日本")
    page.keyboard.type("!")
    wait_until(page, lambda: session.text == text_shown(page) == "a 日本!")
    wait_for_forms(page, ["a", "日本", "!"])
    assert [event["text"] for event in session.all("edit")][2:] == ["日本", "!"]


def test_a_tree_without_the_word_that_is_composed_is_not_called_settled(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "a dog ")
    wait_for_text(page, "#stage", "settled so far")
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    expect(page.locator("#stage")).to_have_text("without the word that you are composing")
    keyboard.send("Input.insertText", {"text": "日本"})
    wait_for_forms(page, ["a", "dog", "日本"])
    expect(page.locator("#stage")).to_have_text("settled so far")


def test_what_an_input_method_takes_back_is_not_sent(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "a")
    keyboard = page.context.new_cdp_session(page)
    for text in ["n", ""]:
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        keyboard.send("Input.imeSetComposition", {"text": text, **place})
    page.keyboard.type("b")
    wait_until(page, lambda: session.text == "ab")
    assert [event["text"] for event in session.all("edit")] == ["a", "b"]


def test_a_click_on_a_word_of_the_tree_leaves_the_focus_in_the_text(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = open_page(session)
    type_text(page, "The old dog barks")
    wait_for_forms(page, ["The", "old", "dog", "barks"])
    page.locator("#tree .word").nth(1).click()
    expect(page.locator("#tree .word.current .form")).to_have_text("old")
    assert cursor_place(page) == len("The old")
    page.keyboard.type("er")
    wait_until(page, lambda: session.text == "The older dog barks")


# How long after a focus text has been moved into a mark.
WATCH_MARKS = """content => {
    content.addEventListener("focus", () => (window.focused = performance.now()));
    const observer = new MutationObserver(() => {
        if (content.querySelector(".tw-provisional")) window.marked ??= performance.now() - window.focused;
    });
    observer.observe(content, { subtree: true, childList: true });
}"""
FILE = """\
1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_

"""


def test_no_marks_come_when_the_text_has_just_got_the_focus_since_the_cursor_might_be_lost(
    open_page: OpenPage,
) -> None:
    session = FakeSession("Dogs/NOUN/2/nsubj bark/VERB/0/root")
    session.is_held = True
    page = open_page(session)
    open_file(page, "dogs.conllu", FILE)
    wait_for_forms(page, ["Dogs", "bark"])
    page.wait_for_timeout(600)  # longer than the pause between one set of marks and the next
    page.locator(".cm-content").evaluate(WATCH_MARKS)
    page.locator("#sureness").focus()
    page.locator(".cm-content").click()  # behind the text
    session.is_held = False
    session.answer()
    page.locator("#editor .tw-provisional").wait_for()
    assert page.evaluate("marked") > 200  # milliseconds in which CodeMirror mistakes what has happened
    page.keyboard.type("ed")
    wait_until(page, lambda: session.text == "Dogs barked")


def lit(page: Any) -> Any:
    return page.locator("#tree .word.current .form")


def test_a_word_that_no_space_follows_is_the_one_that_is_lit(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    forms = ["A", "car", ",", "Bob", "."]
    type_text(page, "A car, Bob.")
    wait_for_forms(page, forms)

    def expect_lit(form: str) -> None:
        page.evaluate(DRAWN)  # when the page has answered what was chosen in the tree
        expect(lit(page)).to_have_text(form)

    for place in (1, 3):
        page.locator("#tree .word").nth(place).click()
        expect_lit(forms[place])
    page.locator("#tree .word.current").focus()
    for key, walk in (("ArrowLeft", [2, 1, 0]), ("ArrowRight", [1, 2, 3, 4])):
        for place in walk:
            page.keyboard.press(key)
            expect_lit(forms[place])
    assert page.mistakes == []


def test_of_two_words_in_one_place_the_one_that_was_chosen_is_lit(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "du pain")
    wait_for_forms(page, ["du", "pain"])
    analysis = session.analysis(session.text, session.version)
    first, second = analysis["words"]
    analysis["words"] = [{**first, "form": "de"}, {**first, "form": "le"}, second]
    session.say(analysis)
    wait_for_forms(page, ["de", "le", "pain"])
    page.locator("#tree .word").nth(1).click()
    wait_until(page, lambda: cursor_place(page) == 2)
    session.say({**analysis, "number": analysis["number"] + 1, "stable_upto": 1})
    expect(page.locator("#tree .arc.stable")).to_have_count(1)
    expect(lit(page)).to_have_text("le")


@pytest.mark.parametrize("stage", ["initial", "improved"])
def test_a_whole_sentence_is_neither_complete_nor_solid_before_the_search_has_settled(
    open_page: OpenPage, stage: str
) -> None:
    session = FakeSession(DOG, stable=1)
    session.whole, session.stage = True, stage
    page = open_page(session)
    type_text(page, "The old dog barks")
    wait_for_forms(page, ["The", "old", "dog", "barks"])
    assert page.locator("#stage").text_content() in ("first guess", "getting better")
    expect(page.locator("#tree .arc.stable")).to_have_count(1)
    expect(page.locator("#editor .tw-provisional")).to_have_text("old dog barks")
    session.stage = "settled"
    type_text(page, ".")
    expect(page.locator("#stage")).to_have_text("complete")
    expect(page.locator("#tree .arc:not(.stable)")).to_have_count(0)


def test_the_stage_says_that_no_tree_is_better_until_the_text_changes(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    session.proven = True
    page = open_page(session)
    type_text(page, "The old dog barks")
    wait_for_text(page, "#stage", "settled so far, and nothing is better")
    session.proven = False
    type_text(page, ".")
    expect(page.locator("#stage")).to_have_text("settled so far")


def test_a_whole_sentence_is_drawn_without_dashes_and_exported_with_its_root(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    session.whole = True
    page = open_page(session)
    type_text(page, "The old dog barks")
    wait_for_text(page, "#stage", "complete")
    expect(page.locator("#tree .arc")).to_have_count(4)
    expect(page.locator("#tree .arc:not(.stable)")).to_have_count(0)
    expect(page.locator("#tree .word.ghost")).to_have_count(0)
    expect(page.locator("#editor .tw-provisional")).to_have_count(0)
    rows = [
        line.split("\t") for line in page.locator("#tree").evaluate("tree => tree.toConllu()").split("\n")
    ]
    assert [(row[6], row[7]) for row in rows if len(row) > 1][3] == ("0", "root")
    assert "stroke-dasharray" not in page.locator("#tree").evaluate("tree => tree.toSVG()")


@pytest.mark.parametrize("penalty", [0, 0.6199999219569793])
def test_conflicts_that_are_not_meant_for_people_are_shown_nowhere(
    open_page: OpenPage, penalty: float
) -> None:
    conflicts = [
        {"constraint": "English objects stand right", "penalty": penalty, "words": [1]},
        {"constraint": "two", "penalty": penalty, "words": [2], "message": "*Old* is said twice."},
    ]
    page = open_page(FakeSession(DOG, conflicts=conflicts))
    type_text(page, "The old")
    expect(page.locator("#conflicts button")).to_have_text(["Old is said twice."])
    expect(page.locator("#conflicts em")).to_have_text(["Old"])
    expect(page.locator("#editor .tw-conflict")).to_have_text(["old"])
    expect(page.locator("#tree .word.conflict .form")).to_have_text(["old"])
    page.locator("#editor .tw-conflict").hover()
    expect(page.locator("#editor .tw-explanation li")).to_have_text(["Old is said twice."])
    assert "0.6" not in page.locator("body").inner_text()
    assert "objects" not in page.locator("body").inner_text()


def directions(page: Any) -> list[str]:
    """Of the lines of the text, as the browser works them out."""
    return [
        *page.locator("#editor .cm-line").evaluate_all(
            "lines => lines.map(line => getComputedStyle(line).direction)"
        )
    ]


def test_each_line_and_each_tree_has_the_direction_of_its_own_text(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "שלום")
    page.keyboard.press("Enter")
    page.keyboard.type("The old dog barks")
    wait_for_forms(page, ["שלום", "The", "old", "dog", "barks"])
    assert directions(page) == ["rtl", "ltr"]
    assert page.locator("#tree svg").get_attribute("direction") == "ltr"
    page.keyboard.press("Control+a")
    page.keyboard.type("NASA שיגרה חללית חדשה")
    wait_for_forms(page, ["NASA", "שיגרה", "חללית", "חדשה"])
    assert page.locator("#tree svg").get_attribute("direction") == "rtl"


# A projective tree whose rows break: words under "h" on both sides, and under one another.
FAN = (
    "aaaaaaaa/X/9/a bbbbbbbb/X/9/b cccccccc/X/9/c dddddddd/X/3/d eeeeeeee/X/9/e ffffffff/X/9/f "
    "gggggggg/X/6/g iiiiiiii/X/9/i hhhhhhhh/X/0/root jjjjjjjj/X/9/j kkkkkkkk/X/10/k llllllll/X/9/l"
)


# A relative clause that comes late: its edge crosses that of the root.
LATE_CLAUSE = (
    "A/DET/2/det letter/NOUN/3/nsubj came/VERB/0/root yesterday/ADV/3/advmod that/SCONJ/8/mark "
    "nobody/PRON/8/nsubj had/AUX/8/aux opened/VERB/2/acl ./PUNCT/3/punct"
)


def crossings_at(page: Any, widths: tuple[int, ...]) -> list[int]:
    """How many edges cross in windows of some widths."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        wait_for_motion(page)
        found.append(drawn_crossings(page))
    return found


def test_edges_that_cross_are_drawn_so_while_they_are_typed(open_page: OpenPage) -> None:
    page = open_page(FakeSession(LATE_CLAUSE))
    page.locator("#rows").select_option("several")
    forms = text_of(LATE_CLAUSE).split()
    for start, end, crossings in ((0, 4, 0), (4, 8, 1), (8, 9, 2)):  # the full stop hangs on what is crossed
        type_text(page, " ".join(["", *forms[start:end]]))
        wait_for_forms(page, forms[:end])
        assert crossings_at(page, (320, 420, 1000)) == [crossings] * 3


def test_arcs_of_a_projective_tree_do_not_cross_where_rows_break(open_page: OpenPage) -> None:
    page = open_page(FakeSession(FAN), viewport={"width": 360, "height": 900})
    page.locator("#rows").select_option("several")
    forms = text_of(FAN).split()
    page.locator(".cm-content").focus()
    page.keyboard.insert_text(" ".join(forms))
    wait_for_forms(page, forms)
    assert page.locator("#tree svg > g").count() > 1
    assert crossings_at(page, (360, 480, 620)) == [0] * 3
    assert page.locator("#tree svg > g").count() > 1
