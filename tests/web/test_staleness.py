"""What the page says while its server is away, silent, or not ready yet."""

from __future__ import annotations

import os
import re
import signal
from typing import Any

from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, unfold, wait_for_text, wait_until
from page_editor import type_text
from page_looks import barriers
from page_trees import wait_for_forms

from treewhile.server.protocol.close_codes import RESTART
from treewhile.server.protocol.frames import farewell

CAT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root"
SOON = 10_000  # milliseconds; with something said, an unanswered question shows after 4000, else after 12,000


def test_a_server_that_falls_silent_is_told_soon_and_the_tree_is_not_called_settled(
    open_real_page: OpenPage, mortal_server: Any
) -> None:
    mortal_server.wait_until_ready()  # since who still compiles is waited for longer
    page = open_real_page(mortal_server)
    type_text(page, "the dog barks")
    wait_for_forms(page, ["the", "dog", "barks"])
    wait_for_text(page, "#stage", "settled")
    os.killpg(mortal_server.process.pid, signal.SIGSTOP)
    page.keyboard.type(" very")
    expect(page.locator("#connection")).to_have_text("the server does not answer; go on typing", timeout=SOON)
    expect(page.locator("#stage")).to_have_text("not up to date: the server is away")
    expect(page.locator("#tree-card")).to_have_class(re.compile("stale"))
    os.killpg(mortal_server.process.pid, signal.SIGCONT)
    wait_for_forms(page, ["the", "dog", "barks", "very"])
    expect(page.locator("#connection")).to_have_text("connected")
    expect(page.locator("#tree-card")).not_to_have_class(re.compile("stale"))


def test_a_server_that_is_killed_leaves_a_tree_that_is_not_called_settled(
    open_real_page: OpenPage, mortal_server: Any
) -> None:
    page = open_real_page(mortal_server)
    type_text(page, "the dog barks")
    wait_for_forms(page, ["the", "dog", "barks"])
    wait_for_text(page, "#stage", "settled")
    mortal_server.kill()
    expect(page.locator("#stage")).to_have_text("as it was when the server was last there")
    page.keyboard.type(" very")
    expect(page.locator("#stage")).to_have_text("not up to date: the server is away")


def test_the_heading_does_not_give_a_sentence_that_has_no_tree_the_tree_of_another(
    open_page: OpenPage,
) -> None:
    session = FakeSession()
    page = open_page(session)
    heading = page.locator("#tree-heading")
    type_text(page, "one two.")
    wait_for_forms(page, ["one", "two", "."])
    session.is_away = True
    session.socket.close(code=1012)
    wait_for_text(page, "#stage", "as it was when the server was last there")
    expect(heading).to_have_text("Tree of this sentence")
    page.keyboard.type(" A")
    expect(heading).to_have_text("Tree of another sentence: this one has none yet")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(heading).to_have_text("Tree of this sentence")
    page.keyboard.press("End")
    expect(heading).to_have_text("Tree of another sentence: this one has none yet")
    session.is_away = False
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(heading).to_have_text("Tree of this sentence")
    assert page.mistakes == []


def steps_asked(session: FakeSession) -> list[dict[str, Any]]:
    """The steps of the text that were asked for, back and forth."""
    asked = session.all("step") + session.all("undo")
    return [event for event in asked if event["document"] == "page"]


def test_a_step_while_the_server_is_away_says_why_nothing_is_done(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    type_text(page, "The cat sleeps")
    for part in ("steps", "practice"):
        unfold(page, part)
    wait_for_text(page, "#steps-told", "can still be")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    session.is_away = True
    session.socket.close(code=1012)
    page.locator("#connection.waiting").wait_for()
    for part in ("steps", "practice"):
        for key in ("s", "u"):
            page.locator(f"#{part} [data-step=undo]").focus()
            page.keyboard.press(key)
            wait_for_text(page, f"#{part}-told", "The server is away: steps can be made once it is back.")
    session.is_away = False
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_for_text(page, "#steps-told", "can still be")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    assert steps_asked(session) == []
    page.locator("#steps [data-step=undo]").click()
    expect(page.locator("#steps .stack")).to_have_text("root")
    page.keyboard.press("u")
    wait_for_text(page, "#steps-told", "There is no step to take back.")
    assert len(steps_asked(session)) == 1
    assert page.mistakes == []


def test_a_device_that_goes_offline_says_so_at_once_and_comes_back_at_once(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "one two")
    wait_for_text(page, "#stage", "settled")
    session.is_silent = True
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.locator("#connection")).to_have_class("silent", timeout=SOON)
    expect(page.locator("#stage")).to_have_text("as it was when the server was last there")
    session.is_silent = False
    session.is_away = True
    session.socket.close(code=1012)
    page.locator("#connection.waiting").wait_for()
    session.is_away = False
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#connection")).to_have_text("connected")
    wait_for_text(page, "#stage", "settled")


def test_the_wait_counts_down_and_is_cut_short_by_hand(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "one two")
    wait_for_forms(page, ["one", "two"])
    expect(page.locator("#try-now")).to_be_hidden()
    session.is_away = True
    goodbye = farewell(RESTART)
    retry = {"type": "goodbye", "code": 1012, "reason": goodbye.reason, "temporary": True, "retry_after": 40}
    session.say(retry)
    session.socket.close(code=1012, reason=goodbye.reason)
    wait_for_text(page, "#connection", "not connected: the server restarts; go on typing")
    seconds = lambda: int(re.sub(r"\D", "", page.locator("#countdown").text_content()))  # noqa: E731
    first = seconds()
    assert first > 30
    wait_until(page, lambda: seconds() < first)
    page.keyboard.type(" three")
    assert barriers(page) == []
    session.is_away = False
    page.locator("#try-now").click()
    wait_for_forms(page, ["one", "two", "three"])
    expect(page.locator("#countdown")).to_be_empty()
    expect(page.locator("#try-now")).to_be_hidden()
    assert page.mistakes == []


def test_while_the_server_gets_ready_the_page_says_what_it_waits_for_and_keeps_the_text(
    open_page: OpenPage,
) -> None:
    session = FakeSession()
    page = open_page(session)
    session.is_held = True
    bar = page.get_by_role("progressbar", name="The search is being compiled.")
    for share in (0.25, 0.5):
        session.say(
            {
                "type": "readiness",
                "levels": ["L0"],
                "share": share,
                "waits_for": "The search is being compiled.",
            }
        )
        expect(bar).to_have_js_property("value", share)
    type_text(page, "one two")
    assert barriers(page) == []
    session.is_held = False
    session.answer()
    session.say({"type": "readiness", "levels": ["L0", "L1", "L2"], "share": 1, "waits_for": ""})
    expect(page.get_by_role("progressbar")).to_have_count(0)
    wait_for_forms(page, ["one", "two"])
    assert page.mistakes == []
