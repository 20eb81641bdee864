"""What is typed outlives reloading, going back and the end of the browser, until it is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_editor import text_shown, type_text
from page_files import open_file, saved_conllu
from page_trees import wait_for_forms

CONLLU = """\
# sent_id = one
# text = Cats sleep.
1\tCats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


def settle(page: Any) -> None:
    """Until the browser keeps the text."""
    wait_for_text(page, "#kept", "Kept in this browser.")


def texts_kept(page: Any) -> list[str]:
    """What the browser's database has."""
    return [
        *page.evaluate(
            """() => new Promise((resolve, reject) => {
                const opened = indexedDB.open("treewhile", 1);
                opened.onerror = reject;
                opened.onsuccess = () => {
                    const all = opened.result.transaction("texts").objectStore("texts").getAll();
                    all.onsuccess = () => {
                        opened.result.close();
                        resolve(all.result.map(({ text }) => text));
                    };
                };
            })"""
        )
    ]


def test_a_text_is_there_again_after_reloading_and_going_back(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "one two three")
    for _ in "three":
        page.keyboard.press("ArrowLeft")
    page.reload()
    wait_for_forms(page, ["one", "two", "three"])
    page.keyboard.type("and ")
    page.goto("about:blank")
    page.go_back()
    wait_for_forms(page, ["one", "two", "and", "three"])
    assert text_shown(page) == "one two and three"
    assert page.mistakes == []


def test_options_model_and_speed_are_as_they_were_after_reloading(open_page: OpenPage) -> None:
    session = FakeSession(models=["en", "af"])
    page = open_page(session)
    unfold(page, "dial")
    page.locator("#stability").fill("0.5")
    page.locator("#level-L2").uncheck()
    page.locator("#prediction").select_option("later")
    page.locator("#replay-speed").select_option("speech")
    page.locator("#model").select_option("af")
    wait_until(page, lambda: session.all("open")[-1]["options"].get("model") == "af")
    page.reload()
    page.locator("#connection.open").wait_for()
    wait_until(page, lambda: len(session.all("open")) == 3)
    kept = {"stability": 0.5, "risk": 1, "levels": ["L0", "L1"], "prediction": "later", "model": "af"}
    assert session.all("open")[-1]["options"] == kept
    unfold(page, "dial")
    expect(page.locator("#stability")).to_have_value("0.5")
    expect(page.locator("#level-L2")).not_to_be_checked()
    expect(page.locator("#prediction")).to_have_value("later")
    expect(page.locator("#replay-speed")).to_have_value("speech")
    expect(page.locator("#model")).to_have_value("af")


def test_a_file_and_its_trees_are_there_after_reloading(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    open_file(page, "cats.conllu", CONLLU)
    wait_for_forms(page, ["Cats", "sleep", "."])
    page.reload()
    wait_for_forms(page, ["Cats", "sleep", "."])
    assert saved_conllu(page) == CONLLU


def test_windows_keep_their_texts_apart_and_a_new_one_begins_empty(
    new_page: OpenPage, real_server: Any
) -> None:
    one = new_page()
    other = one.context.new_page()
    for page, text in [(one, "the dog"), (other, "the cat")]:
        page.goto(real_server.address)
        type_text(page, text)
        settle(page)
    third = one.context.new_page()
    third.goto(real_server.address)
    third.locator("#connection.open").wait_for()
    assert text_shown(third) == ""
    for page, text in [(one, "the dog"), (other, "the cat")]:
        page.reload()
        page.locator("#connection.open").wait_for()
        assert text_shown(page) == text


def test_a_text_whose_window_was_closed_is_brought_back_or_forgotten_on_demand(
    new_page: OpenPage, real_server: Any
) -> None:
    first = new_page()
    for text in ["the dog barks", "the cat sees"]:
        page = first.context.new_page()
        page.goto(real_server.address)
        type_text(page, text)
        wait_until(page, lambda page=page, text=text: text in texts_kept(page))  # type: ignore[misc]
        page.close(run_before_unload=True)
        wait_until(first, lambda page=page: page.is_closed())  # type: ignore[misc]
    first.goto(real_server.address)
    wait_for_text(first, "#kept", "the cat sees")
    assert text_shown(first) == ""
    asked: list[str] = []
    first.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    first.locator("#forget").click()
    wait_until(first, lambda: asked == ["Forget this text for good?"])
    wait_for_text(first, "#kept", "the cat sees")
    assert sorted(texts_kept(first)) == ["the cat sees", "the dog barks"]
    first.once("dialog", lambda dialog: dialog.accept())
    first.locator("#forget").click()
    wait_for_text(first, "#kept", "the dog barks")
    first.locator("#bring-back").click()
    wait_for_forms(first, ["the", "dog", "barks"])
    settle(first)
    assert texts_kept(first) == ["the dog barks"]


def test_what_is_forgotten_is_kept_nowhere(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    type_text(page, "a secret")
    wait_until(page, lambda: texts_kept(page) == ["a secret"])
    page.locator("#forget").click()
    wait_for_text(page, "#kept", "Forgotten: this browser keeps nothing of it. Ctrl+Z brings it back")
    assert text_shown(page) == ""
    assert texts_kept(page) == []
    page.keyboard.press("Control+z")
    wait_until(page, lambda: texts_kept(page) == ["a secret"])
    expect(page.locator("#kept")).to_have_text("Kept in this browser.")
    page.locator("#forget").click()
    page.locator("#undo-forget").click()
    wait_until(page, lambda: texts_kept(page) == ["a secret"])
    assert page.locator("#undo-forget").is_hidden()
    page.locator("#forget").click()
    wait_until(page, lambda: texts_kept(page) == [])
    assert "secret" not in page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")
    page.reload()
    page.locator("#connection.open").wait_for()
    assert text_shown(page) == ""
    assert page.mistakes == []


NO_DATABASE = (
    "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('', 'SecurityError'); } });"
)
NO_STORAGE = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"


def test_leaving_asks_where_the_browser_keeps_nothing(open_page: OpenPage, browser: Any) -> None:
    page = open_page(FakeSession(), script=NO_DATABASE + NO_STORAGE)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    type_text(page, "a text")
    wait_for_text(page, "#kept", "This browser cannot keep the text")
    page.close(run_before_unload=True)
    wait_until(page, lambda: asked == ["beforeunload"])
    assert text_shown(page) == "a text"
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("#kept")).to_be_empty()
    assert page.mistakes == []


def test_without_a_database_a_reload_loses_nothing(open_page: OpenPage) -> None:
    page = open_page(FakeSession(), script=NO_DATABASE)
    page.on("dialog", lambda dialog: dialog.accept())
    type_text(page, "a text")
    wait_for_text(page, "#kept", "This browser cannot keep the text")
    page.reload()
    page.locator("#connection.open").wait_for()
    assert text_shown(page) == "a text"


def test_a_text_outlives_the_end_of_the_browser(
    start_browser: Callable[[], Any], kill_browser: Callable[[Path], None], real_server: Any, tmp_path: Path
) -> None:
    page = start_browser().pages[0]
    page.goto(real_server.address)
    type_text(page, "the dog barks")
    settle(page)
    wait_until(page, lambda: texts_kept(page) == ["the dog barks"])
    kill_browser(tmp_path / "profile")
    again = start_browser().pages[0]
    again.goto(real_server.address)
    wait_for_forms(again, ["the", "dog", "barks"])
    wait_for_text(again, "#kept", "Brought back what was here when the browser ended.")
    again.locator("#forget").click()
    wait_for_text(again, "#kept", "Forgotten")
    assert texts_kept(again) == []
