"""What tests type into the editor of the page, and what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

GHOST_FRAMES = Path(__file__).with_name("ghost_frames.js")


def type_text(page: Any, text: str, delay: float = 0) -> None:
    page.locator(".cm-content").click()
    page.keyboard.type(text, delay=delay)


def text_shown(page: Any) -> str:
    """What the editor shows of its lines."""
    return str(
        page.locator(".cm-content").evaluate(
            """content => [...content.querySelectorAll(".cm-line")].map(line => {
                const copy = line.cloneNode(true);
                for (const one of copy.querySelectorAll(".cm-placeholder")) one.remove();
                return copy.textContent;
            }).join("\\n")"""
        )
    )


def paste(page: Any, text: str) -> None:
    """As from another window, at the cursor."""
    page.locator(".cm-content").evaluate(
        """(content, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const options = { clipboardData, bubbles: true, cancelable: true };
            content.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def watch_ghosts(page: Any) -> None:
    """Looks at each frame from now on, for `ghosts_watched`."""
    page.evaluate(GHOST_FRAMES.read_text())


def ghosts_watched(page: Any) -> dict[str, float]:
    """How many frames had marks of expected words, and where, and how far these moved the cursor."""
    return dict(page.evaluate("window.ghostFrames"))


def expected_told(page: Any) -> list[str]:
    """The tags of expected words that are told behind lines of the text."""
    return [
        *page.locator("#editor .tw-expecting").evaluate_all("lines => lines.map(one => one.dataset.expected)")
    ]


def cursor_place(page: Any) -> int:
    """Where the cursor stands in the text, by the selection in the editor."""
    return int(
        page.locator(".cm-content").evaluate(
            """content => {
                const selection = content.getRootNode().getSelection();
                const range = document.createRange();
                range.selectNodeContents(content);
                range.setEnd(selection.anchorNode, selection.anchorOffset);
                return range.toString().length;
            }"""
        )
    )
