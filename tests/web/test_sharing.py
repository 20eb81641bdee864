"""A link that carries a text, its model and the open part: made by a teacher, opened by a pupil."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_editor import text_shown, type_text
from page_files import open_file, saved_conllu
from page_trees import wait_for_forms

CAT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root"
KEPT = "This text comes from a link. What stood here before is kept"
CONLLU = """\
# text = Cats sleep
1\tCats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\t_

"""


def copied_link(page: Any) -> str:
    page.evaluate("navigator.clipboard.writeText = async text => void (window.copied = text)")
    page.locator("#copy-link").click()
    wait_for_text(page, "#shared", "Copied")
    return str(page.evaluate("window.copied"))


def follow(page: Any, **fields: str) -> None:
    page.evaluate("hash => { location.hash = hash; }", urlencode(fields))


def models_asked(session: FakeSession) -> list[Any]:
    return [event["options"].get("model") for event in session.all("open") if event["document"] == "page"]


def test_a_teacher_sends_an_exercise_and_a_pupil_opens_it(open_page: OpenPage, new_page: Any) -> None:
    page = open_page(FakeSession(CAT, models=["en", "nl"]))
    page.goto("http://localhost:1/?token=secret&lang=en")
    type_text(page, "The cat sleeps")
    wait_for_forms(page, ["The", "cat", "sleeps"])
    page.locator("#model").select_option("nl")
    unfold(page, "word-practice")
    link = copied_link(page)
    assert link == "http://localhost:1/#text=The+cat+sleeps&model=nl&part=word-practice"
    session = FakeSession(CAT, models=["en", "nl"])
    pupil = open_page(session)
    asked: list[str] = []
    pupil.on("request", lambda request: asked.append(request.url))
    pupil.goto("about:blank")
    pupil.goto(link)
    wait_for_forms(pupil, ["The", "cat", "sleeps"])
    wait_until(pupil, lambda: models_asked(session)[-1] == "nl")
    expect(pupil.locator("#model")).to_have_value("nl")
    expect(pupil.locator("#word-practice")).to_have_attribute("open", "")
    expect(pupil.locator("#word-practice summary")).to_be_focused()
    wait_for_text(pupil, "#shared", "This text comes from a link.")
    assert not any("cat" in url for url in asked if "#" not in url)
    pupil.reload()  # goes on with what is the pupil's own now
    pupil.locator("#connection.open").wait_for()
    assert text_shown(pupil) == "The cat sleeps"
    assert pupil.url == "http://localhost:1/"
    assert page.mistakes == pupil.mistakes == []


def test_what_stood_here_is_kept_and_offered(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "my own words")
    follow(page, text="an exercise", part="practise")
    wait_for_text(page, "#shared", KEPT)
    assert text_shown(page) == "an exercise"
    expect(page.locator("#practice")).to_have_attribute("open", "")
    wait_for_text(page, "#kept", "Kept in this browser.")
    page.reload()
    page.locator("#connection.open").wait_for()
    assert text_shown(page) == "an exercise"
    page.locator("#forget").click()
    wait_for_text(page, "#kept", "my own words")
    page.locator("#bring-back").click()
    wait_until(page, lambda: text_shown(page) == "my own words")
    page.reload()
    page.locator("#connection.open").wait_for()
    assert text_shown(page) == "my own words"
    assert page.mistakes == []


def test_a_file_with_corrections_is_kept_too(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    open_file(page, "cats.conllu", CONLLU)
    wait_until(page, lambda: text_shown(page) == "Cats sleep")
    follow(page, text="an exercise")
    wait_for_text(page, "#shared", KEPT)
    expect(page.locator("#file-told")).to_be_empty()
    page.locator("#forget").click()
    expect(page.locator("#shared")).to_be_empty()
    page.locator("#bring-back").click()
    wait_until(page, lambda: text_shown(page) == "Cats sleep")
    assert saved_conllu(page) == CONLLU
    assert page.mistakes == []


def test_the_same_text_sets_nothing_aside(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "the same")
    follow(page, text="the same")
    wait_for_text(page, "#shared", "This text comes from a link.")
    page.locator("#forget").click()
    wait_for_text(page, "#kept", "Forgotten")
    expect(page.locator("#bring-back")).to_be_hidden()


def test_hostile_links_change_nothing(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "my own words")
    for fields in ({"text": "a" * 9000}, {"text": " "}, {"text": "a", "part": "x" * 200}):
        follow(page, text="")
        follow(page, **fields)
        wait_for_text(page, "#shared", "The link is damaged, too long, or without a text")
        assert text_shown(page) == "my own words"
    follow(page, text="<img src=x onerror=alert(1)>\0", model="../../etc", part='"] , body')
    wait_for_text(page, "#shared", KEPT)
    assert text_shown(page).startswith("<img src=x onerror=alert(1)>")
    assert page.locator("#editor img").count() == 0
    assert models_asked(session)[-1] in (None, "en")
    assert page.mistakes == []


def test_where_nothing_can_be_kept_the_text_stays(open_page: OpenPage) -> None:
    no_database = "Object.defineProperty(window, 'indexedDB', { value: { open() { return {}; } } });"
    page = open_page(FakeSession(), no_database)
    type_text(page, "my own words")
    follow(page, text="an exercise")
    wait_for_text(page, "#shared", "this browser cannot keep what stands here")
    assert text_shown(page) == "my own words"


def test_a_long_text_gets_no_link_and_says_so(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    page.locator(".cm-content").fill("word " * 1700)
    page.locator("#copy-link").click()
    wait_for_text(page, "#shared", "The text is too long for a link")
