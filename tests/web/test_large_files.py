"""Files that are larger than what the page shows at a time, and what is done to them sentence by sentence."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_for_text, wait_until
from page_corrections import focus_word, key_over, wait_for_told, word_shown
from page_editor import text_shown
from page_files import open_file, saved_conllu
from page_looks import barriers_in_both_schemes, fits_the_window
from page_trees import wait_for_forms

COUNT = 450  # sentences: three parts


def sentence(number: int, newline: str = "\n") -> str:
    rows = [
        f"# sent_id = s{number}",
        f"# text = Cat{number} sleeps here.",
        f"1\tCat{number}\tcat\tNOUN\tNN\tNumber=Sing\t2\tnsubj\t2:nsubj\tKept=Yes",
        "2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t0:root\t_",
        "2.1\tdreams\tdream\tVERB\t_\t_\t_\t_\t2:conj\t_",
        "3\there\there\tADV\tRB\t_\t1\tadvmod\t1:advmod\tSpaceAfter=No",
        "4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t2:punct\t_",
    ]
    return newline.join([*rows, "", ""])


FILE = "".join(map(sentence, range(1, COUNT + 1)))


def corrected(*numbers: int) -> str:
    """The file where "here" hangs on the verb in some sentences."""
    right = {number: sentence(number).replace("_\t1\tadvmod", "_\t2\tadvmod") for number in numbers}
    return "".join(right.get(number) or sentence(number) for number in range(1, COUNT + 1))


def opened(open_page: OpenPage, **options: Any) -> Any:
    page = open_page(FakeSession(), **options)
    open_file(page, "cats.conllu", FILE)
    wait_for_text(page, "#file-told", "Opened 450 sentences of cats.conllu")
    wait_for_sentence(page, 1)
    return page


def wait_for_sentence(page: Any, number: int) -> None:
    wait_for_forms(page, [f"Cat{number}", "sleeps", "here", "."])


def go_to(page: Any, number: int) -> None:
    page.locator("#sentence-number").fill(str(number))
    page.keyboard.press("Enter")
    wait_for_sentence(page, number)


def hang_here_on_the_verb(page: Any) -> None:
    """By keys alone: the head, and the label as it is."""
    focus_word(page, "here")
    page.keyboard.press("h")
    page.keyboard.press(key_over(page, "sleeps"))
    page.keyboard.press("Escape")
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == ["head"])


def test_a_file_in_parts_is_saved_as_it_was_from_any_of_them(open_page: OpenPage) -> None:
    page = opened(open_page)
    expect(page.locator("#sentence-count")).to_have_text("of 450")
    assert saved_conllu(page) == FILE
    go_to(page, 401)
    assert saved_conllu(page) == FILE
    wait_for_text(page, "#file-told", "Saved 450 sentences.")
    assert page.mistakes == []


def test_a_whole_file_is_walked_and_corrected_without_a_mouse(open_page: OpenPage) -> None:
    page = opened(open_page)
    go_to(page, 199)
    hang_here_on_the_verb(page)
    for number in (200, 201):
        page.keyboard.press("PageDown")
        wait_for_sentence(page, number)
    expect(page.locator("#tree .word:focus .form")).to_have_text("Cat201")
    expect(page.locator("#sentence-number")).to_have_value("201")
    expect(page.locator("#sentence-name")).to_have_text("s201")
    hang_here_on_the_verb(page)
    page.keyboard.press("PageUp")
    wait_for_sentence(page, 200)
    go_to(page, 450)
    page.locator("#tree .word[tabindex='0']").focus()
    page.keyboard.press("PageDown")
    wait_for_told(page, "This is the last sentence.")
    hang_here_on_the_verb(page)
    assert saved_conllu(page) == corrected(199, 201, 450)
    wait_for_text(page, "#file-told", "Saved 450 sentences: 447 as they were opened, 3 edited.")
    assert page.mistakes == []


def test_undo_leads_back_through_all_parts_and_redo_forth(open_page: OpenPage) -> None:
    page = opened(open_page)
    for number in (3, 203, 403):
        go_to(page, number)
        hang_here_on_the_verb(page)
    all_corrected = saved_conllu(page)
    assert all_corrected == corrected(3, 203, 403)
    undo, redo = page.locator("#correct-undo"), page.locator("#correct-redo")
    for _ in range(3):
        undo.click()
    wait_for_sentence(page, 203)
    assert saved_conllu(page) == corrected(3)
    undo.click()
    wait_until(page, lambda: text_shown(page).startswith("Cat1 "))
    undo.click()
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == [])
    assert saved_conllu(page) == FILE
    for _ in range(5):
        redo.click()
    wait_for_sentence(page, 403)
    assert saved_conllu(page) == all_corrected


# One key after another before anything is drawn; only promises are kept in between.
PRESS_AT_ONCE = """async keys => {
    for (const key of keys) {
        let place = document.activeElement;
        while (place.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
        const seenByAll = { bubbles: true, composed: true, cancelable: true };
        place.dispatchEvent(new KeyboardEvent("keydown", { key, ...seenByAll }));
        for (let step = 0; step < 50; step++) await null;
    }
}"""


def test_keys_that_come_before_a_correction_is_drawn_are_about_what_it_makes(open_page: OpenPage) -> None:
    page = opened(open_page)
    focus_word(page, "here")
    page.evaluate(PRESS_AT_ONCE, ["l", "2", "l", "3", "f", "l", "2"])
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == ["label"])
    page.evaluate(PRESS_AT_ONCE, ["f", "l", "Escape", "t", "2"])
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == ["tag"])
    page.keyboard.press("f")
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == [])
    assert saved_conllu(page) == FILE
    assert page.mistakes == []


def test_more_corrections_than_an_editor_remembers_are_undone_to_the_same_bytes(open_page: OpenPage) -> None:
    page = opened(open_page)
    focus_word(page, "here")
    for _ in range(40):
        for key in ("l", "2", "l", "3", "f"):
            page.keyboard.press(key)
        wait_for_told(page, "Freed: here.")
    for key in ("l", "2"):
        page.keyboard.press(key)
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == ["label"])
    assert saved_conllu(page) != FILE
    focus_word(page, "here")
    for _ in range(3 * 40 + 1):
        page.keyboard.press("Control+z")
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == [])
    assert saved_conllu(page) == FILE
    page.locator("#correct-redo").click()
    wait_until(page, lambda: word_shown(page, "here")["fixed"] == ["label"])


def test_corrections_of_all_parts_outlive_the_end_of_the_browser(
    start_browser: Callable[[], Any], kill_browser: Callable[[Path], None], real_server: Any, tmp_path: Path
) -> None:
    page = start_browser().pages[0]
    page.goto(real_server.address)
    page.locator("#connection.open").wait_for()
    open_file(page, "cats.conllu", FILE)
    for number in (3, 203):
        go_to(page, number)
        hang_here_on_the_verb(page)
    page.keyboard.press("PageDown")
    wait_for_sentence(page, 204)
    hang_here_on_the_verb(page)
    kill_browser(tmp_path / "profile")
    again = start_browser().pages[0]
    again.goto(real_server.address)
    again.locator("#sentence-name", has_text="s20").wait_for()
    saved = saved_conllu(again)
    assert saved in (corrected(3, 203), corrected(3, 203, 204)), "one edit is lost at most"
    wait_for_text(again, "#sentence-count", "of 450")


SIZE = 80 << 20
# Each time that the page could not be drawn or clicked for long.
WATCH_FREEZES = """() => {
    window.longest = 0;
    let before = performance.now();
    const look = (now) => { window.longest = Math.max(window.longest, now - before); before = now;
        requestAnimationFrame(look); };
    requestAnimationFrame(look);
}"""


def test_a_huge_file_shows_its_first_tree_soon_and_does_not_freeze_the_page(
    open_page: OpenPage, tmp_path: Path
) -> None:
    block = "".join(map(sentence, range(1, 2001)))
    path = tmp_path / "huge.conllu"
    path.write_text(block * (SIZE // len(block) + 1))
    page = open_page(FakeSession())
    page.evaluate(WATCH_FREEZES)
    begun = time.monotonic()
    page.locator("#file").set_input_files(path)
    wait_for_sentence(page, 1)
    first = time.monotonic() - begun
    page.locator("#tree .word[tabindex='0']").focus()
    page.keyboard.press("PageDown")
    wait_for_sentence(page, 2)
    count = 2000 * (SIZE // len(block) + 1)
    page.wait_for_function(
        "count => document.getElementById('sentence-count').textContent === count", arg=f"of {count:,}"
    )
    print(
        f"first tree after {first:.2f} s, all after {time.monotonic() - begun:.2f} s,",
        f"longest frame {page.evaluate('longest'):.0f} ms",
    )
    assert first < 4, "2 s where nobody else has the machine"
    assert page.evaluate("longest") < 1000
    go_to_last = f"{count}"
    page.locator("#sentence-number").fill(go_to_last)
    page.keyboard.press("Enter")
    wait_for_sentence(page, 2000)
    assert page.mistakes == []


def test_steps_through_a_file_keep_nobody_out(open_page: OpenPage) -> None:
    page = opened(open_page, viewport={"width": 360, "height": 780})
    assert barriers_in_both_schemes(page, "stepping") == []
    assert fits_the_window(page)
    sizes = page.locator("#stepping button:visible, #stepping input:visible, #stepping select").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(one => Math.min(one.width, one.height))"
    )
    assert min(sizes) >= 44
