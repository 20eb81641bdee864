"""How the tree of a sentence came about: watched, compared, saved and sent, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import OpenPage, texts_watched, unfold, wait_for_text, wait_until, watch_texts
from page_editor import text_shown, type_text
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import drawn_forms, text_of, wait_for_forms

BOAT = "The/DET/3/det old/ADJ/3/amod man/NOUN/0/root the/DET/5/det boat/NOUN/3/appos"
MANNED = "The/DET/2/det old/NOUN/3/nsubj man/VERB/0/root the/DET/5/det boat/NOUN/3/obj"
HEBREW = "הכלב/NOUN/3/nsubj הזקן/ADJ/1/amod נובח/VERB/0/root"
CONFLICT = {
    "constraint": "one verb",
    "penalty": 0.5,
    "words": [2, 3],
    "message": "A verb is missing after *old*.",
}
FORMS = ["The", "old", "man", "the", "boat"]
DROP = """(target, contents) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([contents], "moments.json", { type: "application/json" }));
    const manner = { dataTransfer, bubbles: true, composed: true, cancelable: true };
    for (const kind of ["dragenter", "dragover", "drop"]) target.dispatchEvent(new DragEvent(kind, manner));
}"""
DIFFERING = (
    """id => [...document.getElementById(id).shadowRoot.querySelectorAll(".arc[data-differing]")].length"""
)
# Presses a button, and tells before anything else can happen what it says, and how moments are announced.
PRESSED = """button => {
    button.click();
    return [button.textContent, document.getElementById("moments-at").getAttribute("aria-live")];
}"""
# Which frames of an animated picture show after some milliseconds.
FRAMES_AT = """time => {
    for (const one of document.getAnimations()) {
        one.pause();
        one.currentTime = time;
    }
    const isShown = frame => getComputedStyle(frame).visibility === "visible";
    const frames = [...document.querySelectorAll(".frame")];
    return frames.flatMap((frame, place) => (isShown(frame) ? [place] : []));
}"""


def changing_its_mind(open_page: OpenPage, **options: Any) -> tuple[Any, FakeSession]:
    """The page with a sentence whose tree has broken, and been mended, at the last word."""
    session = FakeSession(BOAT)
    page = open_page(session, **options)
    for place, form in enumerate(FORMS):
        session.conflicts = [CONFLICT] if place > 2 else []
        type_text(page, f" {form}" if place else form)
        wait_for_forms(page, FORMS[: place + 1])
    session.learn(MANNED)
    session.conflicts = []
    session.answer()
    wait_until(page, lambda: head_of(page, "tree", 2) == 3)
    return page, session


def head_of(page: Any, tree: str, number: int) -> Any:
    return page.locator(f"#{tree}").evaluate(f"tree => tree.analysis.words[{number - 1}]?.head")


def unfold_moments(page: Any, forms: list[str]) -> None:
    unfold(page, "moments")
    page.locator("#moments-tree").wait_for(state="attached")
    wait_for_forms(page, forms, "moments-tree")


def unfolded(open_page: OpenPage, **options: Any) -> Any:
    page, _ = changing_its_mind(open_page, **options)
    unfold_moments(page, FORMS)
    return page


def places(page: Any) -> tuple[int, int]:
    """The place of the slider, and its last one."""
    slider = page.locator("#moments-slider")
    return int(slider.input_value()), int(slider.get_attribute("max"))


def saved(page: Any, button: str) -> str:
    with page.expect_download() as download:
        page.locator(f"#moments-{button}").click()
    return Path(download.value.path()).read_text()


def moments_shown(page: Any) -> list[tuple[str, str]]:
    """The text of each moment, and what is told of it, from the first one to the last."""
    page.locator("#moments-slider").press("Home")
    shown = []
    while True:
        shown.append(
            (page.locator("#moments-sentence").inner_text(), page.locator("#moments-at").inner_text())
        )
        if page.locator("#moments-later").is_disabled():
            return shown
        page.locator("#moments-later").click()


def test_a_linguist_finds_the_word_at_which_the_tree_changed_and_the_constraint_that_was_broken(
    open_page: OpenPage,
) -> None:
    page = unfolded(open_page)
    place, last = places(page)
    assert place == last
    expect(page.locator("#moments-summary")).to_have_text("Level L1 changed 4 words since the moment before.")
    changes = page.locator("#moments-changes li")
    expect(changes.filter(has_text="hangs")).to_have_text(
        "“The” hangs on “old” now, as det; before, on “man”, as det."
    )
    expect(changes.filter(has_text="“boat”")).to_have_text("“boat” is obj now, and was appos.")
    expect(changes.filter(has_text="No longer broken")).to_have_text(
        "No longer broken: A verb is missing after old."
    )
    assert page.evaluate(DIFFERING, "moments-tree") > 0
    page.locator("#moments-earlier").click()
    expect(page.locator("#moments-sentence")).to_have_text("The old man the boat")
    wait_until(page, lambda: head_of(page, "moments-tree", 1) == 3)
    assert head_of(page, "tree", 1) == 2
    assert page.mistakes == []


def test_constraints_are_asked_for_while_moments_are_watched(open_page: OpenPage) -> None:
    page, session = changing_its_mind(open_page)
    for asked in (1, 2):
        unfold(page, "moments")
        wait_until(page, lambda: len(session.all("options")) == asked)  # noqa: B023
    streams = [event["options"]["streams"] for event in session.all("options")]
    assert streams == [["analyses", "constraints"], ["analyses"]]


def test_all_is_done_by_keys(open_page: OpenPage) -> None:
    page = unfolded(open_page)
    slider = page.locator("#moments-slider")
    slider.focus()
    page.keyboard.press("Home")
    wait_for_forms(page, ["T"], "moments-tree")
    expect(page.locator("#moments-earlier")).to_be_disabled()
    expect(slider).to_have_attribute(
        "aria-valuetext", f"Moment 1 of {places(page)[1] + 1}: after 0.00 s, level L1, settled so far. T"
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator("#moments-sentence")).not_to_have_text("T")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "moments-earlier"
    page.keyboard.press("Enter")
    wait_for_forms(page, ["T"], "moments-tree")
    assert page.mistakes == []


def test_a_teacher_plays_how_the_tree_grew_and_pauses(open_page: OpenPage) -> None:
    page = unfolded(open_page, reduced_motion="reduce")
    page.locator("#moments-speed").select_option("20")
    watch_texts(page.locator("#moments-sentence"))
    assert page.locator("#moments-play").evaluate(PRESSED) == ["Pause", "off"]
    expect(page.locator("#moments-play")).to_have_text("Play")
    place, last = places(page)
    assert place == last
    heard = texts_watched(page.locator("#moments-sentence"))
    assert heard[0] == "T"
    words = [text for text in dict.fromkeys(heard) if text in ("The", "The old", "The old man the boat")]
    assert words == ["The", "The old", "The old man the boat"]
    page.locator("#moments-speed").select_option("1")
    page.locator("#moments-play").evaluate("button => [button.click(), button.click()]")
    expect(page.locator("#moments-play")).to_have_text("Play")
    assert places(page)[0] < last
    assert page.mistakes == []


def test_all_that_a_real_server_says_of_a_sentence_is_there_and_can_be_opened_again(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    type_text(page, "dog the barks.", delay=20)
    page.locator("#stage", has_text="complete").wait_for()
    unfold_moments(page, ["dog", "the", "barks", "."])
    contents = saved(page, "save")
    moments = json.loads(contents)["moments"]
    assert [moment["time"] for moment in moments] == sorted(moment["time"] for moment in moments)
    assert {"L0", "L2"} <= {moment["level"] for moment in moments}
    assert moments[0]["text"] == "d"
    shown = moments_shown(page)
    assert len(shown) == len(moments)
    page.locator("main").evaluate(DROP, contents)
    wait_for_text(page, "#moments-news", f"moments.json: {len(moments)} moments")
    assert moments_shown(page) == shown
    assert page.mistakes == []


def test_a_real_server_says_which_constraints_broke_while_one_watches(
    open_real_page: OpenPage, real_server: Any
) -> None:
    page = open_real_page(real_server)
    type_text(page, "dog")
    wait_for_forms(page, ["dog"])
    unfold_moments(page, ["dog"])
    type_text(page, " the barks.", delay=20)
    page.locator("#stage", has_text="complete").wait_for()
    wait_until(page, lambda: any(one["broken"] for one in json.loads(saved(page, "save"))["moments"]))
    assert page.mistakes == []


def test_two_moments_are_compared_in_the_order_of_time(open_page: OpenPage) -> None:
    page = unfolded(open_page)
    page.locator("#moments-compares").check()
    told = page.locator("#moments-summary")
    expect(told).to_have_text("Between both moments, 4 words got other heads, labels or tags.")
    before = head_of(page, "moments-other-tree", 1), head_of(page, "moments-tree", 1)
    assert before == (3, 2)
    assert page.evaluate(DIFFERING, "moments-other-tree") == page.evaluate(DIFFERING, "moments-tree") > 0
    changes = page.locator("#moments-changes").inner_text()
    page.locator("#moments-other").press("End")
    expect(told).to_have_text("The words that both moments have hang alike in both.")
    page.locator("#moments-slider").press("ArrowLeft")
    expect(page.locator("#moments-changes")).to_have_text(changes, use_inner_text=True)
    page.locator("#moments-compares").uncheck()
    expect(page.locator("#moments-other-tree")).to_be_hidden()
    assert page.mistakes == []


def test_who_is_at_the_last_moment_goes_along_and_others_stay(open_page: OpenPage) -> None:
    page = unfolded(open_page)
    type_text(page, " now")
    wait_for_forms(page, [*FORMS, "now"], "moments-tree")
    page.locator("#moments-earlier").click()
    place, last = places(page)
    type_text(page, " then")
    wait_until(page, lambda: places(page)[1] > last)
    assert places(page)[0] == place
    assert page.mistakes == []


def test_without_a_sentence_there_is_only_a_hint(open_page: OpenPage) -> None:
    page = open_page(FakeSession(BOAT))
    unfold(page, "moments")
    expect(page.locator("#moments-none")).to_be_visible()
    for button in ("save", "link", "svg", "slider"):
        expect(page.locator(f"#moments-{button}")).to_be_hidden()
    type_text(page, "The")
    wait_for_forms(page, ["The"], "moments-tree")
    expect(page.locator("#moments-none")).to_be_hidden()
    assert page.mistakes == []


def test_a_file_gives_the_same_moments_elsewhere_without_a_server(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = unfolded(open_page)
    shown = moments_shown(page)
    file = tmp_path / "moments.json"
    file.write_text(saved(page, "save"))
    session = FakeSession()
    other = open_page(session)
    unfold(other, "moments")
    expect(other.locator("#moments-none")).to_be_visible()
    session.is_away = True
    session.socket.close(code=1013)
    other.locator("#moments-file").set_input_files(file)
    wait_for_text(other, "#moments-news", f"moments.json: {len(shown)} moments, by the model en.")
    assert moments_shown(other) == shown
    assert drawn_forms(other, "moments-tree") == FORMS
    assert text_shown(other) == ""
    other.locator("#moments-back").click()
    expect(other.locator("#moments-none")).to_be_visible()


def test_a_label_that_was_not_there_is_not_told(open_page: OpenPage) -> None:
    session = FakeSession("The/DET/2/")
    page = open_page(session)
    type_text(page, "The")
    wait_for_forms(page, ["The"])
    session.learn(MANNED)
    page.keyboard.insert_text(" old")
    wait_for_forms(page, ["The", "old"])
    unfold(page, "moments")
    wait_for_text(
        page, "#moments-changes", "“The” hangs on “old” now, as det; before, on a word that is to come."
    )


@pytest.mark.parametrize("place", [".cm-content", "#measure"])
def test_a_file_is_dropped_anywhere_and_the_text_stays(open_page: OpenPage, place: str) -> None:
    page = unfolded(open_page)
    contents = saved(page, "save")
    other = open_page(FakeSession(BOAT))
    type_text(other, "The")
    other.locator(place).evaluate(DROP, contents)
    wait_for_text(other, "#moments-news", "moments.json: ")
    wait_for_forms(other, ["T"], "moments-tree")
    assert text_shown(other) == "The"
    assert other.mistakes == []


def test_a_file_that_is_something_else_is_refused_in_a_sentence_and_all_stays(open_page: OpenPage) -> None:
    page = unfolded(open_page)
    contents = json.loads(saved(page, "save"))
    contents["moments"][2]["tree"]["words"][0]["head"] = 99
    refused = {
        json.dumps(contents): "moments.json is damaged at moment 3",
        "{}": "moments.json has no moments of a tree",
        json.dumps({**contents, "version": 2}): "moments.json is of a newer version",
    }
    for other, told in refused.items():
        page.locator("main").evaluate(DROP, other)
        wait_for_text(page, "#moments-news", told)
    assert drawn_forms(page, "moments-tree") == FORMS
    assert page.mistakes == []


def test_a_developer_sends_a_link_that_shows_the_same_moments_and_tells_no_server(
    open_page: OpenPage,
) -> None:
    page = unfolded(open_page)
    shown = moments_shown(page)
    page.evaluate("navigator.clipboard.writeText = async text => void (window.copied = text)")
    page.locator("#moments-link").click()
    wait_for_text(page, "#moments-news", "Copied")
    link = page.evaluate("window.copied")
    fragment = link.partition("#")[2]
    assert len(link) < 8000
    asked: list[str] = []
    other = open_page(FakeSession())
    other.on("request", lambda request: asked.append(request.url))
    other.evaluate("hash => { location.hash = hash; }", fragment)
    wait_for_text(other, "#moments-news", f"The link: {len(shown)} moments, by the model en.")
    assert moments_shown(other) == shown
    other.reload()
    wait_for_text(other, "#moments-news", f"The link: {len(shown)} moments")
    assert asked
    assert not any(fragment[:40] in url.partition("#")[0] for url in asked)
    other.evaluate("hash => { location.hash = hash; }", fragment[:-20])
    wait_for_text(other, "#moments-news", "The link is damaged or not whole")
    assert other.mistakes == []


def test_an_animated_picture_shows_each_frame_at_its_time_and_then_the_last_one(
    open_page: OpenPage, new_page: Any, tmp_path: Path
) -> None:
    page = unfolded(open_page)
    times = [moment["time"] for moment in json.loads(saved(page, "save"))["moments"]]
    picture = tmp_path / "moments.svg"
    picture.write_text(saved(page, "svg"))
    assert "<script" not in picture.read_text()
    viewer = new_page()
    viewer.goto(picture.as_uri())
    middle = next(place for place in range(3, len(times)) if times[place + 1] > times[place] + 1)
    assert viewer.evaluate(FRAMES_AT, times[middle] + 0.5) == [middle]
    assert viewer.evaluate(FRAMES_AT, times[-1] + 1) == [len(times) - 1]
    ground = "getComputedStyle(document.querySelector('rect')).fill"
    light = viewer.evaluate(ground)
    viewer.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert viewer.evaluate(ground) != light
    assert viewer.evaluate("document.getAnimations().length") == 0
    assert viewer.evaluate(FRAMES_AT, 0) == [len(times) - 1]


def test_the_part_says_that_it_cannot_be_loaded_and_loads_at_another_try(open_page: OpenPage) -> None:
    page = open_page(FakeSession(BOAT))
    type_text(page, "The")
    wait_for_forms(page, ["The"])
    scripts = "**/*.js"
    page.route(scripts, lambda route: route.abort())
    unfold(page, "moments")
    wait_for_text(page, "#moments > .told[role=status]", "This part could not be loaded")
    page.unroute(scripts)
    page.get_by_role("button", name="Try again").click()
    wait_for_forms(page, ["The"], "moments-tree")


@pytest.mark.parametrize("width", [320, 1280])
def test_nobody_is_kept_out(open_page: OpenPage, width: int) -> None:
    page = unfolded(open_page, viewport={"width": width, "height": 800})
    page.locator("#moments-compares").check()
    expect(page.locator("#moments-link")).to_be_visible()
    assert barriers_in_both_schemes(page, f"moments-{width}") == []
    assert fits_the_window(page)
    small = """() => [...document.querySelectorAll("#moments :is(button, select, input[type=range])")].filter(
        one => one.checkVisibility() && one.getBoundingClientRect().height < 44).map(one => one.id)"""
    assert page.evaluate(small) == []


def test_a_sentence_from_right_to_left_is_shown_and_drawn_so(open_page: OpenPage) -> None:
    page = open_page(FakeSession(HEBREW))
    type_text(page, text_of(HEBREW))
    wait_for_forms(page, text_of(HEBREW).split())
    unfold_moments(page, text_of(HEBREW).split())
    sentence = page.locator("#moments-sentence")
    assert sentence.evaluate("one => getComputedStyle(one).direction") == "rtl"
    keep_picture(page, "moments-hebrew")
    assert page.mistakes == []
