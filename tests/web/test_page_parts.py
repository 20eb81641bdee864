"""What the page shows on demand, each part in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, texts_watched, unfold, wait_for_text, wait_until, watch_texts
from page_editor import text_shown, type_text
from page_files import open_file, saved_conllu
from page_looks import barriers, barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import text_of, wait_for_forms

PARTS = ["steps", "dial", "comparison", "latency", "practice", "word-practice"]

CAT = "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root"

CONFLICTS = [
    {"constraint": "one determiner", "penalty": 0, "words": [2, 1], "message": "One determiner, not *the a*."}
]
TOLD = "One determiner, not the a."
ARABIC = "القطة/NOUN/3/nsubj الصغيرة/ADJ/1/amod تنام/VERB/0/root في/ADP/5/case الحديقة/NOUN/3/obl"
HEBREW = "הכלב/NOUN/3/nsubj הזקן/ADJ/1/amod נובח/VERB/0/root על/ADP/5/case הדוור/NOUN/3/obl"

CONLLU = """\
# text = Cats sleep.
1\tCats\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tsleep\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def expect_boxes(page: Any, part: str, kind: str, forms: list[str]) -> None:
    expect(page.locator(f"#{part} .{kind} li")).to_have_text(forms)


def test_next_steps_are_asked_for_only_while_they_are_shown(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    type_text(page, "The cat sleeps")
    wait_for_forms(page, ["The", "cat", "sleeps"])
    assert session.all("ask_steps") == []
    unfold(page, "steps")
    wait_for_text(page, "#steps-told", "can still be")
    unfold(page, "steps")
    streams = [["analyses", "steps"], ["analyses"]]
    wait_until(page, lambda: [event["options"]["streams"] for event in session.all("options")] == streams)
    assert page.mistakes == []


def about_to_take(open_page: OpenPage, session: FakeSession, text: str, says: str) -> Any:
    """The page with a text, its steps unfolded, and the focus on a shift that says something."""
    page = open_page(session)
    type_text(page, text)
    unfold(page, "steps")
    wait_for_text(page, "#steps [data-step=shift]", says)
    page.locator("#steps [data-step=shift]").focus()
    return page


def driving(open_page: OpenPage, session: FakeSession) -> Any:
    """The page after one step by hand."""
    page = about_to_take(open_page, session, "The cat sleeps", "take cat")
    wait_for_text(page, "#steps-told", "can still be")
    page.keyboard.press("s")
    wait_for_text(page, "#steps-told", "You are driving")
    return page


def practising(open_page: OpenPage, session: FakeSession, **options: Any) -> Any:
    """The page with the practice unfolded, before the first step."""
    page = open_page(session, **options)
    unfold(page, "practice")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    return page


def test_next_steps_show_the_configuration_and_light_the_optimal_step(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT))
    type_text(page, "The cat sleeps")
    unfold(page, "steps")
    wait_for_text(page, "#steps-told", "100% of the arcs of the best parse")
    expect_boxes(page, "steps", "stack", ["root", "The"])
    expect_boxes(page, "steps", "remaining", ["cat", "sleeps"])
    expect(page.locator("#steps .optimal").first).to_be_visible()
    expect(page.locator("#steps [data-step=reduce_right]")).to_have_attribute("aria-disabled", "true")
    assert page.mistakes == []


def test_a_step_by_hand_is_made_and_taken_back_by_keys(open_page: OpenPage) -> None:
    page = driving(open_page, FakeSession(CAT))
    expect_boxes(page, "steps", "stack", ["root", "The", "cat"])
    page.keyboard.press("u")
    expect_boxes(page, "steps", "stack", ["root", "The"])
    expect(page.locator("#give-back")).to_be_hidden()
    assert page.mistakes == []


def drawn_arcs(page: Any) -> list[str]:
    """The words under Next steps with the arcs that have been made."""
    return [*page.locator("#steps-tree .word").evaluate_all("words => words.map(word => word.ariaLabel)")]


def test_who_drives_sees_the_arcs_of_the_steps_and_can_go_back_to_those_of_the_parser(
    open_page: OpenPage,
) -> None:
    page = driving(open_page, FakeSession(CAT))
    page.keyboard.press("r")
    drawn = ["The, DET, det of 2 cat", "cat, NOUN", "sleeps, VERB"]
    wait_until(page, lambda: drawn_arcs(page) == drawn)
    for stack in (["root", "The", "cat"], ["root", "The"]):
        page.keyboard.press("u")
        expect_boxes(page, "steps", "stack", stack)
    expect(page.locator("#give-back")).to_be_hidden()
    page.keyboard.press("u")
    expect_boxes(page, "steps", "stack", ["root"])
    wait_for_text(page, "#steps-told", "You are driving")
    page.locator("#give-back").click()
    expect_boxes(page, "steps", "stack", ["root", "The"])
    expect(page.locator("#give-back")).to_be_hidden()
    expect(page.locator("#steps-told")).not_to_contain_text("driving")
    assert page.mistakes == []


