"""What tests do on the page and wait for: states, never times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OpenPage = Callable[..., Any]

# A frame that was asked for after everything else has been drawn.
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def unfold(page: Any, part: str) -> None:
    page.locator(f"#{part} > summary").click()


def wait_until(page: Any, is_so: Callable[[], bool], frames: int = 3000) -> None:
    """Until something holds on this side of the wire, while the page goes on."""
    for _ in range(frames):
        if is_so():
            return
        page.evaluate(DRAWN)
    raise AssertionError("it has not become so in time")


def wait_for_text(page: Any, place: str, text: str) -> None:
    page.locator(place, has_text=text).wait_for()


def watch_texts(place: Any) -> None:
    """Notes from now on what an element says, for `texts_watched`: some things are said for a moment."""
    place.evaluate(
        """element => {
            element.said = [];
            const observer = new MutationObserver(() => element.said.push(element.textContent));
            observer.observe(element, { childList: true, characterData: true, subtree: true });
        }"""
    )


def texts_watched(place: Any) -> list[str]:
    """What an element has said since then."""
    return [*place.evaluate("element => element.said")]


def wait_for_motion(page: Any) -> None:
    """Until nothing moves or fades in any more, also in shadow roots."""
    page.evaluate(DRAWN)
    page.wait_for_function(
        """() => [document, ...[...document.querySelectorAll("dep-tree")].map(tree => tree.shadowRoot)].every(
            root => root.getAnimations().every(one => one.playState === "finished"))"""
    )
