"""What people do to correct the tree of the page, and what it then shows."""

from __future__ import annotations

from typing import Any

from page_actions import wait_for_text, wait_until

WORDS = """() => document.getElementById("tree").analysis.words.map(
    ({ form, head, label, tag, fixed }) => ({ form, head, label, tag, fixed: fixed ?? [] }))"""
KEYS = """() => [...document.getElementById("tree").shadowRoot.querySelectorAll(".hints text")].map(text => {
    const { x, y, width } = text.getBoundingClientRect();
    return [text.textContent, x + width / 2, y];
})"""
REST = 200  # milliseconds


def words_shown(page: Any) -> list[dict[str, Any]]:
    return [*page.evaluate(WORDS)]


def word_shown(page: Any, form: str) -> dict[str, Any]:
    """The first word with a form."""
    return next(word for word in words_shown(page) if word["form"] == form)


def place_of(page: Any, form: str) -> tuple[float, float]:
    """The middle of the first word with a form."""
    number = [word["form"] for word in words_shown(page)].index(form)
    box = page.locator("#tree .word:not(.ghost)").nth(number).locator(".form").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def places_at_rest(page: Any, *forms: str) -> list[tuple[float, float]]:
    """The middles of words, once these have not moved for a while: a better tree moves them."""
    before, places = None, [place_of(page, form) for form in forms]
    while places != before:
        page.wait_for_timeout(REST)
        before, places = places, [place_of(page, form) for form in forms]
    return places


def drag(page: Any, form: str, head: str | None, drop: bool = True) -> None:
    """Drag a word to its head with the mouse; None is the root, which stands above the word."""
    page.locator("#tree").scroll_into_view_if_needed()
    start, (x, y) = places_at_rest(page, form, head or form)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 3, start[1] - 12)
    page.mouse.move(x, y - 60 if head is None else y, steps=4)
    if drop:
        page.mouse.up()


def wait_until_fixed(page: Any, form: str, *parts: str) -> None:
    """Until parts of a word are fixed, no others, and the rest is parsed for good."""
    wait_until(
        page,
        lambda: (
            word_shown(page, form)["fixed"] == [*parts]
            and page.locator("#stage").text_content().startswith("complete")
        ),
    )


def wait_for_told(page: Any, text: str) -> None:
    wait_for_text(page, "#correction-told", text)


def focus_word(page: Any, form: str) -> None:
    """Bring the focus to a word with the keyboard, from the text."""
    number = [word["form"] for word in words_shown(page)].index(form)
    page.locator("#tree .word[tabindex='0']").focus()
    page.keyboard.press("Home")
    for _ in range(number):
        page.keyboard.press("ArrowRight")


def key_over(page: Any, form: str) -> str:
    """The key that stands over the first word with a form, while a head is chosen."""
    x, y = place_of(page, form)
    middles = [(abs(left - x) + abs(top - y), key) for key, left, top in page.evaluate(KEYS) if key != "0"]
    return str(min(middles)[1])