def test_steps_by_hand_stay_while_one_types_on_and_it_is_told_when_their_words_change(
    open_page: OpenPage,
) -> None:
    session = FakeSession(CAT)
    page = driving(open_page, session)
    type_text(page, " now")
    expect_boxes(page, "steps", "remaining", ["sleeps", "now"])
    expect_boxes(page, "steps", "stack", ["root", "The", "cat"])
    expect(page.locator("#steps-told")).to_contain_text("You are driving")
    page.keyboard.press("ControlOrMeta+Home")
    for _ in "The c":
        page.keyboard.press("ArrowRight")
    page.keyboard.type("h")
    wait_until(page, lambda: session.text == "The chat sleeps now")
    session.say(session.next_steps("page", session.documents["page"]))
    expect_boxes(page, "steps", "stack", ["root", "The"])
    expect(page.locator("#steps-told")).to_contain_text(
        "Your steps were taken back, since their words have changed."
    )
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type(" again")
    expect_boxes(page, "steps", "remaining", ["chat", "sleeps", "now", "again"])
    expect(page.locator("#steps-told")).not_to_contain_text("taken back")
    assert page.mistakes == []


def test_at_the_end_the_page_says_whether_the_arcs_are_made(open_page: OpenPage) -> None:
    page = about_to_take(open_page, FakeSession(CAT), "The cat sleeps", "take cat")
    root, the, cat, sleeps = "root", "The", "cat", "sleeps"

    def press(*walk: tuple[str, list[str]]) -> None:
        for key, stack in walk:
            page.keyboard.press(key)
            expect_boxes(page, "steps", "stack", stack)

    press(
        ("s", [root, the, cat]),
        ("r", [root, cat]),
        ("s", [root, cat, sleeps]),
        ("r", [root, sleeps]),
        ("l", [root]),
    )
    end = "The sentence is parsed to its end."
    wait_for_text(page, "#steps-told", f"{end} Some arcs of the best parse are not made")
    unfold(page, "steps-more")
    expect(page.locator("#steps-figures")).to_have_text("There is no step left that could make an arc.")
    press(("u", [root, sleeps]), ("u", [root, cat, sleeps]), ("u", [root, cat]), ("u", [root, the, cat]))
    press(("s", [root, the, cat, sleeps]), ("l", [root, the, cat]), ("l", [root, the]), ("l", [root]))
    wait_for_text(page, "#steps-told", f"{end} All arcs of the best parse are made.")
    assert page.mistakes == []


