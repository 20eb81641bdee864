"""Trees are corrected on the page: what is decided holds, and the rest is parsed anew around it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser_expect import expect
from cases import each_seed
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_until
from page_corrections import (
    drag,
    focus_word,
    key_over,
    place_of,
    wait_for_told,
    wait_until_fixed,
    word_shown,
    words_shown,
)
from page_editor import text_shown, type_text
from page_files import open_file, saved_conllu
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import text_of, wait_for_forms

TELESCOPE = "The old dog saw the man with the telescope yesterday."
DOG = (
    "The/DET/3/det old/ADJ/3/amod dog/NOUN/4/nsubj barks/VERB/0/root "
    "at/ADP/7/case the/DET/7/det postman/NOUN/4/obl"
)
HEBREW = "הילדה/NOUN/2/nsubj קוראת/VERB/0/root ספר/NOUN/2/obj ארוך/ADJ/3/amod"


def parsed(page: Any, text: str = TELESCOPE) -> Any:
    """A page with a whole sentence that is parsed for good."""
    type_text(page, text)
    page.locator("#stage", has_text="complete").wait_for()
    return page


def shown(open_page: OpenPage, session: FakeSession, known: str = DOG, **options: Any) -> Any:
    page = open_page(session, **options)
    type_text(page, text_of(known))
    wait_for_forms(page, text_of(known).split())
    return page


def test_a_word_that_is_dragged_to_its_head_stays_there_and_the_rest_is_parsed_around_it(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server))
    numbers = {word["form"]: number for number, word in enumerate(words_shown(page), 1)}
    other = "saw" if word_shown(page, "telescope")["head"] == numbers["man"] else "man"
    before = word_shown(page, "telescope")
    drag(page, "telescope", other)
    wait_for_told(page, f"Fixed: telescope below {other}.")
    wait_until(page, lambda: word_shown(page, "telescope")["head"] == numbers[other])
    after = word_shown(page, "telescope")
    assert after["fixed"] == ["head"]
    assert after["label"] != before["label"], "the label is parsed anew"
    assert word_shown(page, "with")["head"] == numbers["telescope"]
    expect(page.locator("#tree .arc.fixed")).to_have_count(1)
    expect(page.locator("#tree .arc[data-changed]")).not_to_have_count(0)
    expect(page.locator("#correction-changed")).to_contain_text("telescope")
    expect(page.locator("#tree .arc[data-changed]")).to_have_count(0)
    row = saved_conllu(page).splitlines()[numbers["telescope"]].split("\t")
    assert (row[1], row[6]) == ("telescope", str(numbers[other]))
    assert page.mistakes == []


def test_a_word_that_is_dragged_to_the_root_is_the_root(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server))
    drag(page, "man", None)
    wait_for_told(page, "Fixed: man below the root.")
    wait_until(page, lambda: word_shown(page, "man")["head"] == 0)
    assert [word["form"] for word in words_shown(page) if word["head"] == 0] == ["man"]
    assert word_shown(page, "man")["label"] == "root"
    drag(page, "man", "dog")
    wait_for_told(page, "Fixed: man below dog.")
    wait_until(page, lambda: word_shown(page, "man")["fixed"] == ["head"] and word_shown(page, "man")["head"])
    page.locator("#stage", has_text="complete").wait_for()
    drag(page, "telescope", None)
    wait_for_told(page, "Fixed: telescope below the root.")
    drag(page, "man", None)
    page.keyboard.press("Escape")
    assert page.mistakes == []


def test_an_explanation_is_not_in_the_way_of_a_word_that_is_dragged(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server, viewport={"width": 1280, "height": 720}))
    page.mouse.move(*place_of(page, "dog"))
    page.locator("#explained").wait_for()
    page.evaluate(  # nothing moves the card any more
        "() => { const later = setTimeout; window.setTimeout = (act, wait = 0) => later(act, wait + 3000) }"
    )
    box = page.locator("#explained").bounding_box()
    x, y = place_of(page, "telescope")
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y - 20 < box["y"] + box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20)
    page.mouse.move(x, y - 60, steps=4)
    page.mouse.up()
    wait_for_told(page, "Fixed: telescope below the root.")
    assert page.mistakes == []


def test_a_circle_is_crossed_out_and_told_and_changes_nothing(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server))
    drag(page, "dog", "man")
    wait_for_told(page, "Fixed: dog below man.")
    wait_until_fixed(page, "dog", "head")
    before = words_shown(page)
    drag(page, "man", "dog", drop=False)
    expect(page.locator("#tree .dragging.impossible .cross")).to_be_visible()
    keep_picture(page, "circle")
    wait_for_told(page, "“man” cannot hang on “dog”: “dog” hangs on “man”, which would be a circle.")
    page.mouse.up()
    expect(page.locator("#tree .dragging")).to_have_count(0)
    assert words_shown(page) == before
    drag(page, "old", None)
    wait_for_told(page, "Fixed: old below the root.")
    wait_until_fixed(page, "old", "head")
    before = words_shown(page)
    drag(page, "saw", None)
    wait_for_told(page, "“saw” cannot be the root: “old” is fixed as the root. Free that first.")
    assert words_shown(page) == before


def test_what_only_the_server_knows_to_be_impossible_is_told_in_its_words(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server))
    drag(page, "old", "saw")
    wait_for_told(page, "Fixed: old below saw.")
    wait_until_fixed(page, "old", "head")
    before = words_shown(page)
    drag(page, "dog", "The")
    wait_for_told(page, "dog stays as it was: no projective tree has these heads")
    assert words_shown(page) == before
    drag(page, "yesterday", "man")
    wait_for_told(page, "Fixed: yesterday below man.")


def test_escape_calls_a_drag_off(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = shown(open_page, session)
    drag(page, "old", "barks", drop=False)
    expect(page.locator("#tree .dragging")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#tree .dragging")).to_have_count(0)
    page.mouse.up()
    assert session.all("fix") == []


def test_a_finger_drags_the_word_that_it_has_tapped(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = shown(open_page, session, viewport={"width": 600, "height": 740}, has_touch=True)
    touches = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        found = [{"x": x, "y": y} for x, y in points]
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": found})

    def swipe(form: str, head: str) -> None:
        (x, y), (to_x, to_y) = place_of(page, form), place_of(page, head)
        touch("touchStart", (x, y))
        for step in range(1, 9):
            touch("touchMove", (x + (to_x - x) * step / 8, y + (to_y - y) * step / 8 - 10))
        touch("touchEnd")

    page.locator("#tree .word").nth(1).scroll_into_view_if_needed()
    swipe("old", "barks")
    page.touchscreen.tap(*place_of(page, "old"))
    expect(page.locator("#tree .word.current .form")).to_have_text("old")
    assert session.all("fix") == [], "from other words a finger scrolls"
    swipe("old", "barks")
    wait_for_told(page, "Fixed: old below barks.")
    assert session.all("fix")[0]["heads"] == {"2": 4}


def test_head_and_label_take_four_keys_at_most(open_real_page: OpenPage, english_server: Any) -> None:
    words = "the old man and the dog saw the house in the garden " * 4
    page = parsed(open_real_page(english_server), f"{words.strip().capitalize()} telescope.")
    focus_word(page, "telescope")
    page.keyboard.press("h")
    key = key_over(page, "The")
    assert len(key) == 2, "the word that is furthest away of nearly fifty"
    page.keyboard.type(key)
    page.keyboard.press("2")
    wait_for_told(page, "Fixed: telescope as")
    wait_until(page, lambda: word_shown(page, "telescope")["fixed"] == ["head", "label"])
    assert word_shown(page, "telescope")["head"] == 1
    expect(page.locator("#tree .word:focus .form")).to_have_text("telescope")
    assert page.mistakes == []


def test_arcs_come_first_and_labels_later_all_by_keys(open_real_page: OpenPage, english_server: Any) -> None:
    page = parsed(open_real_page(english_server))
    focus_word(page, "yesterday")
    page.keyboard.press("h")
    page.keyboard.press(key_over(page, "man"))
    page.keyboard.press("Escape")
    wait_until(page, lambda: word_shown(page, "yesterday")["fixed"] == ["head"])
    expect(page.locator("#tree .word:focus .form")).to_have_text("yesterday")
    page.keyboard.press("l")
    expect(page.locator("#chooser-list [role=option]").nth(30)).to_be_attached()
    page.keyboard.type("app")
    expect(page.locator("#chooser-list [role=option]")).to_have_text(["1appos"])
    page.keyboard.press("Enter")
    wait_until(page, lambda: word_shown(page, "yesterday")["label"] == "appos")
    page.keyboard.press("t")
    page.keyboard.type("adv")
    page.keyboard.press("Enter")
    wait_until(page, lambda: word_shown(page, "yesterday")["tag"] == "ADV")
    assert word_shown(page, "yesterday")["fixed"] == ["head", "label", "tag"]
    label = page.locator("#tree .word:focus").get_attribute("aria-label")
    assert label.endswith("appos of 6 man, head, label and tag fixed")
    row = saved_conllu(page).splitlines()[10].split("\t")
    assert (row[1], row[3], row[6], row[7]) == ("yesterday", "ADV", "6", "appos")


def test_a_word_is_fixed_as_it_stands_and_freed_again(open_real_page: OpenPage, english_server: Any) -> None:
    page = parsed(open_real_page(english_server))
    before = words_shown(page)
    focus_word(page, "dog")
    page.keyboard.press("f")
    wait_until(page, lambda: word_shown(page, "dog")["fixed"] == ["head", "label", "tag"])
    assert [{**word, "fixed": []} for word in words_shown(page)] == before
    expect(page.locator("#correct-fix-name")).to_have_text("Free")
    page.locator("#correct-fix").click()
    wait_for_told(page, "Freed: dog.")
    wait_until(page, lambda: words_shown(page) == before)


def test_a_head_is_chosen_by_walking_to_it_and_by_a_click(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = shown(open_page, session)
    focus_word(page, "old")
    page.keyboard.press("h")
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    wait_until(page, lambda: [fix["heads"] for fix in session.all("fix")] == [{"2": 4}])
    page.keyboard.press("Escape")
    page.locator("#correct-head").click()
    page.locator("#tree .word").nth(6).click()
    wait_until(page, lambda: [fix["heads"] for fix in session.all("fix")] == [{"2": 4}, {"2": 7}])
    expect(page.locator("#tree .word.current .form")).to_have_text("old")


def test_a_click_on_a_label_chooses_another_one(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = shown(open_page, session)
    page.locator("#tree .label", has_text="obl").click()
    page.locator("#chooser [role=option]", has_text="nmod").click()
    wait_for_told(page, "Fixed: postman as nmod.")
    assert session.all("fix")[0]["labels"] == {"7": "nmod"}
    expect(page.locator("#tree .arc.named .label")).to_have_text("nmod")


def correct_at_random(page: Any, source: random.Random) -> None:
    """Press the keys of one correction, which may be refused."""
    focus_word(page, source.choice(["old", "dog", "man", "telescope", "yesterday", "with"]))
    kind = source.choice("hhltf")
    page.keyboard.press(kind)
    if kind == "h":
        page.keyboard.press(source.choice("abcdefg"))
        page.keyboard.press("Escape")
    elif kind != "f":
        page.keyboard.press(source.choice("23456"))
    wait_until(page, lambda: bool(TOLD.match(page.locator("#correction-told").text_content())))


TOLD = re.compile("Fixed|Freed|.*(stays as it was|cannot)")


def test_a_word_is_dragged_though_it_was_selected_as_text(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server))
    x, y = place_of(page, "saw")
    page.mouse.move(x, y - 60)
    page.mouse.down()
    page.mouse.move(x + 150, y + 260, steps=4)  # from between the arcs to below the tree
    page.mouse.up()
    drag(page, "telescope", "man")
    wait_until(page, lambda: word_shown(page, "telescope")["fixed"] == ["head"])


@each_seed(range(2))
def test_undo_takes_back_all_corrections_and_redo_makes_them_again(
    open_real_page: OpenPage, english_server: Any, seed: int
) -> None:
    page = parsed(open_real_page(english_server))
    source, states, trees = random.Random(seed), [saved_conllu(page)], [words_shown(page)]
    for _ in range(12):
        correct_at_random(page, source)
        states.append(saved_conllu(page))
        trees.append(words_shown(page))
    assert len({*states}) > 5
    told = page.locator("#correction-told")

    def press(keys: str) -> None:
        before = words_shown(page)
        page.locator("#tree .word[tabindex='0']").focus()
        page.keyboard.press(keys)
        wait_until(
            page, lambda: words_shown(page) != before or told.text_content() == "There is nothing more."
        )
        wait_until(page, lambda: words_shown(page) in trees)

    # Trees are compared between, since Chromium loses downloads of a page that has had some thirty.
    while any(word["fixed"] for word in words_shown(page)):
        press("Control+z")
    assert saved_conllu(page) == states[0]
    while told.text_content() != "There is nothing more.":
        press("Control+Shift+z")
    assert saved_conllu(page) == states[-1]
    assert page.mistakes == []


def test_an_edit_of_a_word_ends_what_is_fixed_of_it_and_undoing_that_brings_it_back(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = parsed(open_real_page(english_server))
    drag(page, "telescope", "man")
    wait_until(page, lambda: word_shown(page, "telescope")["fixed"] == ["head"])
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    for _ in " yesterday.":
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("s")
    wait_until(page, lambda: "telescopes" in [word["form"] for word in words_shown(page)])
    assert word_shown(page, "telescopes")["fixed"] == []
    page.keyboard.press("Control+z")
    wait_until(page, lambda: "telescope" in [word["form"] for word in words_shown(page)])
    wait_until(page, lambda: word_shown(page, "telescope")["fixed"] == ["head"])
    page.keyboard.press("Home")
    page.keyboard.type("Yes, ")
    wait_until(page, lambda: word_shown(page, "telescope")["head"] == 8)
    assert word_shown(page, "telescope")["fixed"] == ["head"], "edits elsewhere end nothing"
    assert text_shown(page) == f"Yes, {TELESCOPE}"


def test_what_is_fixed_is_there_after_reloading_and_after_the_server_was_killed(
    open_real_page: OpenPage, mortal_server: Any
) -> None:
    page = open_real_page(mortal_server)
    forms = ["the", "dog", "sees", "the", "cat"]
    type_text(page, f"{' '.join(forms)} .")
    wait_for_forms(page, [*forms, "."])
    page.locator("#stage", has_text="complete").wait_for()
    focus_word(page, "cat")
    page.keyboard.press("h")
    page.keyboard.press(key_over(page, "dog"))
    page.keyboard.press("Escape")
    wait_until(page, lambda: word_shown(page, "cat")["fixed"] == ["head"])
    mortal_server.kill()
    page.locator("#connection.waiting").wait_for()
    mortal_server.start()
    page.locator("#connection.open").wait_for()
    wait_until(page, lambda: word_shown(page, "cat")["fixed"] == ["head"])
    page.reload()
    wait_for_forms(page, [*forms, "."])
    wait_until(
        page, lambda: (word_shown(page, "cat")["fixed"], word_shown(page, "cat")["head"]) == (["head"], 2)
    )
    focus_word(page, "cat")
    page.keyboard.press("Delete")
    wait_until(page, lambda: word_shown(page, "cat")["fixed"] == [])


def test_what_is_decided_while_the_server_is_away_is_sent_when_it_is_back(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = shown(open_page, session)
    session.is_away = True
    session.socket.close(code=1012)
    page.locator("#connection.waiting").wait_for()
    drag(page, "old", "barks")
    wait_for_told(page, "Fixed: old below barks.")
    assert session.all("fix") == []
    session.is_away = False
    wait_until(page, lambda: [fix["heads"] for fix in session.all("fix")] == [{"2": 4}])
    expect(page.locator("#tree .arc.fixed")).to_have_count(1)


def test_what_the_server_refuses_changes_nothing_and_is_not_there_later(open_page: OpenPage) -> None:
    session = FakeSession(DOG)
    page = shown(open_page, session)
    session.refusal = "the model does not like it"
    drag(page, "old", "barks")
    wait_for_told(page, "old stays as it was: the model does not like it.")
    session.refusal = ""
    page.reload()
    wait_for_forms(page, text_of(DOG).split())
    assert len(session.all("fix")) == 1
    assert page.locator("#correct-undo").is_disabled()


CONLLU = """\
# sent_id = one
# text = Cats sleep here .
1\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t2:nsubj\tKept=Yes
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t0:root\t_
3\there\there\tADV\tRB\t_\t1\tadvmod\t1:advmod\t_
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t2:punct\t_

