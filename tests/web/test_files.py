"""CoNLL-U that is opened in the page and saved from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, wait_for_text, wait_until
from page_editor import paste, text_shown, type_text
from page_files import open_file, saved_conllu, saved_forms
from page_trees import drawn_forms, wait_for_forms

CATS = """\
# newdoc id = cats
# sent_id = cats-1
# text = Cats sleep.
1\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t2:nsubj\t_
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t0:root\tSpaceAfter=No|Gloss=rest
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t2:punct\t_

# sent_id = cats-2
# text = I cannot go
1\tI\tI\tPRON\tPRP\tCase=Nom\t4\tnsubj\t_\t_
2-3\tcannot\t_\t_\t_\t_\t_\t_\t_\t_
2\tcan\tcan\tAUX\tMD\t_\t4\taux\t_\t_
3\tnot\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
4.1\tthere\tthere\tADV\t_\t_\t_\t_\t4:advmod\t_

"""

TREE = "document.getElementById('tree')"
HEADS_DRAWN = "({ analysis }) => analysis.words.map(({ form, head }) => `${form} ${head}`)"


def heads_in(sentence: str) -> list[str]:
    rows = [line.split("\t") for line in sentence.splitlines() if line[:1].isdigit()]
    return [f"{row[1]} {row[6]}" for row in rows if row[0].isdigit()]


def edit(page: Any, keys: list[str], text: str) -> None:
    """Types at a place that keys lead to from the start of the text."""
    page.locator(".cm-content").click()
    for key in ["Control+Home", *keys]:
        page.keyboard.press(key)
    page.keyboard.type(text)


def test_a_file_that_is_no_text_is_told(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    open_file(page, "cats.conllu", CATS.replace("rest", "fr\xe9").encode("latin-1"))
    wait_for_text(page, "#file-told", "cats.conllu cannot be opened: it is not a text in UTF-8.")


def test_what_is_opened_and_saved_is_the_same_file(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    open_file(page, "cats.conllu", CATS.encode())
    wait_for_text(page, "#file-told", "Opened 2 sentences of cats.conllu")
    assert text_shown(page) == "Cats sleep.\n\nI cannot go"
    assert saved_conllu(page) == CATS
    wait_for_text(page, "#file-told", "Saved 2 sentences.")
    assert page.mistakes == []


def test_what_is_typed_beside_sentences_of_a_file_is_saved_as_it_is_parsed(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    open_file(page, "cats.conllu", CATS)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n\nthe dog barks\n\n")
    wait_for_forms(page, ["the", "dog", "barks"])
    saved = saved_conllu(page)
    assert saved.startswith(CATS)
    assert [line.split("\t")[1] for line in saved.removeprefix(CATS).splitlines() if "\t" in line] == [
        "the",
        "dog",
        "barks",
    ]
    wait_for_text(page, "#file-told", "Saved 3 sentences: 2 as they were opened, 1 as they are parsed.")


def test_a_sentence_that_is_edited_and_undone_is_saved_as_it_was_opened(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    open_file(page, "cats.conllu", CATS)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    wait_for_forms(page, [])
    page.keyboard.press("Control+z")
    wait_until(page, lambda: text_shown(page) == "Cats sleep.\n\nI cannot go")
    assert saved_conllu(page) == CATS


def test_sentences_of_a_file_are_not_run_together(open_real_page: OpenPage, real_server: Any) -> None:
    page = open_real_page(real_server)
    no_stop = CATS.replace("# text = Cats sleep.", "# text = Cats sleep")
    open_file(page, "cats.conllu", no_stop)
    page.locator("#tree-source", has_text="Parser").click()
    wait_for_forms(page, ["Cats", "sleep"])


def test_the_same_file_opened_twice_is_the_same_tree(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    open_file(page, "cats.conllu", CATS)
    wait_for_forms(page, ["Cats", "sleep", "."])
    session.is_held = True
    open_file(page, "cats.conllu", CATS)
    page.wait_for_function("() => document.getElementById('file').value === ''")
    assert drawn_forms(page) == ["Cats", "sleep", "."]
    assert len(session.all("edit")) == 1


@pytest.mark.parametrize("answer", ["accept", "dismiss"])
def test_opening_asks_before_it_replaces_what_is_not_saved(open_page: OpenPage, answer: str) -> None:
    session = FakeSession()
    page = open_page(session)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), getattr(dialog, answer)()))
    type_text(page, "my own words")
    wait_for_forms(page, ["my", "own", "words"])
    open_file(page, "cats.conllu", CATS)
    wait_until(page, lambda: len(asked) == 1)
    assert "has not been saved" in asked[0]
    if answer == "accept":
        wait_for_text(page, "#file-told", "Opened 2 sentences")
    else:
        wait_for_text(page, "#file-told", "cats.conllu was not opened: the text stays.")
    assert text_shown(page) == ("Cats sleep.\n\nI cannot go" if answer == "accept" else "my own words")


def test_opening_does_not_ask_after_saving(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "my own words")
    wait_for_forms(page, ["my", "own", "words"])
    assert "my" in saved_conllu(page)
    open_file(page, "cats.conllu", CATS)
    wait_for_text(page, "#file-told", "Opened 2 sentences")


def test_saving_nothing_says_that_there_is_nothing(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    saved: list[Any] = []
    page.on("download", lambda download: saved.append(download))
    page.locator("#save-conllu").click()
    wait_for_text(page, "#file-told", "There is nothing to save: the text is empty.")
    session.is_held = True
    type_text(page, "one")
    page.locator("#save-conllu").click()
    wait_for_text(page, "#file-told", "Saving waits until all of the text has its trees.")
    page.locator("#cancel-save").click()
    wait_for_text(page, "#file-told", "Not saved.")
    assert saved == []


def test_saving_waits_for_the_trees_of_the_text_that_is_shown(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    open_file(page, "cats.conllu", CATS)
    wait_for_forms(page, ["Cats", "sleep", "."])
    session.is_held = True
    edit(page, [], "Wild")
    with page.expect_download() as download:
        page.locator("#save-conllu").click()
        wait_for_text(page, "#file-told", "Saving waits until all of the text has its trees.")
        session.is_held = False
        session.answer()
    saved = Path(download.value.path()).read_text()
    assert "# text = WildCats sleep." in saved
    assert "\nCats\t" not in saved
    assert "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t2:punct\t_" in saved
    assert saved.endswith(CATS[CATS.index("# sent_id = cats-2") :])
    wait_for_text(page, "#file-told", "Saved 2 sentences: 1 as they were opened, 1 edited.")
    expect(page.locator("#cancel-save")).to_be_hidden()


def test_saving_gives_up_where_no_answer_comes(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    session.is_held = True
    page.clock.install()
    type_text(page, "one")
    page.locator("#save-conllu").click()
    wait_for_text(page, "#file-told", "Saving waits")
    page.clock.fast_forward(30_000)
    wait_for_text(page, "#file-told", "Not saved: some of the text has no trees yet")


def test_all_of_a_text_is_saved_at_once_after_a_paste_and_during_a_replay(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    page.locator(".cm-content").click()
    paste(page, "\n\n".join(["the dog sees a cat"] * 150))
    assert saved_forms(page) == ["the", "dog", "sees", "a", "cat"] * 150
    page.locator("#replay").click()
    wait_for_text(page, "#replay", "Stop")
    wait_until(page, lambda: len(text_shown(page)) < 100)
    assert saved_forms(page) == ["the", "dog", "sees", "a", "cat"] * 150


@pytest.mark.parametrize("keys", [[], ["Control+ArrowRight", "Control+ArrowRight"]])
def test_a_sentence_of_a_file_is_drawn_copied_and_saved_alike(
    open_real_page: OpenPage, real_server: Any, keys: list[str]
) -> None:
    page = open_real_page(real_server)
    wrong = CATS.replace("2\tnsubj\t2:nsubj", "3\tdislocated\t3:dislocated")
    open_file(page, "cats.conllu", wrong)
    if keys:
        edit(page, keys, " well")
        wait_for_text(page, "#stage", "as in cats.conllu, 1 word as it is parsed")
    else:
        wait_for_text(page, "#stage", "as in cats.conllu")
    saved = saved_conllu(page)
    sentence = saved[: saved.index("\n\n") + 2]
    drawn = heads_in(sentence)
    assert ("Cats 4" if keys else "Cats 3") in drawn
    wait_until(page, lambda: page.locator("#tree").evaluate(HEADS_DRAWN) == drawn)
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.locator("#copy-conllu").click()
    wait_for_text(page, "#copy-conllu", "Copied")
    assert page.evaluate("window.copied") == sentence
    page.locator("#tree-source", has_text="Parser").click()
    wait_for_text(page, "#tree-source", "File")
    page.wait_for_function(
        f"heads => JSON.stringify(({HEADS_DRAWN})({TREE})) !== heads", arg=json.dumps(drawn)
    )


def test_a_text_that_has_taken_the_place_of_a_file_is_not_saved_under_its_name(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    open_file(page, "cats.conllu", CATS)
    wait_for_forms(page, ["Cats", "sleep", "."])
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Peter drives a")
    wait_for_forms(page, ["Peter", "drives", "a"])
    with page.expect_download() as download:
        page.locator("#save-conllu").click()
    assert download.value.suggested_filename == "text.conllu"


def test_an_unfinished_sentence_is_saved_as_a_tree_and_told(open_page: OpenPage) -> None:
    page = open_page(FakeSession("Peter/PROPN/2/nsubj drives/VERB/0/root a/DET/4/det car/NOUN/2/obj"))
    type_text(page, "Peter drives a")
    wait_for_forms(page, ["Peter", "drives", "a"])
    assert heads_in(saved_conllu(page)) == ["Peter 2", "drives 0", "a 2"]
    wait_for_text(page, "#file-told", "Saved 1 sentence. 1 sentence unfinished: words that wait")


def test_a_text_that_was_brought_back_or_undone_has_its_annotations(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    open_file(page, "cats.conllu", CATS)
    wait_for_forms(page, ["Cats", "sleep", "."])
    edit(page, [], "Wild ")
    wait_for_text(page, "#stage", "as in cats.conllu, 1 word as it is parsed")
    saved = saved_conllu(page)
    wait_for_text(page, "#kept", "Kept in this browser.")
    page.reload()
    wait_for_text(page, "#stage", "as in cats.conllu, 1 word as it is parsed")
    assert saved_conllu(page) == saved
    page.locator("#forget").click()
    wait_for_text(page, "#kept", "Forgotten")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    wait_for_text(page, "#stage", "as in cats.conllu, 1 word as it is parsed")
    assert saved_conllu(page) == saved


def test_a_text_beyond_the_limit_is_told_plainly_and_goes_on(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    page.locator(".cm-content").click()
    paste(page, "word " * 450)
    told = "This text has 2,250 characters, and the server parses 2,000 at most: no new trees until it is"
    wait_for_text(page, "#trouble", told)
    assert not any(len(event.get("text", "")) > 2000 for event in session.all("edit") + session.all("open"))
    page.locator("#save-conllu").click()
    wait_for_text(page, "#file-told", "Not saved: the text is too long to be parsed")
    page.reload()
    wait_for_text(page, "#trouble", told)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("one two")
    wait_for_forms(page, ["one", "two"])
    wait_until(page, lambda: page.locator("#trouble").text_content() == "")
    assert session.text == "one two"
    assert page.mistakes == []
