"""The words of the trees that the page draws."""

from __future__ import annotations

from typing import Any

FORMS = """id => {
    const forms = document.getElementById(id)?.shadowRoot?.querySelectorAll(".word:not(.ghost) .form");
    return [...(forms ?? [])].map(form => form.textContent);
}"""


def text_of(known: str) -> str:
    """The text of words with their heads, as fake sessions know them."""
    return " ".join(word.rsplit("/", 3)[0] for word in known.split())


def drawn_forms(page: Any, tree: str = "tree") -> list[str]:
    return [*page.evaluate(FORMS, tree)]


def wait_for_forms(page: Any, forms: list[str], tree: str = "tree") -> None:
    page.wait_for_function(
        f"([id, forms]) => JSON.stringify(forms) === JSON.stringify(({FORMS})(id))", arg=[tree, forms]
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


CROSSINGS = """tree => {
    const crossed = [];
    for (const row of tree.shadowRoot.querySelectorAll("svg > g")) {
        const lines = [...row.querySelectorAll(".line")].map((line) => {
            const box = line.getBBox();
            const [start, end] = [line.getPointAtLength(0), line.getPointAtLength(line.getTotalLength())];
            const feet = [start, end].filter((one) => one.y > box.y + 1).map((one) => one.x);
            return { left: box.x, right: box.x + box.width, top: box.y, feet };
        });
        for (const one of lines) for (const other of lines)
            if (one !== other && other.top < one.top - 1)
                crossed.push(...other.feet.filter((x) => one.left + 1 < x && x < one.right - 1));
    }
    return crossed.length;
}"""


def drawn_crossings(page: Any) -> int:
    """How often the arcs that the page draws cross each other."""
    return int(page.locator("#tree").evaluate(CROSSINGS))
