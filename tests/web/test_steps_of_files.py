"""Next steps beside a file: judged by the file's tree as it is corrected."""

from __future__ import annotations

from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_corrections import focus_word, wait_for_told
from page_editor import type_text
from page_files import open_file
from page_trees import wait_for_forms

TOLD = "#steps-told"
FILE = """\
# text = Cats often sleep here.
1\tCats\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
2\toften\t_\tADV\t_\t_\t3\tadvmod\t_\t_
3\tsleep\t_\tVERB\t_\t_\t0\troot\t_\t_
4\there\t_\tADV\t_\t_\t3\tadvmod\t_\tSpaceAfter=No
5\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""
FORMS = ["Cats", "often", "sleep", "here", "."]
PARSED = "Cats/NOUN/2/nsubj often/ADV/0/root sleep/VERB/2/dep here/ADV/3/advmod ./PUNCT/2/punct"


def opened(open_page: OpenPage, session: Any, contents: str = FILE) -> Any:
    """The page with a file, and the next steps unfolded."""
    page = open_page(session)
    open_file(page, "cats.conllu", contents)
    wait_for_forms(page, FORMS)
    unfold(page, "steps")
    return page


def golds(session: FakeSession) -> list[Any]:
    """The heads by which the steps of the text are to be judged, as they were told."""
    return [event["heads"] for event in session.all("gold") if event["document"] == "page"]


def press(page: Any, keys: str) -> None:
    for key in keys:
        page.locator("#steps [data-step=shift]").focus()
        page.keyboard.press(key)


def test_the_best_step_and_what_it_attains_are_told_by_the_files_tree(open_page: OpenPage) -> None:
    session = FakeSession(PARSED)
    page = opened(open_page, session)
    wait_for_text(page, TOLD, "Best: take often; all 5 arcs of the file can still be right.")
    press(page, "s")
    wait_for_text(page, TOLD, "Best: take sleep")
    press(page, "l")
    wait_for_text(page, TOLD, "Best: take sleep; 4 of 5 arcs of the file can still be right.")
    page.locator("#steps [data-step=undo]").click()
    wait_for_text(page, TOLD, "Best: take sleep; all 5 arcs")
    press(page, "s")
    wait_for_text(page, TOLD, "Best: attach often to sleep; all 5 arcs of the file can still be right.")
    press(page, "r")
    wait_for_text(page, TOLD, "Best: attach Cats to sleep")
    press(page, "r")
    wait_for_text(page, TOLD, "Best: take here; all 5 arcs of the file can still be right.")
    labels = page.locator("#steps-tree .label").all_text_contents()
    assert sorted(labels) == ["advmod", "nsubj"]
    assert golds(session) == [[3, 3, 0, 3, 3]]
    assert page.mistakes == []


def test_a_correction_changes_what_the_steps_are_judged_by(open_page: OpenPage) -> None:
    session = FakeSession(PARSED)
    page = opened(open_page, session)
    wait_for_text(page, TOLD, "Best: take often; all 5 arcs of the file can still be right.")
    focus_word(page, "often")
    page.keyboard.press("h")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    wait_for_told(page, "Fixed: often below Cats")
    wait_until(page, lambda: golds(session)[-1] == [3, 1, 0, 3, 3])
    page.keyboard.press("Escape")
    press(page, "s")
    wait_for_text(page, TOLD, "Best: attach often to Cats")
    wait_for_text(page, TOLD, "all 5 arcs of the file can still be right.")
    assert page.mistakes == []


def test_the_steps_are_taken_from_the_first_one_on(open_page: OpenPage) -> None:
    session = FakeSession(PARSED)
    page = opened(open_page, session)
    wait_for_text(page, TOLD, "Best: take often")
    press(page, "sss")
    expect(page.locator("#steps .stack li")).to_have_text(["root", "Cats", "often", "sleep", "here"])
    page.locator("#steps-rewind").click()
    wait_for_text(page, TOLD, "Best: take Cats; all 5 arcs of the file can still be right.")
    expect(page.locator("#steps .stack li")).to_have_text(["root"])
    expect(page.locator("#steps-rewind")).to_be_hidden()
    assert page.mistakes == []


def test_the_parsers_tree_counts_where_that_is_shown_and_where_the_file_is_none(open_page: OpenPage) -> None:
    session = FakeSession(PARSED)
    page = opened(open_page, session)
    wait_for_text(page, TOLD, "Best: take often")
    page.locator("#tree-source").click()
    wait_for_text(page, TOLD, "of the arcs of the best parse")
    expect(page.locator(TOLD)).not_to_contain_text("of the file")
    assert golds(session)[-1] is None
    page.locator("#tree-source").click()
    wait_for_text(page, TOLD, "Best: take often; all 5 arcs of the file can still be right.")
    page.locator("#editor .cm-content").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    type_text(page, "Dogs bark")
    wait_for_forms(page, ["Dogs", "bark"])
    wait_for_text(page, TOLD, "of the arcs of the best parse")
    assert page.mistakes == []


def test_heads_of_a_file_that_go_round_in_a_circle_are_no_reference(open_page: OpenPage) -> None:
    session = FakeSession(PARSED)
    page = opened(open_page, session, FILE.replace("\t0\troot", "\t1\troot"))
    wait_for_text(page, TOLD, "of the arcs of the best parse")
    assert golds(session) == []
    assert page.mistakes == []


def test_the_english_parser_is_led_along_the_tree_of_a_file(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = open_real_page(english_server)
    open_file(page, "cats.conllu", FILE)
    wait_for_forms(page, FORMS)
    unfold(page, "steps")
    page.locator("#steps-rewind").click()
    wait_for_text(page, TOLD, "Best: take Cats; all 5 arcs of the file can still be right.")
    best = {"take often": "s", "take sleep": "s", "attach often to sleep": "s", "attach Cats to sleep": "r"}
    for says, key in [*best.items(), ("take here", "r")]:
        press(page, key)
        wait_for_text(page, TOLD, f"Best: {says}")
        wait_for_text(page, TOLD, "all 5 arcs of the file can still be right.")
    expect(page.locator("#steps-tree .label")).to_have_count(2)
    for says, key in {"attach here to sleep": "s", "take .": "l", "attach . to sleep": "s"}.items():
        press(page, key)
        wait_for_text(page, TOLD, f"Best: {says}")
    press(page, "l")
    wait_for_text(page, TOLD, "Best: make sleep the root")
    press(page, "l")
    wait_for_text(page, TOLD, "All arcs of the tree that was given are made.")
    assert page.mistakes == []
