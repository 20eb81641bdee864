"""The page in a real browser, under a policy that allows nothing inline."""

from __future__ import annotations

import pytest
from browser_expect import expect
from fake_sessions import FakeSession
from page_actions import DRAWN, OpenPage, wait_until
from page_editor import expected_told, text_shown, type_text
from page_looks import barriers_in_both_schemes, fits_the_window, keep_picture
from page_trees import drawn_forms, forms_watched, text_of, wait_for_forms, watch_forms

DOG = (
    "The/DET/3/det old/ADJ/3/amod dog/NOUN/4/nsubj barks/VERB/0/root "
    "at/ADP/7/case the/DET/7/det postman/NOUN/4/obl"
)
LONG = (
    "When/ADV/3/mark she/PRON/3/nsubj saw/VERB/12/advcl the/DET/5/det letter/NOUN/3/obj that/PRON/8/obj "
    "her/DET/8/nmod:poss brother/NOUN/9/nsubj had/AUX/10/aux sent/VERB/5/acl:relcl Mary/PROPN/12/nsubj "
    "laughed/VERB/0/root and/CCONJ/15/cc then/ADV/15/advmod called/VERB/12/conj everybody/PRON/15/obj "
    "who/PRON/18/nsubj lived/VERB/16/acl:relcl in/ADP/22/case the/DET/22/det old/ADJ/22/amod "
    "house/NOUN/18/obl near/ADP/25/case the/DET/25/det river/NOUN/22/nmod ./PUNCT/12/punct"
)


def test_typing_draws_words_and_arcs(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG, stable=2))
    type_text(page, text_of(DOG))
    wait_for_forms(page, text_of(DOG).split())
    expect(page.locator("#tree .arc")).to_have_count(7)
    expect(page.locator("#tree .arc.stable")).to_have_count(2)
    assert sorted(page.locator("#tree .label").all_text_contents()) == sorted(
        ["det", "amod", "nsubj", "root", "case", "det", "obl"]
    )
    assert page.mistakes == []


def test_words_that_are_expected_are_ghosts(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG))
    type_text(page, "The old dog barks at the")
    wait_for_forms(page, ["The", "old", "dog", "barks", "at", "the"])
    expect(page.locator("#tree .word.ghost .form")).to_have_text(["NOUN"])
    wait_until(page, lambda: expected_told(page) == ["noun"])
    assert text_shown(page) == "The old dog barks at the"
    keep_picture(page, "ghosts")
    assert page.mistakes == []


def test_a_stale_result_is_not_drawn(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "one two")
    wait_for_forms(page, ["one", "two"])
    watch_forms(page)
    session.say(session.analysis("another text altogether", session.version - 1))
    page.keyboard.type("!")
    wait_for_forms(page, ["one", "two", "!"])
    assert forms_watched(page) == [["one", "two", "!"]]


def test_a_late_result_is_drawn_where_its_words_stand_now(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "one two three")
    wait_for_forms(page, ["one", "two", "three"])
    session.is_held = True
    late = session.analysis("one two three", session.version)
    for _ in range(6):
        page.keyboard.press("Backspace")
    wait_until(page, lambda: text_shown(page) == "one two")
    assert session.text == "one two thre", "while an edit is unanswered, later ones wait"
    watch_forms(page)
    session.say(late)
    session.say({"type": "error", "code": "failed", "message": "A fence.", "document": "page"})
    page.locator("#trouble", has_text="A fence.").wait_for()
    page.evaluate(DRAWN)
    assert drawn_forms(page) == ["one", "two"]
    assert ["one", "two", "three"] not in forms_watched(page)


def test_words_keep_their_elements_while_a_tree_grows(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG))
    type_text(page, "The old")
    wait_for_forms(page, ["The", "old"])
    first = page.locator("#tree .word").first
    before = first.bounding_box()
    first.evaluate("word => { word.dataset.mark = 'kept' }")
    page.keyboard.type(" dog barks at the postman")
    wait_for_forms(page, text_of(DOG).split())
    expect(page.locator("#tree .word[data-mark=kept] .form")).to_have_text("The")
    assert page.locator("#tree .word").first.bounding_box()["x"] == before["x"]


def test_undo_pastes_and_emoji_reach_the_server_as_they_are(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "🎉 party é")
    page.keyboard.press("Home")
    page.keyboard.insert_text("a whole pasted text ")
    page.keyboard.press("ControlOrMeta+z")
    page.keyboard.press("End")
    page.keyboard.type("!")
    wait_until(page, lambda: session.text == "🎉 party é!")
    assert text_shown(page) == "🎉 party é!"


def test_typing_over_a_selection_needs_no_inline_style_and_is_undone_at_once(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "the dog barks")
    expect(page.locator("#editor .tw-provisional")).to_have_text(["the dog barks"])
    for _ in "barks":
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.type("s")
    wait_for_forms(page, ["the", "dog", "s"])
    assert text_shown(page) == session.text == "the dog s"
    page.keyboard.press("ControlOrMeta+z")
    wait_for_forms(page, ["the", "dog", "barks"])
    assert page.mistakes == []


