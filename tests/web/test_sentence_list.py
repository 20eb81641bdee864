"""The list of all sentences: what it says of each, and how one goes from it to any of them."""

from __future__ import annotations

import re
from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_until
from page_corrections import focus_word, key_over, word_shown
from page_editor import type_text
from page_files import open_file
from page_looks import barriers_in_both_schemes, fits_the_window
from page_trees import wait_for_forms

COUNT = 10_000
# The parser that knows this by heart has other arcs than the file in sentences with "here".
KNOWN = "Cat/NOUN/2/nsubj sleeps/VERB/0/root there/ADV/2/advmod"
# How many sentences the list has, and how many of them are elements.
SIZES = """list => [Number(list.firstElementChild?.getAttribute("aria-setsize")), list.children.length]"""
ACTIVE = """list => list.querySelector(`[id="${list.getAttribute("aria-activedescendant")}"]`)?.innerText"""


def sentence(number: int) -> str:
    """Every hundredth sentence has another word."""
    word, tag = ("here", "PRON") if number % 100 == 0 else ("there", "ADV")
    head = 1 if number % 100 == 0 else 2
    return f"""\
# sent_id = s{number}
1\tCat{number}\tcat\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_
3\t{word}\t_\t{tag}\tRB\t_\t{head}\tadvmod\t_\t_

"""


def unfolded(open_page: OpenPage, confidences: list[float] | None = None, **options: Any) -> Any:
    page = open_page(FakeSession(KNOWN, confidences=confidences), **options)
    open_file(page, "cats.conllu", "".join(map(sentence, range(1, COUNT + 1))))
    wait_for_sentence(page, 1)
    unfold(page, "sentences")
    expect(row(page, 1)).to_be_visible()
    return page


def wait_for_sentence(page: Any, number: int) -> None:
    wait_for_forms(page, [f"Cat{number}", "sleeps", "here" if number % 100 == 0 else "there"])


def row(page: Any, number: int) -> Any:
    return page.locator("#sentence-list li", has_text=f"Cat{number} sleeps")


def sizes(page: Any) -> list[int]:
    return [*page.locator("#sentence-list").evaluate(SIZES)]


def active(page: Any) -> str:
    return str(page.locator("#sentence-list").evaluate(ACTIVE))


def test_ten_thousand_sentences_are_listed_and_only_those_in_sight_are_in_the_page(
    open_page: OpenPage,
) -> None:
    page = unfolded(open_page)
    wait_until(page, lambda: sizes(page)[0] == COUNT)
    assert sizes(page)[1] < 30
    page.locator("#sentences .virtual").evaluate("list => list.scrollTo(0, list.scrollHeight / 2)")
    expect(row(page, 5001)).to_be_visible()
    assert sizes(page)[1] < 30
    row(page, 5001).click()
    wait_for_sentence(page, 5001)
    expect(page.locator("#sentence-number")).to_have_value("5001")
    expect(page.locator("#tree")).to_be_in_viewport()
    expect(page.locator("#sentence-list [aria-selected=true]")).to_contain_text("Cat5001")
    assert page.mistakes == []


def test_keys_lead_to_any_sentence_and_into_its_tree(open_page: OpenPage) -> None:
    page = unfolded(open_page)
    page.locator("#sentence-list").focus()
    page.keyboard.press("End")
    wait_until(page, lambda: active(page).startswith(f"Cat{COUNT} "))
    page.keyboard.press("ArrowUp")
    wait_until(page, lambda: active(page).startswith(f"Cat{COUNT - 1} "))
    page.keyboard.press("Enter")
    wait_for_sentence(page, COUNT - 1)
    expect(page.locator("#tree .word:focus .form")).to_have_text(f"Cat{COUNT - 1}")
    page.locator("#sentence-list").focus()
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowDown")
    wait_until(page, lambda: 3 < int(active(page).split()[0].removeprefix("Cat")) < 30)
    page.keyboard.press("Enter")
    wait_until(page, lambda: 3 < int(page.locator("#sentence-number").input_value() or 0) < 30)
    expect(page.locator("#sentence-list [aria-selected=true]")).to_be_visible()
    assert page.mistakes == []


def test_a_sentence_says_whether_it_is_fixed_edited_doubtful_or_differs(open_page: OpenPage) -> None:
    page = unfolded(open_page, confidences=[0.9, 0.3])
    expect(row(page, 1)).to_contain_text("1 · doubtful")
    focus_word(page, "there")
    page.keyboard.press("h")
    page.keyboard.press(key_over(page, "Cat1"))
    page.keyboard.press("Escape")
    wait_until(page, lambda: word_shown(page, "there")["fixed"] == ["head"])
    expect(row(page, 1)).to_contain_text("1 · edited · fixed · not as the parser has it · doubtful")
    expect(row(page, 2)).to_contain_text("2 · doubtful")
    page.locator("#sentence-number").fill("300")
    page.keyboard.press("Enter")
    wait_for_sentence(page, 300)
    expect(row(page, 300)).to_contain_text("not as the parser has it")
    page.locator("#sentence-list").focus()
    page.keyboard.press("Home")
    expect(row(page, 1)).to_contain_text("1 · edited · not as the parser has it")
    assert page.mistakes == []


def test_with_a_filter_those_that_pass_are_listed(open_page: OpenPage) -> None:
    page = unfolded(open_page)
    page.locator("#filter-kind").select_option("tag")
    page.locator("#filter-text").fill("pron")
    page.keyboard.press("Enter")
    expect(row(page, 100)).to_be_visible()
    expect(row(page, 200)).to_be_visible()
    expect(row(page, 1)).to_have_count(0)
    page.locator("#sentence-list").focus()
    page.keyboard.press("End")
    wait_until(page, lambda: re.match(r"Cat\d+00 ", active(page)) is not None)
    chosen = active(page).split()[0]
    page.keyboard.press("Enter")
    expect(page.locator("#tree .word:focus .form")).to_have_text(chosen)
    page.locator("#filter-text").fill("SYM")
    page.keyboard.press("Enter")
    expect(page.locator("#sentences")).to_contain_text("There is no such sentence yet.")
    page.locator("#filter-kind").select_option("all")
    expect(page.locator("#sentence-list li").first).to_be_visible()
    wait_until(page, lambda: sizes(page)[0] == COUNT)
    assert page.mistakes == []


def test_a_text_without_a_file_is_listed_as_one_types(open_page: OpenPage) -> None:
    page = open_page(FakeSession(confidences=[0.9, 0.2]))
    unfold(page, "sentences")
    expect(page.locator("#sentences")).to_contain_text("There is no such sentence yet.")
    type_text(page, "Cats sleep")
    item = page.locator("#sentence-list li")
    expect(item).to_have_count(1)
    expect(item).to_contain_text("Cats sleep")
    expect(item).to_contain_text("1 · doubtful")
    item.click()
    expect(page.locator("#tree .word:focus .form")).to_have_text("Cats")
    assert page.mistakes == []


def test_the_list_keeps_nobody_out(open_page: OpenPage) -> None:
    page = unfolded(open_page, viewport={"width": 360, "height": 780})
    page.locator("#sentence-list").focus()
    assert barriers_in_both_schemes(page, "sentence-list") == []
    assert fits_the_window(page)
    assert row(page, 1).bounding_box()["height"] >= 44