"""


def test_in_a_file_a_correction_changes_its_line_alone(open_real_page: OpenPage, english_server: Any) -> None:
    page = open_real_page(english_server)
    open_file(page, "cats.conllu", CONLLU + CONLLU.replace("one", "two"))
    wait_for_forms(page, ["Cats", "sleep", "here", "."])
    drag(page, "here", "sleep")
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == ["head"])
    corrected = CONLLU.replace("_\t1\tadvmod", "_\t2\tadvmod")
    assert saved_conllu(page) == corrected + CONLLU.replace("one", "two")
    drag(page, "sleep", "here")
    wait_for_told(page, "“sleep” cannot hang on “here”")
    page.locator("#correct-undo").click()
    wait_until(page, lambda: word_shown(page, "here")["head"] == 1)
    assert saved_conllu(page) == CONLLU + CONLLU.replace("one", "two")
    page.locator("#tree .word[tabindex='0']").focus()
    page.keyboard.press("PageDown")
    wait_until(page, lambda: page.locator("#correction-told").text_content() != "")
    page.keyboard.press("PageDown")
    wait_for_told(page, "This is the last sentence.")


def test_the_tree_of_a_right_to_left_sentence_is_corrected_likewise(open_page: OpenPage) -> None:
    session = FakeSession(HEBREW)
    page = shown(open_page, session, HEBREW)
    drag(page, "ארוך", "קוראת")
    wait_for_told(page, "Fixed: ארוך below קוראת.")
    assert session.all("fix")[0]["heads"] == {"4": 2}
    focus_word(page, "הילדה")
    page.keyboard.press("h")
    keep_picture(page, "hebrew-heads")
    page.keyboard.press(key_over(page, "ספר"))
    wait_until(page, lambda: session.all("fix")[-1]["heads"] == {"1": 3})
    assert barriers_in_both_schemes(page, "hebrew-label") == []


def test_corrections_keep_nobody_out(open_page: OpenPage) -> None:
    page = shown(open_page, FakeSession(DOG), viewport={"width": 360, "height": 780})
    found = barriers_in_both_schemes(page, "correcting")
    focus_word(page, "old")
    page.keyboard.press("f")
    wait_until(page, lambda: word_shown(page, "old")["fixed"] == ["head", "label", "tag"])
    page.keyboard.press("h")
    found += barriers_in_both_schemes(page, "correcting-heads")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    found += barriers_in_both_schemes(page, "correcting-labels")
    page.keyboard.press("Escape")
    page.locator("#correction summary").click()
    found += barriers_in_both_schemes(page, "correcting-help")
    assert found == []
    assert fits_the_window(page)
    heights = page.locator("#correction button:visible").evaluate_all(
        "buttons => buttons.map(one => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    assert page.mistakes == []


def test_a_correction_outlives_the_end_of_the_browser(
    start_browser: Callable[[], Any], kill_browser: Callable[[Path], None], real_server: Any, tmp_path: Path
) -> None:
    page = start_browser().pages[0]
    page.goto(real_server.address)
    type_text(page, "the dog sees the cat .")
    wait_for_forms(page, ["the", "dog", "sees", "the", "cat", "."])
    focus_word(page, "cat")
    page.keyboard.press("f")
    wait_until(page, lambda: "tag" in word_shown(page, "cat")["fixed"])
    wait_until(page, lambda: "decisions" in page.evaluate(KEPT))
    before = word_shown(page, "cat")["tag"]
    kill_browser(tmp_path / "profile")
    again = start_browser().pages[0]
    again.goto(real_server.address)
    wait_for_forms(again, ["the", "dog", "sees", "the", "cat", "."])
    wait_until(again, lambda: "tag" in word_shown(again, "cat")["fixed"])
    assert word_shown(again, "cat")["tag"] == before


KEPT = """() => new Promise((resolve) => {
    const opened = indexedDB.open("treewhile", 1);
    opened.onsuccess = () => {
        const all = opened.result.transaction("texts").objectStore("texts").getAll();
        all.onsuccess = () => {
            opened.result.close();
            resolve(JSON.stringify(all.result.filter(({ decisions }) => decisions?.length)));
        };
    };
})"""
