"""CoNLL-U that is opened in the page and saved from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fake_sessions import FakeSession
from page_actions import wait_for_text, wait_until
from page_editor import text_shown, type_text
from page_files import open_file, saved_conllu
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


def test_what_is_opened_and_saved_is_the_same_file(
    open_real_page: Callable[..., Any], real_server: Any
) -> None:
    page = open_real_page(real_server)
    open_file(page, "cats.conllu", CATS.encode())
    wait_for_text(page, "#file-told", "Opened 2 sentences of cats.conllu")
    assert text_shown(page) == "Cats sleep.\n\nI cannot go"
    assert saved_conllu(page) == CATS
    wait_for_text(page, "#file-told", "Saved 2 sentences.")
    assert page.mistakes == []


def test_what_is_typed_beside_sentences_of_a_file_is_saved_as_it_is_parsed(
    open_real_page: Callable[..., Any], real_server: Any
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
    open_real_page: Callable[..., Any], real_server: Any
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


def test_sentences_of_a_file_are_not_run_together(
    open_real_page: Callable[..., Any], real_server: Any
) -> None:
    page = open_real_page(real_server)
    no_stop = CATS.replace("# text = Cats sleep.", "# text = Cats sleep")
    open_file(page, "cats.conllu", no_stop)
    wait_for_forms(page, ["Cats", "sleep"])


def test_the_same_file_opened_twice_is_the_same_tree(open_page: Callable[..., Any]) -> None:
    session = FakeSession()
    page = open_page(session)
    open_file(page, "cats.conllu", CATS)
    wait_for_forms(page, ["Cats", "sleep", ".", "I", "cannot", "go"])
    session.is_held = True
    open_file(page, "cats.conllu", CATS)
    page.wait_for_function("() => document.getElementById('file').value === ''")
    assert drawn_forms(page) == ["Cats", "sleep", ".", "I", "cannot", "go"]
    assert len(session.all("edit")) == 1


@pytest.mark.parametrize("answer", ["accept", "dismiss"])
def test_opening_asks_before_it_replaces_what_is_not_saved(
    open_page: Callable[..., Any], answer: str
) -> None:
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


def test_opening_does_not_ask_after_saving(open_page: Callable[..., Any]) -> None:
    page = open_page(FakeSession())
    type_text(page, "my own words")
    wait_for_forms(page, ["my", "own", "words"])
    assert "my" in saved_conllu(page)
    open_file(page, "cats.conllu", CATS)
    wait_for_text(page, "#file-told", "Opened 2 sentences")


def test_saving_nothing_says_that_there_is_nothing(open_page: Callable[..., Any]) -> None:
    session = FakeSession()
    page = open_page(session)
    saved: list[Any] = []
    page.on("download", lambda download: saved.append(download))
    page.locator("#save-conllu").click()
    wait_for_text(page, "#file-told", "There is nothing to save: the text is empty.")
    session.is_held = True
    type_text(page, "one")
    page.locator("#save-conllu").click()
    wait_for_text(page, "#file-told", "There is nothing to save yet: no sentence has been parsed.")
    assert saved == []


def test_a_file_that_is_no_text_is_told(open_page: Callable[..., Any]) -> None:
    page = open_page(FakeSession())
    open_file(page, "cats.conllu", CATS.replace("rest", "fr\xe9").encode("latin-1"))
    wait_for_text(page, "#file-told", "cats.conllu cannot be opened: it is not a text in UTF-8.")
