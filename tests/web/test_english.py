"""English sentences as people type them into the page, with the model that comes with treewhile."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from browser_expect import expect
from page_actions import OpenPage, wait_for_text, wait_until
from page_editor import type_text
from page_trees import drawn_forms

LETTERS_A_SECOND = 12
LONG = 120_000  # milliseconds: a search may still have to be compiled


def rows_drawn(page: Any) -> list[list[str]]:
    """The rows of the tree as CoNLL-U."""
    conllu = page.locator("#tree").evaluate("tree => tree.toConllu()")
    return [line.split("\t") for line in conllu.splitlines() if "\t" in line]


def test_a_sentence_with_its_full_stop_is_drawn_and_exported_whole_after_a_pause(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = open_real_page(english_server)
    type_text(page, "The old dog barks.", delay=1000 / LETTERS_A_SECOND)
    expect(page.locator("#stage")).to_contain_text("complete")
    expect(page.locator("#tree .arc:not(.stable)")).to_have_count(0)
    assert [row[7] for row in rows_drawn(page)].count("root") == 1
    page.keyboard.type(" It")
    expect(page.locator("#stage")).not_to_contain_text("complete")


# Notes all that is drawn of sentences: the stage, how many words have solid arcs, and the arcs of all.
WATCH = """() => {
    window.drawn = [];
    const [tree, stage] = [document.getElementById("tree"), document.getElementById("stage")];
    const observer = new MutationObserver(() => {
        const { words, stable_upto } = tree.analysis;
        const arcs = words.map(({ form, head, label }) => [form, head, label]);
        window.drawn.push([stage.textContent, stable_upto, arcs]);
    });
    const everything = { subtree: true, childList: true, characterData: true, attributes: true };
    for (const one of [tree.shadowRoot, stage]) observer.observe(one, everything);
}"""


def test_neither_what_is_complete_nor_solid_arcs_change_while_the_words_are_the_same(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = open_real_page(english_server)
    page.evaluate(WATCH)
    for sentence in (
        "Tobin, What he says makes no sense.",
        "should I be surprised that I haven't the slightest idea what that means?",
    ):
        page.keyboard.press("Control+a")
        page.keyboard.type(sentence, delay=1000 / LETTERS_A_SECOND)
        expect(page.locator("#stage")).to_contain_text("complete")
    drawn = page.evaluate("window.drawn")
    assert {stage.split(",")[0] for stage, *_ in drawn} >= {"first guess", "complete"}
    for (stage, solid, arcs), (_, _, later) in pairwise(drawn):
        if [form for form, *_ in arcs] == [form for form, *_ in later]:
            kept = len(arcs) if "complete" in stage else solid
            assert later[:kept] == arcs[:kept]


def test_the_example_of_the_page_ends_right(open_real_page: OpenPage, english_server: Any) -> None:
    page = open_real_page(english_server)
    page.locator("#replay-speed").select_option("speech")
    page.locator("#replay").click()
    wait_for_text(page, "#replay", "Stop")
    expect(page.locator("#replay")).to_have_text("Replay", timeout=LONG)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    wait_until(page, lambda: "neighbour" in drawn_forms(page))
    expect(page.locator("#stage")).to_contain_text("complete", timeout=LONG)
    relations = [(row[1], row[7]) for row in rows_drawn(page)]
    assert [form for form, label in relations if label == "obj"] == ["letter"]
    assert ("neighbour", "iobj") in relations
    expect(page.locator("#conflicts li")).to_have_count(0)
    assert page.mistakes == []


def test_phrases_of_sentences_that_were_complete_before_they_are_asked_for(
    open_real_page: OpenPage, english_server: Any
) -> None:
    def brackets() -> str:
        return str(page.locator("#phrases").evaluate("phrases => phrases.toBrackets()"))

    page = open_real_page(english_server)
    type_text(page, "She left. The old dog barks at the")
    page.locator("#tree-view").select_option("tree")
    wait_until(page, lambda: "(NP (DET The) (ADJ old) (NOUN dog))" in brackets())
    labels = page.locator("#phrases .label").all_text_contents()
    assert {"S…", "VP…", "PP…", "NP"} <= {*labels}
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    told = "(ROOT (S (NP (PRON She)) (VP (VERB left)) (PUNCT .)))\n"
    wait_until(page, lambda: brackets() == told)


@pytest.mark.parametrize("sentence", ["The dog barks loudly.", "She sat.", "Where is it?"])
def test_the_last_full_stop_is_a_word_as_soon_as_it_is_typed(
    open_real_page: OpenPage, english_server: Any, sentence: str
) -> None:
    page = open_real_page(english_server)
    type_text(page, sentence, delay=1000 / LETTERS_A_SECOND)
    wait_until(page, lambda: drawn_forms(page) == [*sentence[:-1].split(), sentence[-1]])
