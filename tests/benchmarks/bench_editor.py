"""What the editor costs those who type: measured in Chromium, with a server of its own on this machine.

    word to tree    from the last letter of a word to the frame whose tree has that word
    key to tree     from each letter to the frame whose tree has it, behind so many words of one sentence
    scripting       of one word in a sentence of 40 words: all that runs for its letters and for the analyses
                    that they bring; beside it the same letters in the same editor without treewhile, so that
                    the difference is ours. Layout that a script asks for is in it
    longest task    while 10,000 words are pasted, analysed, and typed behind
    ghosts          of the frames while sentences are typed at 80 words a minute: those with a mark of an
                    expected word inside a word or before text, and how far marks have moved the cursor
    bundle          all that the page loads before a part of it is opened, gzipped

Scripting is CPU time of the page's main thread, and so are tasks in the second row of each paste. All else is
by the clock: what else runs on the machine is in it.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from treewhile.oracles.errors import InputError
from treewhile.server.process.own_servers import SERVE, own_server

ROOT: Final = Path(__file__).parents[2]
BUILT: Final = ROOT / "web" / "built"
BARE: Final = ROOT / "build" / "bare-editor" / "page.js"
PHRASES: Final = (
    "the old neighbour who lives near our river sends remarkably long letters",
    "about dogs cats and gardens to everybody she knows but nobody answers",
    "because they are so complicated",
)
WORDS: Final = [word for phrase in PHRASES for word in phrase.split()]
LETTERS_A_SECOND: Final = 12
PASTED, TYPED_BEHIND = 10_000, 12
LONG_SENTENCE, ONE_SENTENCE = 40, 150
LONG_TYPED: Final = 18
SETTLING: Final = 300  # milliseconds
AT_80_WORDS: Final = 150  # milliseconds a letter
GHOST_FRAMES: Final = (ROOT / "tests" / "support" / "ghost_frames.js").read_text()

WATCH_KEYS: Final = """(words) => {
    const tree = document.getElementById("tree");
    const due = [];
    let [count, form] = [words, ""];
    window.waits = [];
    addEventListener("keydown", ({ key, timeStamp }) => {
        if (key === "Enter") [count, form] = [0, ""];
        else if (key === " ") form = "";
        else if (key.length === 1) {
            if (!form) count++;
            form += key;
            due.push({ count, form, since: timeStamp, isLast: false });
        }
        if (key === " " && due.length) due.at(-1).isLast = true;
    }, true);
    new MutationObserver(() => {
        const painted = new MessageChannel();
        const { words } = tree.analysis;
        const drawn = due.filter(({ count, form, at }) => !at && words[count - 1]?.form === form);
        painted.port1.onmessage = () => drawn.forEach((one) => (one.at ??= performance.now()));
        painted.port2.postMessage(null);
    }).observe(tree.shadowRoot, { subtree: true, childList: true, characterData: true });
    const waits = (keys) => keys.filter(({ at }) => at).map(({ at, since }) => at - since);
    window.waitsOfKeys = () => waits(due);
    window.waitsOfWords = () => waits(due.filter(({ isLast }) => isLast));
}"""
WATCH_TASKS: Final = """() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ entryTypes: ["longtask"] });
}"""
PASTE: Final = """(content, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def sentences(count: int, length: int, seed: int = 1) -> list[str]:
    """A number of invented ones, each with the same number of words."""
    source = random.Random(seed)
    return [f"{' '.join(source.choices(WORDS, k=length)).capitalize()}." for _ in range(count)]


@contextmanager
def opened_page(model: str, script: Path | None = None) -> Iterator[Any]:
    """The page of a server that is ready, or one with another script, with the cursor in the text."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise InputError("Chromium is missing: apt-get install chromium")
    with own_server(command=(*SERVE, "--model", model)) as server, sync_playwright() as playwright:
        server.wait_for_search(print)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        if script:
            page.route("**/page.js", lambda route: route.fulfill(path=script))
        page.goto(server.url.replace("ws", "http", 1))
        page.locator("#connection.open").wait_for(state="attached")
        page.locator(".cm-content").click()
        yield page
        browser.close()


def type_text(page: Any, text: str) -> None:
    page.keyboard.type(text, delay=1000 / LETTERS_A_SECOND)


def word_to_tree(page: Any, words: int) -> list[float]:
    """The waits of words in sentences of ten, in rising order."""
    page.evaluate(WATCH_KEYS, 0)
    for sentence in sentences(max(1, words // 10), 10):
        type_text(page, sentence.removesuffix(".") + " ")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    return sorted(page.evaluate("window.waitsOfWords()"))


def key_to_tree(page: Any, behind: int, words: int) -> list[float]:
    """The waits of letters behind so many words, in rising order."""
    begin_sentence(page, behind, is_parsed=True)
    page.wait_for_timeout(SETTLING)
    page.evaluate(WATCH_KEYS, behind)
    for number in range(words):
        type_text(page, f" {WORDS[number % len(WORDS)]}")
    page.wait_for_timeout(SETTLING)
    return sorted(page.evaluate("window.waitsOfKeys()"))


def begin_sentence(page: Any, words: int, is_parsed: bool) -> None:
    (begin,) = sentences(1, words, seed=2)
    page.keyboard.insert_text(begin.removesuffix("."))
    if is_parsed:
        page.wait_for_function(f"() => document.getElementById('tree').analysis.words.length >= {words}")


def scripting_a_word(page: Any, words: int, is_parsed: bool) -> float:
    """Milliseconds of CPU time; the first words are not counted."""
    begin_sentence(page, LONG_SENTENCE, is_parsed)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    type_text(page, f" {' '.join(WORDS[:3])}")
    before = _script_seconds(devtools)
    for number in range(words):
        type_text(page, f" {WORDS[number % len(WORDS)]}")
    page.wait_for_timeout(SETTLING)
    return 1000 * (_script_seconds(devtools) - before) / words


def ghost_frames(page: Any, words: int) -> dict[str, float]:
    """Frames by where marks of expected words stood, and how far these moved the cursor at most."""
    page.evaluate(GHOST_FRAMES)
    for sentence in sentences(max(1, words // LONG_TYPED), LONG_TYPED, seed=4):
        page.keyboard.type(f"{sentence} ", delay=AT_80_WORDS)
    return dict(page.evaluate("window.ghostFrames"))


def _script_seconds(devtools: Any) -> float:
    found = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "ScriptDuration"))


def bare_editor() -> Path | None:
    """The script of a page that is just an editor, where it can be bundled."""
    bundling = ["node", str(ROOT / "web" / "build.mjs"), "--bare"]
    if shutil.which("node") is None or subprocess.run(bundling, check=False).returncode:
        return None
    return BARE


def longest_tasks(page: Any, separator: str) -> tuple[float, float]:
    """Milliseconds by the clock, where tasks up to 50 are not seen, and of CPU time."""
    page.evaluate(WATCH_TASKS)
    with traced_tasks(page) as tasks:
        text = separator.join(sentences(PASTED // 15, 15, seed=3))
        page.locator(".cm-content").evaluate(PASTE, text)
        for _ in range(3):
            type_text(page, f" {' '.join(WORDS[:TYPED_BEHIND])}")
    return float(page.evaluate("window.longest")), max(tasks)


@contextmanager
def traced_tasks(page: Any) -> Iterator[list[float]]:
    """Filled at the end with what each task of the main thread took, in milliseconds of CPU time."""
    devtools = page.context.browser.new_browser_cdp_session()
    events: list[dict[str, Any]] = []
    ends, tasks = list[object](), list[float]()
    devtools.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    devtools.on("Tracing.tracingComplete", lambda data: ends.append(data))
    categories = {"includedCategories": ["devtools.timeline", "disabled-by-default-devtools.timeline"]}
    devtools.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": categories})
    yield tasks
    devtools.send("Tracing.end")
    while not ends:
        page.wait_for_timeout(50)
    main = {one["tid"] for one in events if one["args"].get("name") == "CrRendererMain"}
    tasks += [
        one["tdur"] / 1000
        for one in events
        if one["name"] == "RunTask" and one["tid"] in main and "tdur" in one
    ]


def bundle_kib() -> float:
    """index.html and all that it names, gzipped."""
    page = (BUILT / "index.html").read_text()
    names = {"index.html", *re.findall(r'(?:src|href)="([\w.-]+)"', page)}
    return sum(len(gzip.compress((BUILT / name).read_bytes(), 9)) for name in names) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--words", type=int, default=200, help="how many are typed for the first row")
    arguments = parser.parse_args()
    console = Console(width=110)
    load = " ".join(f"{one:.2f}" for one in os.getloadavg())
    console.print(f"{os.cpu_count()} cores, load before {load}; {LETTERS_A_SECOND} letters a second")
    table = Table("what", "measured", "to reach")
    with opened_page(arguments.model) as page:
        waits = word_to_tree(page, arguments.words)
    middle, late = waits[len(waits) // 2], waits[int(0.99 * (len(waits) - 1))]
    table.add_row(f"word to tree, p50 / p99 of {len(waits)}", f"{middle:.1f} / {late:.1f} ms", "25 / 60 ms")
    for behind, target in ((LONG_SENTENCE, "16 / 25 ms"), (ONE_SENTENCE, "20 / 35 ms")):
        with opened_page(arguments.model) as page:
            waits = key_to_tree(page, behind, arguments.words // 10)
        middle, late = waits[len(waits) // 2], waits[int(0.95 * (len(waits) - 1))]
        told = f"key to tree behind {behind} words, p50 / p95 of {len(waits)}"
        table.add_row(told, f"{middle:.1f} / {late:.1f} ms", target)
    with opened_page(arguments.model) as page:
        scripting = scripting_a_word(page, 12, is_parsed=True)
    table.add_row("scripting for one word at 40, CPU", f"{scripting:.1f} ms", "4 ms")
    bare = bare_editor()
    if bare is None:
        table.add_row("the editor alone", "needs Node.js, and npm ci in web", "")
    else:
        with opened_page(arguments.model, bare) as page:
            alone = scripting_a_word(page, 12, is_parsed=False)
        table.add_row("of that the editor alone", f"{alone:.1f} ms", "")
    with opened_page(arguments.model) as page:
        seen = ghost_frames(page, arguments.words // 5)
    shares = " / ".join(f"{100 * seen[place] / seen['all']:.0f}%" for place in ("inside", "before"))
    table.add_row(f"ghosts in a word / before text, of {seen['all']} frames", shares, "0% / 0%")
    table.add_row("cursor moved by a ghost", f"{seen['moved']:.0f} px", "0 px")
    for told, separator in (("in lines", "\n"), ("in one line", " ")):
        with opened_page(arguments.model) as page:
            by_clock, cpu = longest_tasks(page, separator)
        table.add_row(f"longest task, {PASTED} words pasted {told}", f"{by_clock:.0f} ms", "50 ms")
        table.add_row("longest task, CPU", f"{cpu:.0f} ms", "50 ms")
    table.add_row("bundle, gzipped", f"{bundle_kib():.1f} KiB", "200 KiB")
    console.print(table)


if __name__ == "__main__":
    main()