def test_waiting_is_a_step_like_the_others(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    session.is_open = True
    page = about_to_take(open_page, session, "The cat", "take cat")
    page.keyboard.press("s")
    shift = "#steps [data-step=shift]"
    wait_for_text(page, shift, "wait for the next word")
    expect(page.locator(f"{shift} .title")).to_have_text("Wait")
    expect(page.locator(shift)).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("s")
    wait_for_text(page, "#steps-told", "The next word is not there yet")
    assert len(session.all("step")) == 1
    assert page.mistakes == []


def test_steps_say_which_arcs_they_make_and_lose(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    session.is_open = True
    page = about_to_take(open_page, session, "The cat sleeps", "take cat")
    page.keyboard.type("ss")
    left, right = (page.locator(f"#steps [data-step=reduce_{side}]") for side in ("left", "right"))
    expect(left.locator(".says")).to_have_text("attach sleeps to cat as its root")
    expect(left.locator(".attainable")).to_have_text("attains 3, advised")
    expect(left.locator(".losses")).to_have_text("")
    expect(right.locator(".losses")).to_have_text("loses cat under The, sleeps under cat")
    expect(page.locator("#steps-figures")).to_contain_text("entries filled")
    expect(page.locator("#steps-figures")).to_be_hidden()
    unfold(page, "steps-more")
    expect(page.locator("#steps-figures")).to_be_visible()
    assert page.mistakes == []


@pytest.mark.parametrize("where", ["steps", "practice"])
def test_the_plan_is_shown_when_asked(open_page: OpenPage, where: str) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    type_text(page, "The cat sleeps")
    unfold(page, where)
    expect(page.locator(f"#{where} .stack li").first).to_be_visible()
    assert not any(event.get("plan") for event in session.all("ask_steps"))
    unfold(page, f"{where}-plan")
    wait_until(page, lambda: any(event.get("plan") for event in session.all("ask_steps")))
    items = page.locator(f"#{where}-planned li")
    first = {"steps": "take cat", "practice": "take The"}[where]
    expect(items.first).to_have_text(first)
    keep_picture(page, f"{where}-plan")
    assert barriers(page) == []
    if where == "practice":
        page.locator("#practice [data-step=shift]").click()
        expect(items.first).to_have_text("take dog, to which The belongs")
    assert page.mistakes == []


def test_a_step_by_hand_is_made_again_after_the_session_is_lost(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = driving(open_page, session)
    session.socket.close(code=1012)
    wait_until(page, lambda: len(session.all("step")) == 2)
    wait_until(page, lambda: session.documents["page"].steps.made == 1)
    expect_boxes(page, "steps", "stack", ["root", "The", "cat"])
    page.keyboard.press("u")
    expect_boxes(page, "steps", "stack", ["root", "The"])
    assert session.documents["page"].steps.by_hand is None


def test_the_time_dial_says_what_it_is_turned_to_and_takes_effect(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    unfold(page, "dial")
    page.locator("#time-limit").focus()
    page.keyboard.press("Home")
    wait_for_text(page, "#time-limit-told", "no time")
    page.keyboard.press("ArrowRight")
    wait_for_text(page, "#time-limit-told", "5 ms a word")
    page.locator("#stability").focus()
    page.keyboard.press("End")
    page.locator("#level-L2").uncheck()
    page.locator("#prediction").select_option("later")
    wait_until(page, lambda: len(session.all("options")) == 5)
    assert session.all("open")[0]["options"] == {"stability": 0.25, "risk": 1}
    assert [event["options"] for event in session.all("options")] == [
        {"time_limit": 0},
        {"time_limit": 0.005},
        {"stability": 1},
        {"levels": ["L0", "L1"]},
        {"prediction": "later"},
    ]
    assert page.mistakes == []


def test_committed_and_best_stand_side_by_side_and_follow_the_text(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    type_text(page, "The cat")
    unfold(page, "comparison")
    type_text(page, " sleeps")
    for tree in ["committed-tree", "best-tree"]:
        wait_for_forms(page, ["The", "cat", "sleeps"], tree)
    wait_for_text(page, "#comparison-told", "Both parses are the same.")
    opened = session.all("open")[1]
    assert (opened["document"], opened["options"]) == ("committed-1", {"levels": ["L0"]})
    committed = {**session.analysis("The cat sleeps", session.version), "document": "committed-1"}
    committed["words"][1] |= {"tag": "VERB"}
    session.say(committed)
    wait_for_text(page, "#comparison-told", "Tags differ at 1 of 3 words: “cat”.")
    committed["words"][2] |= {"head": 1}
    session.say({**committed, "number": committed["number"] + 1})
    told = "Heads or relations differ at 1 of 3 words: “sleeps”. Tags differ at 1 of 3 words: “cat”."
    wait_for_text(page, "#comparison-told", told)
    unfold(page, "comparison")
    wait_until(page, lambda: [event["document"] for event in session.all("close")] == ["committed-1"])
    assert page.mistakes == []


# Of each word of a tree: from the top of the tree to the word.
DEPTHS = """tree => [...tree.shadowRoot.querySelectorAll(".word .form")].map(
    form => Math.round(form.getBoundingClientRect().top - tree.getBoundingClientRect().top))"""
MARKED = """tree => [...tree.shadowRoot.querySelectorAll("[data-differing] .form")].map(
    form => form.textContent)"""
MARKED_ARCS = "tree => tree.shadowRoot.querySelectorAll('.arc[data-differing]').length"


@pytest.mark.parametrize("width", [400, 1280])
def test_what_differs_is_marked_in_committed_and_best_and_words_stand_at_the_same_height(
    open_page: OpenPage, width: int
) -> None:
    forms = ["the", "old", "and", "tired", "cat", "near", "me", "sleeps"]
    session = FakeSession(" ".join(f"{form}/NOUN/{place}/dep" for place, form in enumerate(forms)))
    page = open_page(session, viewport={"width": width, "height": 800})
    type_text(page, " ".join(forms))
    unfold(page, "comparison")
    trees = [page.locator(f"#{name}-tree") for name in ("committed", "best")]
    for name in ("committed-tree", "best-tree"):
        wait_for_forms(page, forms, name)
    committed = {**session.analysis(" ".join(forms), session.version), "document": "committed-1"}
    for place in range(3):
        committed["words"][place] |= {"head": 8 - place}
    session.say({**committed, "number": committed["number"] + 1})
    wait_for_text(page, "#comparison-told", "differ at 3 of 8 words")
    for tree in trees:
        wait_until(page, lambda tree=tree: tree.evaluate(MARKED) == forms[:3])
        assert tree.evaluate(MARKED_ARCS) >= 3, "an arc over several rows has several parts"
    wait_until(page, lambda: trees[0].evaluate(DEPTHS) == trees[1].evaluate(DEPTHS))
    page.set_viewport_size({"width": 1280 if width == 400 else 400, "height": 800})
    wait_until(page, lambda: trees[0].evaluate(DEPTHS) == trees[1].evaluate(DEPTHS))
    same = {**session.analysis(" ".join(forms), session.version), "document": "committed-1"}
    session.say({**same, "number": same["number"] + 1})
    wait_until(page, lambda: trees[0].evaluate(MARKED) == trees[1].evaluate(MARKED) == [])
    assert page.mistakes == []


def test_the_latency_of_each_word_is_a_bar(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT))
    unfold(page, "latency")
    type_text(page, "The cat sleeps")
    wait_for_text(page, "#latency-told", "Median of the last 3 words")
    expect(page.locator("#latency-chart .first")).to_have_count(3)
    titles = page.locator("#latency-chart .first title").all_text_contents()
    assert [title.partition(":")[0] for title in titles] == ["The", "cat", "sleeps"]
    assert page.mistakes == []


def test_practice_is_played_from_the_first_step_to_the_last(open_page: OpenPage) -> None:
    session = FakeSession()
    page = practising(open_page, session)
    expect_boxes(page, "practice", "stack", ["root"])
    expect(page.locator("#practice .attainable", has_text="attains")).to_have_count(0)
    page.locator("#practice [data-step=shift]").focus()
    for number, key in enumerate("ssrsrsll", 1):
        page.keyboard.press(key)
        wait_for_text(page, "#practice-score", f"{number} of {number} steps right at once")
    wait_for_text(page, "#practice-score", "Done. 8 of 8 steps right at once, 4 of 4 arcs made.")
    expect(page.locator("#practice-tree .label")).to_have_count(4)
    assert sorted(page.locator("#practice-tree .label").all_text_contents()) == [
        "det",
        "nsubj",
        "punct",
        "root",
    ]
    keep_picture(page, "practice")
    assert page.mistakes == []


def test_the_buttons_of_the_practice_say_what_their_steps_would_do(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession())
    says = page.locator("#practice-board .says")
    expect(says).to_have_text(["take The", "", ""])
    page.locator("#practice [data-step=shift]").click()
    expect(says).to_have_text(["take dog", "make The the root", ""])
    page.locator("#practice [data-step=shift]").click()
    expect(says).to_have_text(["take barks", "attach dog to The", "attach The to dog"])
    expect(says.last.locator("em[lang=en]")).to_have_text(["The", "dog"])
    expect(page.locator("#practice .losses", has_text="under")).to_have_count(0)


def test_a_wrong_step_is_told_in_words_and_counts_although_it_is_taken_back(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession())
    page.locator("#practice [data-step=shift]").click()
    wait_for_text(page, "#practice-told[data-verdict=right]", "✓ Right: take The.")
    page.locator("#practice [data-step=reduce_left]").click()
    told = "✗ Not the best step: it loses the arc The under dog. This keeps it: Shift: take dog."
    expect(page.locator("#practice-told[data-verdict=wrong]")).to_have_text(told)
    wait_for_text(page, "#practice-score", "1 of 2 steps right at once")
    page.locator("#practice [data-step=undo]").click()
    expect_boxes(page, "practice", "stack", ["root", "The"])
    wait_for_text(page, "#practice-told", "Taken back. The score goes by the first choice at each place.")
    page.keyboard.press("s")
    wait_for_text(page, "#practice-told[data-verdict=right]", "✓ Right: take dog.")
    page.keyboard.press("r")
    wait_for_text(page, "#practice-told[data-verdict=right]", "✓ Right: attach The to dog, as determiner.")
    wait_for_text(page, "#practice-score", "2 of 3 steps right at once")
    for _ in range(3):
        page.keyboard.press("u")
    expect_boxes(page, "practice", "stack", ["root"])
    wait_for_text(page, "#practice-score", "2 of 3 steps right at once, 0 of 4 arcs made.")
    assert page.mistakes == []


def test_hints_for_a_step_nudge_first_then_name_words_then_tell(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession())
    hint = page.locator("#practice-hint")
    page.locator("#practice [data-step=shift]").focus()
    page.keyboard.type("ss")
    wait_for_text(page, "#practice-score", "2 of 2 steps right at once")
    page.keyboard.press("?")
    wait_for_text(page, "#practice-told", "Hint: an arc of the tree can be made now.")
    hint.click()
    wait_for_text(page, "#practice-told", "Hint: look at The and dog.")
    hint.click()
    wait_for_text(page, "#practice-told", "The step: Reduce right: attach The to dog.")
    expect(hint).to_be_disabled()
    page.keyboard.press("r")
    wait_for_text(page, "#practice-score", "2 of 3 steps right at once, 1 of 4 arcs made. 3 hints.")
    page.keyboard.press("?")
    wait_for_text(page, "#practice-told", "Hint: it is too early for an arc.")
    page.keyboard.press("?")
    wait_for_text(page, "#practice-told", "Hint: look at dog and barks.")
    assert page.mistakes == []


def test_steps_that_are_equally_good_are_both_right(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession())
    page.locator("#practice-sentence").select_option(label="A man came who sold clocks.")
    wait_for_text(page, "#practice .remaining", "clocks")
    why = "since its own arc, from man, crosses another one that is kept"
    for key, told in (
        ("s", "✓ Right: take .. Just as good: Reduce left: attach sold to came."),
        ("l", f"✓ Right: attach sold to came, {why}. Just as good: Shift: take .."),
    ):
        page.locator("#practice-again").click()
        page.locator("#practice [data-step=shift]").focus()
        page.keyboard.type(f"ssrsrssrsl{key}")
        wait_for_text(page, "#practice-score", "11 of 11 steps right at once")
        expect(page.locator("#practice-told[data-verdict=right]")).to_have_text(told)


def test_at_the_end_the_right_tree_stands_beside_what_was_made(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession(), color_scheme="light")
    right = page.locator("#practice-right-tree")
    page.locator("#practice [data-step=shift]").focus()
    for key in "ssllsl":
        page.keyboard.press(key)
    expect(right).to_be_hidden()
    page.keyboard.press("s")
    page.keyboard.press("l")
    wait_for_text(page, "#practice-score", "Done.")
    expect(right).to_be_visible()
    assert "✗" in page.locator("#practice-tree .label").all_text_contents()
    expect(page.locator("#practice-right-tree .label", has_text="✗")).to_have_count(0)
    expect(page.locator("#practice-right-tree .label")).to_have_count(4)
    expect(page.locator("#practice-tree .arc[data-differing] .label").first).to_have_css(
        "fill", "rgb(180, 35, 24)"
    )
    keep_picture(page, "practice-wrong")
    assert page.mistakes == []


def test_the_plan_of_the_practice_has_the_roles_of_the_tree_and_reasons(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession())
    unfold(page, "practice-plan")
    planned = page.locator("#practice-planned li")
    expect(planned).to_have_text(
        [
            "take The",
            "take dog, to which The belongs",
            "attach The to dog, as determiner",
            "take barks, to which dog belongs",
            "attach dog to barks, as subject",
            "take ., which belongs to barks",
            "attach . to barks, as punctuation",
            "make barks the root",
        ]
    )
    page.locator("#practice-sentence").select_option(label="A man came who sold clocks.")
    reason = "since its own arc, from man, crosses another one that is kept"
    expect(planned.filter(has_text=reason)).to_have_count(1)
    page.locator("#practice-sentence").select_option(label="הכלב נובח.")
    expect(planned.filter(has_text="as subject")).to_have_count(1)
    expect(planned.filter(has_text="interjection")).to_have_count(0)


def test_practice_by_keys_alone_tells_of_arcs_that_cross(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    page.locator("#practice > summary").focus()
    page.keyboard.press("Enter")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    page.keyboard.press("Tab")
    page.keyboard.type("A man came")
    page.keyboard.press("Tab")
    wait_for_text(page, "#practice .remaining", "clocks")
    name = [*session.documents][-1]
    wait_for_text(page, "#practice-told", "Which step comes first?")
    for number in range(1, 15):
        step = session.next_steps(name, session.documents[name])["optimal"][0]
        page.keyboard.press({"shift": "s", "reduce_left": "l", "reduce_right": "r"}[step])
        wait_for_text(page, "#practice-score", f"{number} of {number} steps right at once")
    wait_for_text(page, "#practice-score", "Done. 14 of 14 steps right at once, 6 of 7 arcs made.")
    wait_for_text(page, "#practice-score", "Arcs of this tree cross: no steps make more than 6.")
    assert page.mistakes == []


def test_heads_of_a_file_that_are_no_tree_are_told(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    circle = CONLLU.replace("\t0\troot", "\t1\troot")
    open_file(page, "circle.conllu", circle)
    told = 'line 2: the heads of "Cats" and "sleep" go round in a circle'
    wait_for_text(page, "#file-told", f"Sentence 1 is no tree, {told}.")
    unfold(page, "practice")
    option = page.locator("#practice-sentence optgroup").last.locator("option")
    expect(option).to_have_text(f"Cats sleep. (not offered, {told})")
    expect(option).to_be_disabled()
    wait_for_forms(page, ["Cats", "sleep", "."])
    assert saved_conllu(page) == circle
    assert page.mistakes == []


@pytest.mark.parametrize("speed", ["80", "speech"])
def test_a_replay_types_the_text_anew(open_page: OpenPage, speed: str) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    type_text(page, "The cat")
    page.locator("#replay-speed").select_option(speed)
    page.locator("#replay").click()
    # Each edit has its version, also where several are sent as one.
    edits = 7 + 1 + (7 if speed == "80" else 2)
    wait_until(page, lambda: session.version == session.all("open")[0]["version"] + edits)
    expect(page.locator("#replay")).to_have_text("Replay")
    assert session.text == "The cat"
    assert page.mistakes == []


def test_a_file_is_opened_saved_and_kept_for_practice(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    open_file(page, "cats.conllu", CONLLU + CONLLU)
    wait_for_text(page, "#file-told", "Opened 2 sentences of cats.conllu")
    page.wait_for_function("() => document.querySelector('#tree').analysis.words.length === 3")
    assert session.text == "Cats sleep.\n\nCats sleep."
    assert saved_conllu(page) == CONLLU + CONLLU
    unfold(page, "practice")
    group = page.locator("#practice-sentence optgroup").last
    expect(group).to_have_attribute("label", "cats.conllu")
    assert page.mistakes == []


def test_a_file_that_cannot_be_read_is_told(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    open_file(page, "notes.txt", "Hello there\n")
    wait_for_text(page, "#file-told", "notes.txt cannot be opened: line 1 has 1 columns and not 10")
    assert page.mistakes == []


def test_the_language_is_chosen_where_there_are_several(open_page: OpenPage) -> None:
    session = FakeSession(models=["en", "nl"])
    page = open_page(session)
    choice = page.locator("#model")
    expect(choice.locator("option")).to_have_text(["English (en)", "Nederlands (nl)"])
    expect(choice.locator("option").last).to_have_attribute("lang", "nl")
    type_text(page, "De kat slaapt")
    choice.select_option("nl")
    wait_until(page, lambda: session.all("open")[-1]["options"].get("model") == "nl")
    assert session.all("open")[-1]["text"] == "De kat slaapt"
    assert len(session.all("hello")) == 1
    expect(choice).to_have_value("nl")
    expect(page.locator("#tree")).to_have_attribute("lang", "nl")


def test_a_text_in_another_language_can_be_parsed_as_that(open_page: OpenPage) -> None:
    session = FakeSession(models=["en", "nl"])
    page = open_page(session)
    type_text(page, "Ik heb gisteren een boek gelezen")
    notice, button = page.locator("#other-language"), page.locator("#use-other-language")
    expect(notice).to_be_hidden()

    def looks_like(code: str | None) -> None:
        said = {"type": "language", "document": "page", "version": session.version, "looks_like": code}
        session.say(said)

    looks_like("fr")
    expect(page.locator("#other-language-told")).to_have_text(
        "This looks like French. No model knows it here."
    )
    expect(button).to_be_hidden()
    looks_like(None)
    expect(notice).to_be_hidden()
    looks_like("nl")
    expect(page.locator("#other-language-told")).to_have_text("This looks like Dutch.")
    expect(button).to_have_text("Parse it as Dutch")
    button.click()
    wait_until(page, lambda: session.all("open")[-1]["options"].get("model") == "nl")
    expect(notice).to_be_hidden()
    expect(page.locator("#model")).to_have_value("nl")


def test_the_text_its_trees_and_what_is_announced_are_in_the_language_of_the_model(
    open_page: OpenPage,
) -> None:
    session = FakeSession(CAT, models=["en", "af"], conflicts=CONFLICTS)
    page = open_page(session)
    type_text(page, "The cat sleeps")
    unfold(page, "steps")
    for language in ("en", "af"):
        page.locator("#model").select_option(language)
        for place in (
            "#editor .cm-content",
            "#tree",
            "#phrases",
            "#steps-tree",
            "#committed-tree",
            "#best-tree",
        ):
            expect(page.locator(place)).to_have_attribute("lang", language)
        expect(page.locator("#steps .stack")).to_have_attribute("lang", language)
        expect(page.locator("#conflicts em")).to_have_attribute("lang", language)
        spoken = page.locator("#announcer [lang]")
        expect(spoken).to_have_text(["The", "cat", "cat", "sleeps", "sleeps"])
        expect(spoken.first).to_have_attribute("lang", language)
    expect(page.locator("#announcer")).to_have_text(
        "The: determiner of cat, cat: subject of sleeps, sleeps: root"
    )
    expect(page.locator("#tree thead tr")).to_have_attribute("lang", "en")
    assert page.mistakes == []


def test_changes_are_said_in_words_once_a_pause_and_can_be_turned_off(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    announcer = page.locator("#announcer")
    type_text(page, "The cat")
    expect(announcer).to_have_text("The: determiner of cat, cat: subject")
    watch_texts(announcer)
    type_text(page, " sleeps")
    expect(announcer).to_have_text("cat: subject of sleeps, sleeps: root")
    session.learn("The/DET/2/det cat/NOUN/3/obj sleeps/VERB/0/root well/ADV/3/advmod")
    type_text(page, " well")
    expect(announcer).to_have_text("cat: object of sleeps, well: adverb of sleeps")
    assert len(texts_watched(announcer)) == 2
    page.locator("#announces").uncheck()
    expect(announcer).to_be_empty()
    page.reload()
    page.locator("#connection.open").wait_for()
    expect(page.locator("#announces")).not_to_be_checked()
    page.locator("#announces").check()
    type_text(page, "!")
    expect(announcer).to_contain_text("The: determiner of cat")
    assert page.mistakes == []


SCRIPTS = {"latin": CAT, "arabic": ARABIC, "hebrew": HEBREW}
WINDOWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1100, "height": 800}},
    "phone": {"viewport": {"width": 320, "height": 640}, "has_touch": True},
    "zoomed": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},  # 1280 pixels at 200%
}


def open_everything(page: Any) -> None:
    """A sentence with a conflict and a trouble, and all parts of the page unfolded."""
    type_text(page, text_of(CAT))
    wait_for_forms(page, text_of(CAT).split())
    for part in PARTS:
        page.locator(f"#{part} > summary").press("Enter")  # parts that load late move those below them
    wait_for_text(page, "#steps-told", "can still be")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    wait_for_text(page, "#comparison-told", "Both parses are the same.")
    page.locator("#practice [data-step=shift]").click()
    wait_for_text(page, "#practice-score", "1 of 1 steps right at once")
    page.locator("#word-practice-answers button", has_text="dog").click()
    wait_for_text(page, "#word-practice-answers", "determiner")


@pytest.mark.parametrize("window", WINDOWS)
def test_all_parts_fit_the_window_and_keep_nobody_out(open_page: OpenPage, window: str) -> None:
    session = FakeSession(CAT, stable=2, conflicts=CONFLICTS, models=["en", "af"])
    page = open_page(session, **WINDOWS[window])
    open_everything(page)
    trouble = {"type": "error", "code": "failed", "message": "a piece of work failed", "document": "page"}
    for script, known in SCRIPTS.items():
        session.learn(known)
        page.locator(".cm-content").focus()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(text_of(known))
        for tree in ("tree", "committed-tree", "best-tree"):
            wait_for_forms(page, text_of(known).split(), tree)
        session.say(trouble)
        wait_for_text(page, "#trouble", "A piece of work failed.")
        assert fits_the_window(page)
        if script == "latin":
            assert barriers_in_both_schemes(page, f"parts-{window}") == []
        else:
            keep_picture(page, f"parts-{script}-{window}")
            assert barriers(page) == []
    assert page.mistakes == []


def test_the_page_reads_well_aloud(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT, stable=2, conflicts=CONFLICTS, models=["en", "af"]))
    open_everything(page)
    expect(page.locator("body")).to_match_aria_snapshot(
        (Path(__file__).parent / "page.aria.yaml").read_text()
    )


def test_a_sentence_from_right_to_left_is_practised_in_its_language(open_page: OpenPage) -> None:
    page = open_page(FakeSession(), color_scheme="light")
    unfold(page, "practice")
    page.locator("#practice-sentence").select_option(label="הכלב נובח.")
    wait_for_text(page, "#practice .remaining", "נובח")
    wait_for_text(page, "#practice-told", "Which step comes first?")
    page.locator("#practice [data-step=shift]").focus()
    for number, key in enumerate("ssrsll", 1):
        page.keyboard.press(key)
        wait_for_text(page, "#practice-score", f"{number} of {number} steps right at once")
    wait_for_text(page, "#practice-score", "Done. 6 of 6 steps right at once, 3 of 3 arcs made.")
    expect(page.locator("#practice .stack")).to_have_attribute("lang", "he")
    expect(page.locator("#practice .stack")).to_have_attribute("dir", "rtl")
    expect(page.locator("#practice-tree")).to_have_attribute("lang", "he")
    keep_picture(page, "practice-hebrew")
    assert page.mistakes == []


def test_what_goes_wrong_is_told_until_the_server_answers_again(open_page: OpenPage) -> None:
    session = FakeSession(CAT)
    page = open_page(session)
    type_text(page, "The")
    wait_for_forms(page, ["The"])
    session.say({"type": "error", "code": "failed", "message": "a piece of work failed", "document": "page"})
    expect(page.get_by_role("status").filter(has_text="The server says")).to_have_text(
        "The server says: A piece of work failed."
    )
    page.keyboard.type(" cat")
    wait_for_forms(page, ["The", "cat"])
    expect(page.locator("#trouble")).to_be_empty()
    assert page.mistakes == []


def test_conflicts_stay_as_they_are_until_constraints_are_looked_at_again(open_page: OpenPage) -> None:
    session = FakeSession(CAT, conflicts=CONFLICTS)
    page = open_page(session)
    type_text(page, "The cat")
    listed, marked = page.locator("#conflicts button"), page.locator("#editor .tw-conflict")
    dotted = page.locator("#editor .tw-provisional")
    expect(listed).to_have_text([TOLD])
    expect(marked).to_have_text(["The", "cat"])
    for elements in (listed, marked):
        elements.first.evaluate("element => { element.isKept = true }")
    session.is_held = True
    page.keyboard.insert_text(" sleeps")
    wait_until(page, lambda: session.text == "The cat sleeps")
    found = session.analysis(session.text, session.version)
    first = {"stage": "initial", "levels": ["L0"], "conflicts": []}
    session.say({**found, **first})
    expect(dotted).to_have_text(["The cat sleeps"])
    expect(page.locator("#tree .word.conflict .form")).to_have_text(["The", "cat"])
    expect(listed).to_have_text([TOLD])
    expect(marked).to_have_text(["The", "cat"])
    for elements in (listed, marked):
        assert elements.first.evaluate("element => element.isKept")
    session.say({**session.analysis(session.text, session.version), "conflicts": []})
    for elements in (listed, marked, page.locator("#tree .word.conflict")):
        expect(elements).to_have_count(0)
    assert page.mistakes == []


def test_conflicts_are_listed_and_lead_to_their_words_by_keys_alone(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT, conflicts=CONFLICTS))
    type_text(page, "The cat sleeps")
    listed = page.get_by_role("list", name="What may be wrong").get_by_role("button")
    expect(listed).to_have_text([TOLD])
    page.keyboard.press("End")
    listed.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("A")
    wait_for_forms(page, ["A", "cat", "sleeps"])
    assert page.mistakes == []


LONG = " and more" * 20  # what is replayed for half a minute


def is_begun(session: FakeSession, text: str) -> bool:
    """Whether a replay has shown some of a text, and not all of it."""
    return "" != session.text != text and text.startswith(session.text)


def test_a_replay_that_is_stopped_leaves_the_text_and_what_can_be_undone(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "one two")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("three" + LONG)
    text = "one two\nthree" + LONG
    page.locator("#replay").click()
    wait_until(page, lambda: is_begun(session, text))
    page.locator("#replay").click()
    wait_until(page, lambda: session.text == text_shown(page) == text)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+z")
    wait_until(page, lambda: session.text != text)
    page.keyboard.press("Control+y")
    wait_until(page, lambda: session.text == text)
    assert page.mistakes == []


def test_a_hand_that_types_into_a_replay_writes_into_the_whole_text(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    text = "one two three" + LONG
    page.locator(".cm-content").focus()
    page.keyboard.insert_text(text)
    page.locator("#replay").click()
    wait_until(page, lambda: is_begun(session, text))
    page.locator(".cm-content").focus()
    page.keyboard.type("X")
    wait_until(page, lambda: "X" in session.text)
    assert session.text.replace("X", "") == text_shown(page).replace("X", "") == text
    assert page.locator("#replay").text_content() == "Replay"


def test_a_page_that_is_left_in_a_replay_keeps_the_whole_text(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    text = "one two three" + LONG
    page.locator(".cm-content").focus()
    page.keyboard.insert_text(text)
    page.locator("#replay").click()
    wait_until(page, lambda: is_begun(session, text))
    page.reload()
    wait_for_forms(page, text.split())


def test_steps_that_are_not_possible_say_why(open_page: OpenPage) -> None:
    page = practising(open_page, FakeSession())
    page.locator("#practice [data-step=shift]").focus()
    page.keyboard.press("l")
    wait_for_text(
        page, "#practice-told", "Reduce left is not possible here: it takes two words on the stack."
    )
    page.keyboard.press("u")
    wait_for_text(page, "#practice-told", "There is no step to take back.")
    page.keyboard.press("s")
    wait_for_text(page, "#practice-told", "Right: take The.")
    page.keyboard.press("r")
    wait_for_text(
        page, "#practice-told", "Reduce right is not possible here: the root cannot hang on a word."
    )
    page.keyboard.type("sss")
    wait_for_text(page, "#practice-score", "of 4 steps right at once")
    page.locator("#practice [data-step=shift]").click(force=True)  # it is disabled, and says why
    wait_for_text(page, "#practice-told", "Shift is not possible here: no word is left.")
    assert page.mistakes == []


def test_a_step_that_is_not_possible_with_the_text_says_why(open_page: OpenPage) -> None:
    page = open_page(FakeSession(CAT))
    type_text(page, "The cat sleeps")
    unfold(page, "steps")
    wait_for_text(page, "#steps-told", "can still be")
    page.locator("#steps [data-step=reduce_right]").click(force=True)
    wait_for_text(page, "#steps-told", "Reduce right is not possible here: the root cannot hang on a word.")


@pytest.mark.parametrize("address", ["http://localhost:1/", "http://treewhile.example/"])
def test_the_tree_is_copied_from_secure_and_insecure_pages(open_page: OpenPage, address: str) -> None:
    page = open_page(FakeSession(CAT), address=address)
    assert page.evaluate("isSecureContext") == ("localhost" in address)
    type_text(page, "The cat sleeps")
    wait_for_forms(page, ["The", "cat", "sleeps"])
    copy = page.locator("#copy-conllu")
    watch_texts(copy)
    for clicks in (1, 2):
        copy.click()
        wait_until(page, lambda clicks=clicks: texts_watched(copy).count("Copied") == clicks)
    expect(copy).to_have_text("Copy CoNLL-U")
    page.locator(".cm-content").click()
    page.evaluate(
        """() => addEventListener(
            "paste", (event) => (window.pasted = event.clipboardData.getData("text")), { capture: true })"""
    )
    page.keyboard.press("Control+v")
    wait_until(page, lambda: "1\tThe\t_\tDET\t_\t_\t2\tdet" in (page.evaluate("() => window.pasted") or ""))
    assert page.mistakes == []


def test_what_cannot_be_copied_is_saved_as_a_file(open_page: OpenPage) -> None:
    script = "document.execCommand = () => false;"
    page = open_page(FakeSession(CAT), address="http://treewhile.example/", script=script)
    type_text(page, "The cat sleeps")
    wait_for_forms(page, ["The", "cat", "sleeps"])
    copy = page.locator("#copy-conllu")
    watch_texts(copy)
    with page.expect_download() as download:
        copy.click()
    assert download.value.suggested_filename == "tree.conllu"
    wait_until(page, lambda: "Saved as a file" in texts_watched(copy))
    assert page.mistakes == []


def test_a_single_language_is_named_and_the_page_says_what_it_is(open_page: OpenPage) -> None:
    page = open_page(FakeSession())
    expect(page.locator("#language")).to_have_text("Language and model: English (en)")
    wait_for_text(page, "#about", "dependency tree")
    expect(page.locator("#model")).to_be_hidden()


def test_practice_goes_on_after_the_session_is_lost(open_page: OpenPage) -> None:
    session = FakeSession()
    page = practising(open_page, session)
    page.locator("#practice [data-step=shift]").click()
    wait_for_text(page, "#practice-score", "1 of 1 steps right at once")
    session.socket.close(code=1012)
    wait_until(page, lambda: len(session.all("step")) == 2)
    wait_for_text(page, "#practice-score", "1 of 1 steps right at once")
    wait_for_text(page, "#practice-told", "Right: take The.")
    expect_boxes(page, "practice", "stack", ["root", "The"])
    page.keyboard.press("s")
    wait_for_text(page, "#practice-score", "2 of 2 steps right at once")
