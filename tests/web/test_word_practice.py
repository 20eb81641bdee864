"""The practice of words and their roles, by people who learn grammar, in a real browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_files import open_file
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture

ASKED, TOLD, SCORE = "#word-practice-asked", "#word-practice-told", "#word-practice-score"
ANSWERS = "#word-practice-answers button"
OPEN_ANSWERS = """() => [...document.querySelectorAll("#word-practice-answers [aria-disabled=false]")].map(
    (button) => button.firstChild.textContent)"""
PRESS = """key => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }))"""
ARCS = """() => document.getElementById("word-practice-tree").analysis.words.map(
    ({ head, label }) => [head, label])"""
TEACHERS = """\
# sent_id = saw
# text = She saw men with telescopes.
1\tShe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tmen\t_\tNOUN\t_\t_\t2\tobj\t_\t_
4\twith\t_\tADP\t_\t_\t5\tcase\t_\t_
5\ttelescopes\t_\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""
SAW = "She/PRON/2/nsubj saw/VERB/0/root men/NOUN/2/obj with/ADP/5/case telescopes/NOUN/2/obl ./PUNCT/2/punct"


def learning(open_page: OpenPage, session: FakeSession | None = None, **options: Any) -> Any:
    """The page with the practice unfolded, at its first question."""
    page = open_page(session or FakeSession(), **options)
    unfold(page, "word-practice")
    expect(page.locator(ANSWERS).first).to_be_visible()
    return page


def answer(page: Any, *titles: str) -> None:
    """Presses the answers with these titles one after the other, each once it is offered."""
    for title in titles:
        page.locator(f"{ANSWERS}[aria-disabled=false]", has=page.get_by_text(title, exact=True)).click()


def choose_sentence(page: Any, text: str) -> None:
    page.locator("#word-practice-sentence").select_option(label=text)


def test_a_learner_answers_for_each_word_where_it_belongs_and_as_what(open_page: OpenPage) -> None:
    page = learning(open_page)
    wait_for_text(page, ASKED, "Question 1 of 5: which word does “The” belong to?")
    answer(page, "dog")
    wait_for_text(page, TOLD, "Right: “The” belongs to “dog”.")
    wait_for_text(page, ASKED, "Question 2 of 5: what is the role of “The”, which belongs to “dog”?")
    assert page.evaluate(ARCS) == [[2, "?"], [None, None], [None, None], [None, None]]
    answer(page, "determiner")
    wait_for_text(page, TOLD, "Right: “The” is the determiner of “dog”. Says which one or how many")
    expect(page.locator(f"{TOLD} [lang=en]")).to_have_count(1)
    answer(page, "barks", "subject")
    wait_for_text(page, ASKED, "Question 5 of 5: which word does “barks” belong to?")
    answer(page, "no word: it is the head of the sentence")
    wait_for_text(page, TOLD, "Right: “barks” is the head of the sentence.")
    wait_for_text(page, ASKED, "All questions are answered.")
    wait_for_text(page, SCORE, "Right at once: 5 of 5.")
    assert page.evaluate(ARCS) == [[2, "det"], [3, "nsubj"], [0, "root"], [3, "punct"]]
    expect(page.locator("#word-practice-answers")).to_be_hidden()
    expect(page.locator("#word-practice-wrong-heading")).to_be_hidden()
    expect(page.locator("#word-practice-again")).to_be_focused()
    assert page.mistakes == []


def test_a_wrong_answer_is_told_with_its_reason_and_listed_at_the_end(open_page: OpenPage) -> None:
    page = learning(open_page)
    answer(page, "barks")
    wait_for_text(page, TOLD, "“The” belongs to “barks” only by way of another word, which is nearer to it.")
    wait_for_text(page, ASKED, "Question 1 of 5")
    expect(page.locator(f"{ANSWERS}[aria-disabled=true]")).to_have_count(1)
    page.locator(ANSWERS, has_text="barks").click(force=True)  # once more, which changes nothing
    answer(page, "no word: it is the head of the sentence")
    wait_for_text(page, TOLD, "“The” is not the head of the sentence: it belongs to another word.")
    answer(page, "dog", "subject")
    wait_for_text(page, TOLD, "“The” does not have this role under “dog”: subject. Is the one who does")
    answer(page, "determiner", "The")
    wait_for_text(page, TOLD, "It is the other way round: “The” belongs to “dog”.")
    answer(page, "barks", "subject", "no word: it is the head of the sentence")
    wait_for_text(page, SCORE, "Right at once: 2 of 5.")
    expect(page.locator("#word-practice-wrong li")).to_have_text(
        [
            "“The” belongs to “dog”, not to “barks”.",
            "“The” belongs to “dog”, and is not the head of the sentence.",
            "“The” under “dog”: determiner, not subject.",
            "“dog” belongs to “barks”, not to “The”.",
        ]
    )
    assert page.mistakes == []