# A tree that has shown many analyses beside one that shows the last of them alone. Rows do not become lower,
# and arcs know that they have moved: neither is compared.
GROWN_AND_NEW = """seed => {
    const below = (count) => Math.floor((seed = (seed * 48271) % 2147483647) / 2147483647 * count);
    const one = (values) => values[below(values.length)];
    const head = () => one([null, "later", -1, below(20), below(20), below(20)]);
    const label = () => one(["det", "obl:agent", null]);
    let last = 0;
    const word = () => {
        const form = one(["a", "dog", "neighbourhood", "x"]);
        return { id: ++last, form, tag: one(["DET", "NOUN"]), head: head(), label: label() };
    };
    const words = Array.from({ length: 20 }, word);
    const rest = { virtual: [], conflicts: [], stable_upto: 3 };
    const change = (named) => Object.assign(one(words), named);
    const changes = [
        () => words.splice(below(words.length), below(3), word(), ...(below(2) ? [word()] : [])),
        () => change({ head: head() }),
        () => change({ label: label() }),
        () => change({ tag: one(["DET", "NOUN"]) }),
        () => (rest.virtual = one([[], [{ node: 1, tag: "NOUN", head: head(), label: "obj" }]])),
        () => (rest.conflicts = one([[], [{ constraint: "c", penalty: 0, words: [1 + below(9)] }]])),
        () => (rest.stable_upto = below(20)),
    ];
    const analysis = () => {
        one(changes)();
        return { ...rest, words: words.map((each) => ({ ...each })) };
    };
    const drawnOf = ({ shadowRoot: root }) => {
        const part = (of) => of.outerHTML.replace(" moving", "");
        const rows = [...root.querySelectorAll("svg > g:not(.names)")].map(({ children: [arcs, words] }) => {
            return [[...arcs.children].map(part).sort(), [...words.children].map(part)];
        });
        const names = [...root.querySelectorAll(".name")].map(({ className, dataset, lastChild: text }) => {
            return [className.baseVal, { ...dataset }, text.getAttribute("x"), text.textContent];
        });
        return JSON.stringify([rows, names, root.querySelector("table").outerHTML]);
    };
    const shown = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const add = async () => {
        const tree = document.body.appendChild(document.createElement("dep-tree"));
        tree.style.width = "600px";
        await shown();
        return tree;
    };
    return (async () => {
        const grown = await add();
        const others = [];
        for (let step = 0; step < 40; step++) {
            const next = analysis();
            grown.analysis = next;
            const anew = await add();
            anew.analysis = next;
            const current = below(words.length);
            for (const tree of [grown, anew]) tree.showWord(1 + current);
            if (drawnOf(grown) !== drawnOf(anew)) others.push([step, drawnOf(grown), drawnOf(anew)]);
            anew.remove();
        }
        return others;
    })();
}"""


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_tree_that_has_changed_is_drawn_like_one_that_is_new(open_page: OpenPage, seed: int) -> None:
    page = open_page(FakeSession())
    assert page.evaluate(GROWN_AND_NEW, seed) == []


def test_the_tree_is_walked_by_keys(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG))
    type_text(page, text_of(DOG))
    wait_for_forms(page, text_of(DOG).split())
    page.locator("#tree .word.current").focus()
    page.keyboard.press("Home")
    for key, form in [("ArrowRight", "old"), ("ArrowUp", "dog"), ("ArrowUp", "barks"), ("ArrowLeft", "dog")]:
        page.keyboard.press(key)
        expect(page.locator("#tree .word.current .form")).to_have_text(form)
    expect(page.locator("#tree .word:focus")).to_have_attribute("aria-label", "dog, NOUN, nsubj of 4 barks")


def test_a_table_stands_beside_the_picture(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG))
    type_text(page, "The old dog barks")
    wait_for_forms(page, ["The", "old", "dog", "barks"])
    row = page.locator("#tree table tr").nth(3)
    expect(row.locator("td")).to_have_text(["3", "dog", "NOUN", "nsubj", "4 barks"])


def test_the_tree_can_be_taken_along(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG))
    type_text(page, text_of(DOG))
    wait_for_forms(page, text_of(DOG).split())
    svg, png = page.evaluate(
        "async () => { const tree = document.querySelector('#tree');"
        "return [tree.toSVG(), (await tree.toPNG()).size]; }"
    )
    assert svg.startswith("<svg")
    assert "postman" in svg
    assert "var(" not in svg
    assert png > 5000
    with page.expect_download() as download:
        page.locator("#save-png").click()
    assert download.value.suggested_filename == "tree.png"
    assert page.mistakes == []


def test_no_letter_is_lost_while_the_server_is_gone_and_refuses(open_page: OpenPage) -> None:
    session = FakeSession()
    page = open_page(session)
    type_text(page, "one two")
    wait_for_forms(page, ["one", "two"])
    session.is_away = True
    session.socket.close(code=1012)
    page.locator("#connection.waiting").wait_for()
    page.keyboard.type(" three")
    assert drawn_forms(page) == ["one", "two"]
    session.is_away = False
    wait_for_forms(page, ["one", "two", "three"])
    assert session.text == "one two three"


def test_expected_words_keep_nobody_out(open_page: OpenPage) -> None:
    page = open_page(FakeSession(DOG, stable=2))
    type_text(page, "The old dog barks at the")
    wait_for_forms(page, ["The", "old", "dog", "barks", "at", "the"])
    assert barriers_in_both_schemes(page, "expected") == []


def test_a_long_sentence_is_no_wider_than_the_window(open_page: OpenPage) -> None:
    about = {"constraint": "agreement", "penalty": 0.3, "words": [2], "message": "*He goes*, not *he go*."}
    page = open_page(FakeSession(LONG, stable=3, conflicts=[about]), viewport={"width": 360, "height": 740})
    type_text(page, text_of(LONG))
    wait_for_forms(page, text_of(LONG).split())
    for width in (360, 1100):
        page.set_viewport_size({"width": width, "height": 740})
        keep_picture(page, f"long-{width}")
        assert fits_the_window(page)
    assert page.mistakes == []
