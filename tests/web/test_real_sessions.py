"""The page with a real server: whatever is done to a text, its words are those of the text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from browser_expect import expect
from every_tree import cross
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_editor import paste, text_shown, type_text
from page_files import saved_conllu, saved_forms
from page_trees import drawn_crossings, drawn_forms, forms_watched, wait_for_forms, watch_forms

from treewhile.oracles import Configuration, optimal_steps

KNOWN = ("the", "dog", "barks", "cat", "sees", "very", "old")
LETTERS_A_SECOND = 12
KEYS = {"shift": "s", "reduce_left": "l", "reduce_right": "r"}


def some_words(count: int, seed: int = 1) -> list[str]:
    return random.Random(seed).choices(KNOWN, k=count)


def promise_nothing(page: Any) -> None:
    """All words are marked then as ones that may still change."""
    unfold(page, "dial")
    page.locator("#stability").fill("0")


def wait_for_marks(page: Any, stretches: list[str]) -> None:
    """These are marked in the text, each from a first word that may still change to the last one."""
    expect(page.locator("#editor .tw-provisional")).to_have_text(stretches)


@pytest.mark.slow
def test_every_word_is_drawn_that_is_typed_at_speed(open_real_page: OpenPage, real_server: Any) -> None:
    page, words = open_real_page(real_server), some_words(25)
    type_text(page, " ".join(words), delay=1000 / LETTERS_A_SECOND)
    wait_for_forms(page, words)
    assert text_shown(page) == " ".join(words)
    assert page.mistakes == []


def test_a_paste_of_300_words_is_all_there(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    text = "\n\n".join(" ".join(some_words(15, seed)) for seed in range(20))
    type_text(page, "dog ")
    paste(page, text)
    page.keyboard.type(" cat")
    words = ["dog", *text.split(), "cat"]
    wait_for_forms(page, [*words[-16:]])
    assert words == real_server.words_of(f"dog {text} cat")
    wait_until(page, lambda: saved_forms(page) == words)
    assert page.mistakes == []


def test_backspacing_through_a_word_leaves_the_words_before_it(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    type_text(page, "the old dog")
    wait_for_forms(page, ["the", "old", "dog"])
    for _ in "ld dog":
        page.keyboard.press("Backspace", delay=20)
    wait_for_forms(page, ["the", "o"])
    page.keyboard.press("Backspace")
    wait_for_forms(page, ["the"])
    page.keyboard.type("cat barks")
    wait_for_forms(page, ["the", "cat", "barks"])
    assert page.mistakes == []


def test_edits_in_the_middle_find_their_place_behind_emoji_and_combining_marks(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    promise_nothing(page)
    type_text(page, "🎉 e\u0301te\u0301 👩\u200d👩\u200d👧 the dog barks")
    for _ in "dog barks":
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("old ")
    page.keyboard.press("Home")
    page.keyboard.press("Delete")
    page.keyboard.type("🐕🐈")
    text = "🐕🐈 e\u0301te\u0301 👩\u200d👩\u200d👧 the old dog barks"
    words = real_server.words_of(text)
    assert words[-4:] == ["the", "old", "dog", "barks"]
    wait_for_forms(page, words)
    wait_for_marks(page, [text])
    assert text_shown(page) == text
    assert page.mistakes == []


def test_what_is_undone_and_done_again_is_parsed_as_it_stands(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    type_text(page, "the dog barks")
    wait_for_forms(page, ["the", "dog", "barks"])
    page.keyboard.press("Home")
    paste(page, "very old ")
    wait_for_forms(page, ["very", "old", "the", "dog", "barks"])
    page.keyboard.press("Control+z")
    wait_for_forms(page, ["the", "dog", "barks"])
    page.keyboard.press("Control+y")
    wait_for_forms(page, ["very", "old", "the", "dog", "barks"])
    for _ in "very old the dog barks":  # what is typed with a pause in it is undone by more than one
        page.keyboard.press("Control+z")
    wait_for_forms(page, [])
    assert page.mistakes == []


def test_what_is_composed_in_the_middle_is_parsed(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    type_text(page, "the barks")
    wait_for_forms(page, ["the", "barks"])
    for _ in "barks":
        page.keyboard.press("ArrowLeft")
    keyboard = page.context.new_cdp_session(page)
    for text in ["i", "い", "いn", "いぬ", "犬"]:
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        keyboard.send("Input.imeSetComposition", {"text": text, **place})
        wait_until(page, lambda text=text: text_shown(page) == f"the {text}barks")  # type: ignore[misc]
    keyboard.send("Input.insertText", {"text": "犬"})
    page.keyboard.type(" ")
    wait_for_forms(page, ["the", "犬", "barks"])
    assert text_shown(page) == "the 犬 barks"
    assert page.mistakes == []


def test_edges_that_cross_in_a_real_session_are_drawn_so(
    open_real_page: OpenPage, crossing_server: Any
) -> None:
    page, words = open_real_page(crossing_server), some_words(12, seed=0)
    type_text(page, " ".join(words))
    for key in ("Enter", "Enter", "d", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    wait_for_forms(page, words)
    wait_until(page, lambda: drawn_crossings(page) == crossings(saved_heads(page)[:12]))
    assert crossings(saved_heads(page)[:12]) > 0
    assert page.mistakes == []


def saved_heads(page: Any) -> list[int]:
    """The heads of all words as the page saves them; 0 where they are not known."""
    rows = [line.split("\t") for line in saved_conllu(page).splitlines() if "\t" in line]
    return [int(row[6]) if row[6].isdigit() else 0 for row in rows]


def crossings(heads: Sequence[int]) -> int:
    """How many pairs of edges cross."""
    edges = [(head, word) for word, head in enumerate(heads, 1)]
    return sum(cross(one, other) for one, other in combinations(edges, 2))


def test_two_tabs_do_not_get_into_each_others_way(open_real_page: OpenPage, real_server: Any) -> None:
    pages = [open_real_page(real_server), open_real_page(real_server)]
    texts = [some_words(12, seed=2), some_words(12, seed=3)]
    for page in pages:
        page.locator(".cm-content").click()
    for place in range(12):
        for page, words in zip(pages, texts, strict=True):
            page.keyboard.type(words[place] + " ")
    for page, words in zip(pages, texts, strict=True):
        wait_for_forms(page, words)
        assert page.mistakes == []


def test_no_letter_and_no_tree_is_lost_when_the_server_is_killed(
    open_real_page: OpenPage, mortal_server: Any
) -> None:
    page, words = open_real_page(mortal_server), some_words(24)
    type_text(page, " ".join(words[:8]))
    wait_for_forms(page, words[:8])
    watch_forms(page)
    mortal_server.kill()
    page.keyboard.type(f" {' '.join(words[8:16])}", delay=20)
    page.locator("#connection.waiting").wait_for()
    assert drawn_forms(page) == words[:8]
    mortal_server.start()
    page.keyboard.type(f" {' '.join(words[16:])}", delay=20)
    wait_for_forms(page, words)
    assert text_shown(page) == " ".join(words)
    assert all(forms[:8] == words[:8] for forms in forms_watched(page))
    page.keyboard.press("Control+Backspace")
    wait_for_forms(page, words[:-1])


def best_walk(heads: list[int]) -> list[str]:
    """The steps that make as many of the arcs as can be made."""
    configuration, names = Configuration.initial(len(heads)), list[str]()
    while best := optimal_steps(configuration, heads).best:
        names.append(min(best))
        configuration = configuration.apply(names[-1])
    return names


@pytest.mark.parametrize(
    ("sentence", "heads", "arcs"),
    [
        ("She reads a long letter.", [2, 0, 5, 5, 2, 2], 6),
        ("A man came who sold clocks.", [2, 3, 0, 5, 2, 5, 3], 6),
        ("הילדה קוראת ספר ארוך.", [2, 0, 2, 3, 2], 5),
    ],
)
def test_practice_is_played_to_its_end(
    open_real_page: OpenPage, real_server: Any, sentence: str, heads: list[int], arcs: int
) -> None:
    page = open_real_page(real_server)
    unfold(page, "practice")
    page.locator("#practice-sentence").select_option(label=sentence)
    wait_for_text(page, "#practice .remaining", "".join(sentence.split()[-1:])[:-1])
    wait_for_text(page, "#practice-told", "Which step comes first?")
    page.locator("#practice [data-step=shift]").focus()
    for number, step in enumerate(best_walk(heads), 1):
        page.keyboard.press(KEYS[step])
        wait_for_text(page, "#practice-score", f"{number} of {number} steps right at once")
    count = 2 * len(heads)
    told = f"Done. {count} of {count} steps right at once, {arcs} of {len(heads)} arcs made."
    wait_for_text(page, "#practice-score", told)
    assert page.mistakes == []


def test_practice_goes_on_when_the_server_was_killed(open_real_page: OpenPage, mortal_server: Any) -> None:
    page = open_real_page(mortal_server)
    unfold(page, "practice")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    page.locator("#practice [data-step=shift]").focus()
    for number in (1, 2):
        page.keyboard.press("s")
        wait_for_text(page, "#practice-score", f"{number} of {number} steps right at once")
    mortal_server.kill()
    page.locator("#connection.waiting").wait_for()
    page.keyboard.press("r")
    wait_for_text(page, "#practice-told", "The server is away: steps can be made once it is back.")
    mortal_server.start()
    wait_for_text(page, "#practice-told", "Right: take dog.")
    page.keyboard.press("r")
    wait_for_text(page, "#practice-score", "3 of 3 steps right at once")
    page.keyboard.press("s")
    wait_for_text(page, "#practice-score", "4 of 4 steps right at once")


def test_practice_keeps_up_with_fast_fingers(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    unfold(page, "practice")
    page.locator("#practice-sentence").select_option(label="She reads a long letter.")
    page.locator("#practice [data-step=shift]").focus()
    page.keyboard.type("".join(KEYS[step] for step in best_walk([2, 0, 5, 5, 2, 2])))
    wait_for_text(page, "#practice-score", "Done. 12 of 12 steps right at once, 6 of 6 arcs made.")
    page.keyboard.type("uu")
    wait_for_text(page, "#practice-score", "12 of 12 steps right at once, 4 of 6 arcs made.")
    page.keyboard.type("sll")  # nothing is left to shift
    wait_for_text(page, "#practice-score", "Done. 12 of 12 steps right at once")
    assert page.mistakes == []