def test_hints_come_in_three_steps(open_page: OpenPage) -> None:
    page = learning(open_page)
    choose_sentence(page, "Birds sing in the garden.")
    answer(page, "sing", "subject", "no word: it is the head of the sentence")
    wait_for_text(page, ASKED, "which word does “in” belong to?")
    hint = page.locator("#word-practice-hint")
    hint.click()
    wait_for_text(page, TOLD, "Hint: the answer does not stand before “in”.")
    assert page.evaluate(OPEN_ANSWERS) == ["the", "garden", "no word: it is the head of the sentence"]
    hint.click()
    wait_for_text(page, TOLD, "Hint: the answer is one of these: the or garden.")
    assert page.evaluate(OPEN_ANSWERS) == ["the", "garden"]
    hint.click()
    wait_for_text(page, TOLD, "The answer: garden.")
    expect(hint).to_be_disabled()
    answer(page, "garden")
    hint.click()
    wait_for_text(page, TOLD, "Hint: “in” is a small word that helps another one, or connects it.")
    answer(page, "case marker")
    wait_for_text(page, SCORE, "Right at once: 3 of 5. 4 hints.")
    assert page.mistakes == []


def test_the_keyboard_alone_is_enough(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    page.locator("#word-practice > summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(ANSWERS).first).to_be_visible()
    page.locator("#word-practice-again").focus()
    page.keyboard.press("Tab")  # to a word of the tree
    page.keyboard.press("ArrowRight")  # which chooses nothing
    expect(page.locator(TOLD)).to_be_empty()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    expect(page.locator(ANSWERS).first).to_be_focused()
    # on some keyboards it stands where others have the letter of an answer
    page.evaluate(PRESS, {"key": "?", "code": "KeyA", "shiftKey": True})
    wait_for_text(page, TOLD, "Hint: the answer is not one of the words that are further away from “The”.")
    expect(page.locator(ASKED)).to_contain_text("Question 1 of 5")
    page.keyboard.press("Enter")
    wait_for_text(page, TOLD, "Right: “The” belongs to “dog”.")
    place = page.evaluate(OPEN_ANSWERS).index("determiner") + 1
    page.keyboard.press("?")
    wait_for_text(page, TOLD, "Hint: “The” says more about a person or a thing.")
    page.keyboard.press(str(place))
    wait_for_text(page, TOLD, "Right: “The” is the determiner of “dog”.")
    key = page.locator(ANSWERS, has_text="barks").locator("kbd").text_content()
    page.keyboard.press(key)
    wait_for_text(page, TOLD, "Right: “dog” belongs to “barks”.")
    assert page.mistakes == []


def test_a_word_of_the_tree_is_an_answer_too(open_page: OpenPage) -> None:
    page = learning(open_page)
    page.locator("#word-practice-tree .word", has_text="dog").click()
    wait_for_text(page, TOLD, "Right: “The” belongs to “dog”.")
    page.locator("#word-practice-tree .word", has_text="barks").click()
    wait_for_text(page, ASKED, "Question 2 of 5")
    answer(page, "determiner")
    wait_for_text(page, ASKED, "which word does “dog” belong to?")
    page.locator("#word-practice-tree .word", has_text="dog").focus()
    page.keyboard.press("ArrowRight")
    wait_for_text(page, TOLD, "Right: “The” is the determiner of “dog”.")
    page.keyboard.press("Enter")
    wait_for_text(page, TOLD, "Right: “dog” belongs to “barks”.")
    assert page.mistakes == []


def test_progress_outlives_a_reload_and_a_new_start_begins_another_attempt(open_page: OpenPage) -> None:
    page = learning(open_page)
    answer(page, "barks", "dog", "determiner")
    wait_for_text(page, ASKED, "Question 3 of 5")
    page.reload()
    unfold(page, "word-practice")
    wait_for_text(page, ASKED, "Question 3 of 5: which word does “dog” belong to?")
    wait_for_text(page, SCORE, "Right at once: 1 of 2.")
    assert page.evaluate(ARCS)[0] == [2, "det"]
    choose_sentence(page, "She reads a long letter.")
    wait_for_text(page, ASKED, "Question 1 of 9")
    choose_sentence(page, "The dog barks.")
    wait_for_text(page, ASKED, "Question 3 of 5")
    page.locator("#word-practice-again").click()
    wait_for_text(page, ASKED, "Question 1 of 5")
    answer(page, "dog")
    wait_for_text(page, ASKED, "Question 2 of 5")
    page.reload()
    unfold(page, "word-practice")
    wait_for_text(page, SCORE, "Right at once: 1 of 1.")
    assert page.mistakes == []


def rows_saved(page: Any, part: str) -> list[dict[str, str]]:
    with page.expect_download() as download:
        page.locator(f"#{part}-results").click()
    contents = Path(download.value.path()).read_text(encoding="utf-8-sig")
    return [*csv.DictReader(io.StringIO(contents))]


def test_a_teacher_gets_the_results_of_both_practices_as_one_table(open_page: OpenPage) -> None:
    page = learning(open_page)
    page.locator("#word-practice-results").click()
    wait_for_text(page, "#word-practice-results-told", "There are no answers yet.")
    answer(page, "barks")
    page.locator("#word-practice-hint").click()
    answer(page, "dog")
    unfold(page, "practice")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    page.locator("#practice [data-step=shift]").click()
    wait_for_text(page, "#practice-score", "1 of 1 steps right at once")
    page.locator("#practice [data-step=reduce_left]").click()
    wait_for_text(page, "#practice-score", "1 of 2 steps right at once")
    rows = rows_saved(page, "practice")
    told = [
        [row[name] for name in ("practice", "word", "question", "answer", "expected", "right")]
        for row in rows
    ]
    assert told == [
        ["words", "The", "head", "3", "2", "0"],
        ["words", "The", "head", "hint", "2", "0"],
        ["words", "The", "head", "2", "2", "1"],
        ["steps", "", "step", "shift", "shift", "1"],
        ["steps", "The", "step", "reduce_left", "shift", "0"],
    ]
    assert {row["sentence"] for row in rows} == {"The dog barks."}
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#word-practice-forget").click()
    wait_for_text(page, "#word-practice-results-told", "All answers are deleted.")
    wait_for_text(page, ASKED, "Question 1 of 5")
    page.locator("#word-practice-results").click()
    wait_for_text(page, "#word-practice-results-told", "There are no answers yet.")
    assert page.mistakes == []


def test_a_teachers_own_sentences_are_practised_and_ties_are_accepted(open_page: OpenPage) -> None:
    """Where the parser finds two arcs just as good, either is right, with its own role."""
    session = FakeSession(SAW, margins={5: (0.0, 3, "nmod"), 4: (0.5, 2, "mark")})
    page = learning(open_page, session)
    with page.expect_file_chooser() as chooser:
        page.locator("#word-practice-open").click()
    chooser.value.set_files([{"name": "own.conllu", "mimeType": "text/plain", "buffer": TEACHERS.encode()}])
    wait_for_text(page, ASKED, "Question 1 of 9: which word does “She” belong to?")
    expect(page.locator("#word-practice-sentence option:checked")).to_have_text(
        "She saw men with telescopes."
    )
    wait_until(page, lambda: len(session.all("ask_margins")) >= 2)
    wait_until(page, lambda: len([one for one in session.all("close") if "margins" in one["document"]]) >= 2)
    answer(page, "saw", "subject", "no word: it is the head of the sentence", "saw", "object")
    wait_for_text(page, ASKED, "which word does “with” belong to?")
    answer(page, "saw")
    wait_for_text(page, TOLD, "“with” belongs to “saw” only by way of another word, which is nearer to it.")
    answer(page, "telescopes", "case marker", "men")
    wait_for_text(page, TOLD, "Right: “telescopes” may belong to “men”. The tree has another answer")
    answer(page, "noun that describes a noun")
    wait_for_text(page, ASKED, "All questions are answered.")
    assert page.evaluate(ARCS)[4] == [3, "nmod"]
    assert page.mistakes == []


def test_a_game_stays_where_it_is_while_other_files_come(open_page: OpenPage) -> None:
    page = learning(open_page)
    answer(page, "dog", "determiner")
    wait_for_text(page, ASKED, "Question 3 of 5")
    open_file(page, "own.conllu", TEACHERS)
    expect(page.locator("#word-practice-sentence optgroup").last).to_have_attribute("label", "own.conllu")
    wait_for_text(page, ASKED, "Question 3 of 5")
    wait_for_text(page, TOLD, "Right: “The” is the determiner of “dog”.")
    assert page.mistakes == []


def test_the_practice_works_without_a_server_and_begins_in_the_language_of_the_reader(
    open_page: OpenPage,
) -> None:
    session = FakeSession()
    page = open_page(session, address="http://localhost:1/", locale="de-DE")
    page.locator("#connection.open").wait_for()
    session.is_away = True
    unfold(page, "word-practice")
    wait_for_text(page, ASKED, "Frage 1 von 5: Zu welchem Wort gehört „Der“?")
    answer(page, "Hund", "Determinierer")
    wait_for_text(page, TOLD, "Richtig: „Der“ bei „Hund“ ist: Determinierer.")
    assert page.mistakes == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_practice_keeps_nobody_out(open_page: OpenPage, width: int) -> None:
    page = learning(open_page, viewport={"width": width, "height": 780})
    choose_sentence(page, "My neighbour gave the children old books.")
    answer(page, "gave")
    wait_for_text(page, TOLD, "only by way of another word")
    assert fits_the_window(page)
    assert barriers_in_both_schemes(page, f"words-{width}") == []
    answer(page, "neighbour")
    wait_for_text(page, ASKED, "what is the role")
    assert fits_the_window(page)
    keep_picture(page, f"roles-{width}")
    low = (
        "boxes => boxes.filter(box => box.getBoundingClientRect().height < 44 || box.offsetWidth < 44).length"
    )
    assert page.locator("#word-practice button, #word-practice select").evaluate_all(low) == 0
    assert page.locator("#word-practice [role=status]").count() >= 1
    assert page.mistakes == []


def test_right_to_left_sentences_are_practised(open_page: OpenPage) -> None:
    page = learning(open_page)
    choose_sentence(page, "הילדה קוראת ספר ארוך.")
    wait_for_text(page, ASKED, "הילדה")
    expect(page.locator("#word-practice-answers")).to_have_attribute("dir", "rtl")
    expect(page.locator(f"{ANSWERS} span").first).to_have_attribute("lang", "he")
    answer(page, "קוראת", "subject")
    wait_for_text(page, TOLD, "הילדה")
    keep_picture(page, "words-hebrew")
    assert page.mistakes == []


def test_a_word_without_a_head_in_the_file_is_asked_about_as_the_parser_has_it(
    open_real_page: OpenPage, english_server: Any
) -> None:
    page = open_real_page(english_server)
    unfold(page, "word-practice")
    open_file(
        page, "own.conllu", TEACHERS.replace("3\tmen\t_\tNOUN\t_\t_\t2\tobj", "3\tmen\t_\tNOUN\t_\t_\t_\t_")
    )
    expect(page.locator("#word-practice-sentence optgroup").last).to_have_attribute("label", "own.conllu")
    choose_sentence(page, "She saw men with telescopes.")
    wait_for_text(page, ASKED, "Question 1 of 9")
    answer(page, "saw", "subject", "no word: it is the head of the sentence", "saw")
    wait_for_text(page, TOLD, "Right: “men” belongs to “saw”.")
    answer(page, "object")
    wait_for_text(page, TOLD, "Right: “men” is the object of “saw”.")
    assert page.mistakes == []
