"""Sentences of a file are filtered, and their trees compared with the parser's."""

from __future__ import annotations

from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_corrections import drag, focus_word, word_shown, words_shown
from page_files import open_file
from page_looks import barriers_in_both_schemes, fits_the_window
from page_trees import wait_for_forms

COUNT = 250  # sentences: two parts

# The parser that knows this by heart has other arcs than the file in sentences with "here".
KNOWN = "Cat/NOUN/2/nsubj sleeps/VERB/0/root there/ADV/2/advmod"


def sentence(number: int) -> str:
    """Every hundredth sentence has other words, and one of these another tree."""
    word, tag, label = ("here", "PRON", "obj") if number % 100 == 0 else ("there", "ADV", "advmod")
    head = 1 if number == 200 else 2
    return f"""\
# sent_id = s{number}
1\tCat{number}\tcat\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_
3\t{word}\t_\t{tag}\tRB\t_\t{head}\t{label if number == 100 else "advmod"}\t_\t_

"""


def opened(open_page: OpenPage, confidences: list[float] | None = None, **options: Any) -> Any:
    page = open_page(FakeSession(KNOWN, confidences=confidences), **options)
    open_file(page, "cats.conllu", "".join(map(sentence, range(1, COUNT + 1))))
    wait_for_sentence(page, 1)
    return page


def wait_for_sentence(page: Any, number: int) -> None:
    wait_for_forms(page, [f"Cat{number}", "sleeps", "here" if number % 100 == 0 else "there"])


def choose(page: Any, kind: str, text: str = "") -> None:
    page.locator("#filter-kind").select_option(kind)
    if text:
        page.locator("#filter-text").fill(text)
        page.keyboard.press("Enter")


def test_sentences_are_filtered_by_tag_label_and_word_and_counted(open_page: OpenPage) -> None:
    page = opened(open_page)
    choose(page, "tag", "pron")
    wait_for_sentence(page, 100)
    wait_for_text(page, "#filter-told", "2 sentences")
    page.locator("#sentence-after").click()
    wait_for_sentence(page, 200)
    page.locator("#sentence-after").click()
    wait_for_text(page, "#stepping-told", "There is no such sentence after this one.")
    choose(page, "word", "CAT250")
    wait_for_sentence(page, 250)
    wait_for_text(page, "#filter-told", "1 sentence")
    choose(page, "label", "obj")
    wait_for_text(page, "#stepping-told", "There is no such sentence after this one.")
    page.locator("#tree .word[tabindex='0']").focus()
    page.keyboard.press("PageUp")
    wait_for_sentence(page, 100)
    choose(page, "all")
    page.locator("#sentence-after").click()
    wait_for_sentence(page, 101)
    assert page.mistakes == []


def test_sentences_where_the_parser_differs_are_found_and_light_up(open_page: OpenPage) -> None:
    page = opened(open_page)
    unfold(page, "compare")
    wait_for_text(
        page, "#compared-told", "Both trees are the same. UAS 100.0% (3 of 3), LAS 100.0% (3 of 3)."
    )
    choose(page, "differs")
    wait_for_sentence(page, 100)
    told = "Hang elsewhere or otherwise: here. UAS 100.0% (3 of 3), LAS 66.7% (2 of 3)."
    wait_for_text(page, "#compared-told", told)
    for tree in ("#tree", "#compared-tree"):
        expect(page.locator(f"{tree} .arc[data-differing] .label")).to_have_count(1)
    page.locator("#sentence-after").click()
    wait_for_sentence(page, 200)
    wait_for_text(page, "#compared-told", "UAS 66.7% (2 of 3), LAS 66.7% (2 of 3).")
    page.locator(
        "#take-arc", has_text="Make here below sleeps, as advmod: then 3 of 3 arcs are the same"
    ).click()
    wait_for_text(page, "#compared-told", "Both trees are the same.")
    expect(page.locator("#take-arc")).to_be_hidden()
    assert word_shown(page, "here")["head"] == 2
    page.locator("#correct-undo").click()
    wait_for_text(page, "#compared-told", "UAS 66.7%")
    drag(page, "here", "sleeps")
    wait_for_text(page, "#compared-told", "Both trees are the same.")
    expect(page.locator("#tree .arc[data-differing]")).to_have_count(0)
    page.locator("#measure-file").click()
    wait_for_text(page, "#measured-told", "UAS 100.0% (750 of 750), LAS 99.9% (749 of 750), in 250 of 250")
    page.locator("#compare > summary").click()
    expect(page.locator("#tree .arc[data-differing]")).to_have_count(0)
    assert page.mistakes == []


