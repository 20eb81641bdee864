"""What a correction costs those who correct: measured in Chromium, with a server of its own on this machine.

A word of an invented sentence is dragged to another head by the mouse, and freed again; then another one:

    waits      from the drop to the frame whose tree has the word under its new head, parsed anew around it;
               the search for a better tree may go on behind that
    refused    drops that the server or the page refuses, such as circles, or of words too far away

Heads are at most ten words away, and mostly wrong: sentences are harder to parse around these than around
what an annotator decides.

All is by the clock: what else runs on the machine is in it.
"""

from __future__ import annotations

import argparse
import os
import random
from typing import Any, Final, NamedTuple

from bench_editor import opened_page, sentences
from rich.console import Console
from rich.table import Table

WATCH: Final = """() => {
    const tree = document.getElementById("tree");
    let due = null;
    const look = () => {
        if (!due) return;
        const { number, head, since } = due;
        const word = tree.analysis.words[number - 1];
        if (word?.head !== head || !word.fixed?.includes("head")) return;
        const one = due;
        const painted = new MessageChannel();
        painted.port1.onmessage = () => (one.wait ??= performance.now() - since);
        painted.port2.postMessage(null);
    };
    const watching = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(look).observe(tree.shadowRoot, watching);
    window.awaitHead = (number, head) => {
        due = { number, head, since: Infinity };
        const take = ({ timeStamp }) => (due.since = timeStamp);
        addEventListener("pointerup", take, { capture: true, once: true });
    };
    window.waitOfHead = () => due?.wait ?? null;
    const middleOf = (form) => {
        const { left, top, width, height } = form.getBoundingClientRect();
        return [left + width / 2, top + height / 2];
    };
    const forms = () => [...tree.shadowRoot.querySelectorAll(".word:not(.ghost) .form")];
    const room = () => tree.shadowRoot.querySelector(".room").getBoundingClientRect();
    const isSeen = ([x, y]) => {
        const { left, right, top, bottom } = room();
        return left < x && x < right && top < y && y < bottom;
    };
    window.placesIfSeen = (words) => {
        forms()[words[0] - 1].scrollIntoView({ block: "center", inline: "center" });
        const places = words.map((number) => middleOf(forms()[number - 1]));
        return places.every(isSeen) ? places : null;
    };
}"""
FAR: Final = 10  # words between a word and its head, at most
READY: Final = """() => {
    const { words } = document.getElementById("tree").analysis;
    return words.length > 0 && words.every(({ fixed }) => !fixed?.length);
}"""
ANSWERED: Final = (
    "() => window.waitOfHead() || /cannot|stays/.test(document.getElementById('correction-told').textContent)"
)


class Waits(NamedTuple):
    """Milliseconds of the drops that were taken, in rising order, and how many were refused."""

    taken: list[float]
    refused: int


def waits_of_drops(page: Any, words: int, drops: int) -> Waits:
    (sentence,) = sentences(1, words, seed=words)
    page.keyboard.insert_text(sentence)
    page.set_viewport_size({"width": 1280, "height": 6000})
    page.locator("#stage", has_text="complete").wait_for()
    page.evaluate(WATCH)
    source, found, refused = random.Random(words), list[float](), 0
    while len(found) < drops:
        number = source.randint(1, words)
        head = source.choice([one for one in range(number - FAR, number + FAR + 1) if 0 < one <= words])
        wait = None if head == number else wait_of_drop(page, number, head)
        if wait is None:
            refused += head != number
            continue
        found.append(wait)
        page.locator("#correct-undo").click()
        page.wait_for_function(READY)
        page.locator("#stage", has_text="complete").wait_for()  # a better tree would move the words
    return Waits(sorted(found), refused)


def wait_of_drop(page: Any, number: int, head: int) -> float | None:
    """The wait for the tree; None if the drop was refused, or the words are not seen together."""
    places = page.evaluate("words => window.placesIfSeen(words)", [number, head])
    if places is None:
        return None
    (x, y), (to_x, to_y) = places
    page.evaluate("([number, head]) => window.awaitHead(number, head)", [number, head])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20)
    page.mouse.move(to_x, to_y, steps=2)
    page.mouse.up()
    page.wait_for_function(ANSWERED)
    wait: float | None = page.evaluate("window.waitOfHead()")
    return wait


def share(waits: list[float], part: float) -> str:
    return f"{waits[int(part * (len(waits) - 1))]:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--drops", type=int, default=100, help="how many drops of each length are measured")
    arguments = parser.parse_args()
    console = Console(width=110)
    load = " ".join(f"{one:.2f}" for one in os.getloadavg())
    console.print(f"{os.cpu_count()} cores, load before {load}; {arguments.drops} drops each")
    table = Table("words", "p50", "p95", "p99", "to reach", "refused")
    for words, target in ((40, "p50 30, p99 80 ms"), (120, "p95 300 ms")):
        with opened_page(arguments.model) as page:
            waits = waits_of_drops(page, words, arguments.drops)
        shares = [share(waits.taken, part) for part in (0.5, 0.95, 0.99)]
        table.add_row(str(words), *shares, target, str(waits.refused))
    console.print(table)


if __name__ == "__main__":
    main()
