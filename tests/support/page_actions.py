"""What tests do on the page and wait for: states, never times."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
GHOST_FRAMES = Path(__file__).with_name("ghost_frames.js")

NO_PLAYWRIGHT = "playwright is missing: pip install playwright"

# A frame that was asked for after everything else has been drawn.
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
FORMS = """id => [...document.getElementById(id).shadowRoot.querySelectorAll(".word:not(.ghost) .form")].map(
    form => form.textContent)"""


def text_of(known: str) -> str:
    """The text of words with their heads, as fake sessions know them."""
    return " ".join(word.rsplit("/", 3)[0] for word in known.split())


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


def unfold(page: Any, part: str) -> None:
    page.locator(f"#{part} > summary").click()


def wait_until(page: Any, is_so: Callable[[], bool], frames: int = 3000) -> None:
    """Until something holds on this side of the wire, while the page goes on."""
    for _ in range(frames):
        if is_so():
            return
        page.evaluate(DRAWN)
    raise AssertionError("it does not come to be")


def wait_for_text(page: Any, place: str, text: str) -> None:
    page.locator(place, has_text=text).wait_for()


def drawn_forms(page: Any, tree: str = "tree") -> list[str]:
    return [*page.evaluate(FORMS, tree)]


def wait_for_forms(page: Any, forms: list[str], tree: str = "tree") -> None:
    page.wait_for_function(
        f"([id, forms]) => JSON.stringify(forms) === JSON.stringify(({FORMS})(id))", arg=[tree, forms]
    )


def keep_picture(page: Any, name: str) -> None:
    """Saves a screenshot where TREEWHILE_SHOTS says, for somebody to look at."""
    folder = os.environ.get("TREEWHILE_SHOTS")
    if folder:
        wait_for_motion(page)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def wait_for_motion(page: Any) -> None:
    """Until nothing moves or fades in any more, also in shadow roots."""
    page.evaluate(DRAWN)
    page.wait_for_function(
        """() => [document, ...[...document.querySelectorAll("dep-tree")].map(tree => tree.shadowRoot)].every(
            root => root.getAnimations().every(one => one.playState === "finished"))"""
    )


def barriers(page: Any) -> list[tuple[str, list[str]]]:
    """What axe-core finds that keeps people out."""
    if not AXE.exists():
        pytest.skip("axe-core is missing: npm ci in web")
    wait_for_motion(page)
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run()")
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]]


def fits_the_window(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


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


def watch_forms(page: Any) -> None:
    """Notes each other set of words that the tree shows from now on, for `forms_watched`."""
    page.evaluate(
        f"""() => {{
            const forms = {FORMS};
            let before = JSON.stringify(forms("tree"));
            window.formsWatched = [];
            new MutationObserver(() => {{
                const now = forms("tree");
                if (JSON.stringify(now) !== before) window.formsWatched.push(now);
                before = JSON.stringify(now);
            }}).observe(document.getElementById("tree").shadowRoot, {{
                subtree: true, childList: true, characterData: true,
            }});
        }}"""
    )


def forms_watched(page: Any) -> list[list[str]]:
    return [*page.evaluate("window.formsWatched")]


def saved_forms(page: Any) -> list[str]:
    """The words of all sentences, as the page saves them."""
    lines = saved_conllu(page).splitlines()
    return [line.split("\t")[1] for line in lines if "\t" in line]


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


def open_file(page: Any, name: str, contents: str | bytes) -> None:
    buffer = contents if isinstance(contents, bytes) else contents.encode()
    page.locator("#file").set_input_files(files=[{"name": name, "mimeType": "text/plain", "buffer": buffer}])


def saved_conllu(page: Any) -> str:
    """The file that the page saves."""
    with page.expect_download() as download:
        page.locator("#save-conllu").click()
    return Path(download.value.path()).read_bytes().decode()