def test_sentences_of_which_the_parser_is_less_sure_are_found(open_page: OpenPage) -> None:
    page = opened(open_page, [0.9, 0.9, 0.7])
    choose(page, "unsure", "80%")
    wait_until(page, lambda: page.locator("#stepping-told").text_content() == "")
    assert words_shown(page)[0]["form"] == "Cat1", "it is one of those"
    page.locator("#sentence-after").click()
    wait_for_sentence(page, 2)


def test_what_is_wrong_is_told_while_one_corrects_and_leads_to_its_word(open_page: OpenPage) -> None:
    page = opened(open_page)
    expect(page.locator("#faults-told")).to_be_hidden()
    focus_word(page, "there")
    page.keyboard.press("h")
    page.keyboard.press("0")
    wait_for_text(page, "#faults", "sleeps and there are 2 roots, and a tree has one")
    page.locator("#correct-undo").click()
    expect(page.locator("#faults-told")).to_be_hidden()
    focus_word(page, "there")
    page.keyboard.press("t")
    page.keyboard.type("noun")
    page.keyboard.press("Enter")
    wait_for_text(page, "#faults-told", "1 thing breaks a rule")
    wait_for_text(page, "#faults", "there is NOUN, but advmod is for ADV, ADJ, CCONJ, DET, PART or SYM")
    assert barriers_in_both_schemes(page, "faults") == []
    focus_word(page, "sleeps")
    button = page.locator("#faults button")
    assert button.bounding_box()["height"] >= 44
    button.press("Enter")
    expect(page.locator("#tree .word:focus .form")).to_have_text("there")
    assert page.mistakes == []


def test_comparing_works_with_a_real_parser(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    open_file(page, "cats.conllu", "".join(map(sentence, range(1, 4))))
    wait_for_sentence(page, 1)
    unfold(page, "compare")
    wait_for_text(page, "#compared-told", "UAS")
    page.locator("#measure-file").click()
    wait_for_text(page, "#measured-told", "in 3 of 3 sentences.")


def test_filters_and_comparisons_keep_nobody_out(open_page: OpenPage) -> None:
    page = opened(open_page, viewport={"width": 360, "height": 780})
    unfold(page, "compare")
    choose(page, "differs")
    wait_for_sentence(page, 100)
    wait_for_text(page, "#compared-told", "LAS 66.7%")
    assert barriers_in_both_schemes(page, "comparing") == []
    assert fits_the_window(page)
    sizes = page.locator("#stepping select, #compare button, #compare summary").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(one => Math.min(one.width, one.height))"
    )
    assert min(sizes) >= 44


def test_measuring_ends_when_another_file_is_opened(open_page: OpenPage) -> None:
    page = open_page(FakeSession(KNOWN))
    open_file(page, "many.conllu", "".join(map(sentence, range(1, 2001))))
    wait_for_sentence(page, 1)
    unfold(page, "compare")
    page.locator("#measure-file").click()
    wait_for_text(page, "#measured-told", "of 2,000 sentences")
    open_file(page, "one.conllu", sentence(3))
    wait_for_sentence(page, 3)
    wait_for_text(page, "#measure-file", "Measure")
    assert "in 2,000 of" not in page.locator("#measured-told").text_content()
    assert page.mistakes == []
