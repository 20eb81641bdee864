"""The grammar that is edited in the page, with a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from page_actions import OpenPage, unfold, wait_until
from page_editor import type_text
from page_trees import wait_for_forms

HEADS = """include predictors
constraint "one root" penalty 0, X and Y under one head: not is_root(X.head)
constraint "heads first" penalty 0, X: X.direction = right
"""
FIRST, LAST = 0, 3  # places of the root
# Presses the first button that leaves a constraint out, before the list can change, and tells the constraint.
LEAVE_OUT = """() => {
    const button = document.querySelector("#grammar-broken [data-act=off]");
    const [name] = button?.closest("li").querySelector("button").textContent.split(",") ?? [null];
    button?.click();
    return name;
}"""


def root(page: Any) -> int:
    return int(
        page.locator("#tree").evaluate("tree => tree.analysis.words.map(word => word.head).indexOf(0)")
    )


def write(page: Any, text: str) -> None:
    page.locator("#grammar-text").fill(text)


def written(page: Any) -> str:
    return str(page.locator("#grammar-text").input_value())


@pytest.fixture
def page(open_real_page: OpenPage, real_server: Any) -> Any:
    """A page with three words and its grammar unfolded."""
    page = open_real_page(real_server)
    type_text(page, "dog the barks.")
    wait_for_forms(page, ["dog", "the", "barks", "."])
    unfold(page, "grammar-part")
    expect(page.locator("#grammar-told")).to_contain_text("constraints are weighed")
    return page


def test_an_edit_of_the_grammar_changes_the_tree_at_once(page: Any) -> None:
    write(page, HEADS)
    wait_until(page, lambda: root(page) == FIRST)
    write(page, HEADS.replace("right", "left"))
    wait_until(page, lambda: root(page) == LAST)
    assert page.mistakes == []


def test_mistakes_are_told_and_lead_to_their_place_while_the_last_good_grammar_counts(page: Any) -> None:
    write(page, HEADS)
    wait_until(page, lambda: root(page) == FIRST)
    write(page, HEADS + "constraint x penalty 2, X: X.label = subj\n@")
    expect(page.locator("#grammar-told")).to_have_text(
        "2 mistakes: the last grammar without any still counts."
    )
    expect(page.locator("#grammar-text")).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Line 5, column 1").click()
    assert page.evaluate("document.activeElement.id") == "grammar-text"
    assert page.locator("#grammar-text").evaluate("field => field.selectionStart") == len(written(page)) - 1
    assert root(page) == FIRST
    write(page, HEADS)
    expect(page.locator("#grammar-mistakes li")).to_have_count(0)


def test_a_broken_constraint_becomes_an_example_or_an_exception_with_one_click(page: Any) -> None:
    mine = 'constraint "no dog" penalty 0.5, X: X.lower != dog  # mine\n\nset S = {a}\n'
    write(page, HEADS + mine)
    row = page.locator("#grammar-broken li", has_text="no dog, penalty 0.5: dog")
    row.get_by_role("button", name="Example: is wrong").click()
    assert 'X.lower != dog\n    wrong "dog the barks ."  # mine' in written(page)
    row.get_by_role("button", name="no dog").click()
    assert (
        page.locator("#grammar-text")
        .evaluate("f => f.value.slice(f.selectionStart, f.selectionEnd)")
        .startswith('constraint "no dog"')
    )
    row.get_by_role("button", name="Except dog").click()
    assert '(X.lower != dog) or X.lower = "dog"\n    wrong' in written(page)
    expect(row).to_have_count(0)
    assert page.mistakes == []


def test_the_exception_is_the_word_that_the_formula_calls_x(page: Any) -> None:
    mine = 'constraint "nothing hangs on dog" penalty 0.9, X: X.head.lower != dog\n'
    pairs = 'constraint "no pairs" penalty 0.9, X and Y under one head: X.lower = Y.lower\n'
    write(page, HEADS + mine + pairs)
    rows = page.locator("#grammar-broken li", has_text="nothing hangs on dog, penalty 0.9: dog ... ")
    pair = page.locator("#grammar-broken li", has_text="no pairs, penalty 0.9: dog ... ")
    expect(rows).to_have_count(2)
    for word in ("the", "barks"):
        rows.get_by_role("button", name=f"Except {word}", exact=True).click()
        expect(rows.get_by_role("button", name=f"Except {word}", exact=True)).to_have_count(0)
    assert '(X.head.lower != dog) or X.lower in {"the", "barks"}\n' in written(page)
    expect(rows).to_have_count(0)
    pair.get_by_role("button", name="Except the", exact=True).click()
    expect(pair).to_have_count(0)
    assert page.mistakes == []


def test_a_constraint_of_an_included_grammar_can_be_left_out(page: Any) -> None:
    write(page, HEADS + "include alone\n")
    wait_until(page, lambda: root(page) == FIRST)
    page.locator("#stage", has_text="complete").wait_for()
    name = page.locator("#grammar-broken [data-act=off]").first.evaluate(
        LEAVE_OUT
    )  # since the tree may still improve
    assert written(page).endswith(f'penalty "{name}" 1\n')
    expect(page.locator("#grammar-broken button", has_text=f"{name},")).to_have_count(0)


def test_the_grammar_is_kept_saved_and_opened(page: Any, tmp_path: Path) -> None:
    write(page, HEADS)
    with page.expect_download() as download:
        page.locator("#save-grammar").click()
    assert Path(download.value.path()).read_text() == HEADS
    page.reload()
    other = tmp_path / "other.constraints"
    other.write_text(HEADS.replace("right", "left"))
    unfold(page, "grammar-part")
    expect(page.locator("#grammar-text")).to_have_value(HEADS)
    page.locator("#grammar-file").set_input_files(other)
    wait_until(page, lambda: root(page) == LAST)


def test_too_long_a_grammar_is_told_with_its_length_and_the_earlier_one_counts(page: Any) -> None:
    write(page, HEADS)
    wait_until(page, lambda: root(page) == FIRST)
    long = HEADS + "#" * 40_000
    write(page, long)
    told = page.locator("#grammar-told")
    expect(told).to_have_text(
        f"The grammar has {len(long):,} characters, and 32,768 are allowed: shorten it. "
        "The last grammar that could be used still counts."
    )
    expect(page.locator("#grammar-text")).to_have_attribute("aria-invalid", "true")
    assert root(page) == FIRST
    write(page, HEADS.replace("right", "left"))
    wait_until(page, lambda: root(page) == LAST)
    expect(told).to_contain_text("constraints are weighed")
    page.locator("#grammar-used").uncheck()
    expect(told).to_have_text("The search goes by the grammar of the language.")
    write(page, long)
    page.locator("#grammar-used").check()
    expect(told).to_contain_text("shorten it. The search goes by the grammar of the language.")
    assert page.mistakes == []


def test_without_its_box_ticked_the_text_does_not_count(page: Any) -> None:
    page.locator("#stage", has_text="complete").wait_for()
    before = root(page)
    write(page, HEADS)
    wait_until(page, lambda: root(page) == FIRST)
    page.locator("#grammar-used").uncheck()
    wait_until(page, lambda: root(page) == before)
    expect(page.locator("#grammar-told")).to_have_text("The search goes by the grammar of the language.")
