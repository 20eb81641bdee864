"""CoNLL-U that is dropped onto the page or pasted into its text is opened; one undo brings back what was."""

from __future__ import annotations

from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_for_text, wait_until
from page_editor import paste, text_shown, type_text
from page_files import saved_conllu
from page_trees import wait_for_forms

CATS = """\
# sent_id = c1
# text = Cats sleep.
1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

# sent_id = c2
1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_
1\tcan\tcan\tAUX\t_\t_\t0\troot\t_\t_
2\tnot\tnot\tPART\t_\t_\t1\tadvmod\t_\t_

"""
TABLE = "1\tCats\tcat\tNOUN\n2\tdogs\tdog\tNOUN\n"
CATS_SHOWN = "Cats sleep.\n\ncannot"
DROP = """(target, [name, contents]) => {
    const dataTransfer = new DataTransfer();
    if (name) dataTransfer.items.add(new File([contents], name));
    else dataTransfer.setData("text/plain", contents);
    const { left, top } = target.getBoundingClientRect();
    const place = { clientX: left + 2, clientY: top + 2 };
    const manner = { dataTransfer, ...place, bubbles: true, composed: true, cancelable: true };
    for (const kind of ["dragenter", "dragover", "drop"]) target.dispatchEvent(new DragEvent(kind, manner));
}"""
# Pastes so much CoNLL-U, and looks for how long the page could not be drawn.
PASTE_MUCH = """(content, [block, bytes]) => {
    window.longest = 0;
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", block.repeat(bytes / block.length));
    let before = performance.now();
    const look = now => {
        window.longest = Math.max(window.longest, now - before);
        before = now;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def undone(page: Any) -> None:
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+z")


@pytest.mark.parametrize(
    ("place", "name"),
    [("#editor .cm-content", "c.conllu"), ("#tree", "C.CONLL"), ("#editor .cm-content", "c.txt")],
)
def test_a_file_that_is_dropped_is_opened_and_undo_takes_it_back(
    open_page: OpenPage, place: str, name: str
) -> None:
    page = open_page(FakeSession())
    page.locator(place).evaluate(DROP, [name, CATS])
    wait_for_text(page, "#file-told", f"Opened 2 sentences of {name}")
    wait_for_text(page, "#stepping-told", "Ctrl+Z brings back")
    assert text_shown(page) == CATS_SHOWN
    assert saved_conllu(page) == CATS
    undone(page)
    wait_until(page, lambda: text_shown(page) == "")
    expect(page.locator("#stepping")).to_be_hidden()
    assert page.mistakes == []


@pytest.mark.parametrize("way", ["paste", "drop"])
def test_text_that_is_conllu_is_opened_and_undo_brings_back_what_was_there(
    open_page: OpenPage, way: str
) -> None:
    page = open_page(FakeSession())
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    type_text(page, "my own words")
    wait_for_forms(page, ["my", "own", "words"])
    if way == "paste":
        paste(page, CATS)
    else:
        page.locator(".cm-content").evaluate(DROP, ["", CATS])
    wait_for_text(page, "#file-told", "Opened 2 sentences of text.conllu")
    assert len(asked) == 1
    assert text_shown(page) == CATS_SHOWN
    assert saved_conllu(page) == CATS
    undone(page)
    wait_until(page, lambda: text_shown(page) == "my own words")
    page.keyboard.press("Control+y")
    wait_until(page, lambda: text_shown(page) == CATS_SHOWN)
    assert saved_conllu(page) == CATS
    assert page.mistakes == []


def test_whoever_does_not_want_to_lose_the_text_keeps_it(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    page.on("dialog", lambda dialog: dialog.dismiss())
    type_text(page, "my own words")
    paste(page, CATS)
    wait_for_text(page, "#file-told", "text.conllu was not opened: the text stays.")
    assert text_shown(page) == "my own words"


@pytest.mark.parametrize("name", ["", "table.txt", "table.md"])
def test_text_with_tabs_stays_text(open_page: OpenPage, name: str) -> None:
    page = open_page(FakeSession())
    if name:
        page.locator(".cm-content").evaluate(DROP, [name, TABLE])
    else:
        paste(page, TABLE)
    wait_until(page, lambda: text_shown(page) == TABLE)
    expect(page.locator("#stepping")).to_be_hidden()
    assert page.mistakes == []


def test_a_file_that_is_none_is_refused_where_it_can_be_read_and_the_page_stays(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "my own words")
    page.locator("#tree").evaluate(DROP, ["letter.doc", "Dear all,\nfirst\tsecond\n"])
    wait_for_text(page, "#file-told", "letter.doc cannot be opened")
    expect(page.locator("#file-told")).to_be_in_viewport()
    assert text_shown(page) == "my own words"


@pytest.mark.alone
def test_eighty_megabytes_that_are_pasted_do_not_freeze_the_page(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    page.locator(".cm-content").evaluate(PASTE_MUCH, [CATS * 500, 80 << 20])
    wait_for_forms(page, ["Cats", "sleep", "."])
    page.wait_for_function("() => /^of [\\d,]+$/.test(document.getElementById('sentence-count').textContent)")
    print(f"longest frame {page.evaluate('longest'):.0f} ms")
    assert page.evaluate("longest") < 1500
    undone(page)
    wait_until(page, lambda: text_shown(page) == "")
    assert page.mistakes == []
