"""How long an editor waits for the language server: real messages over pipes, from pygls's own client.

Somebody types invented English at the start, in the middle and at the end of a document, a letter each
twelfth of a second, and each goes out as an editor sends it, with the question for hints behind it.

    hints    from the letter to the answer about words that must still come
    lists    how many lists of all diagnostics the letters cost
    settled  from opening the document to the last diagnostics of it, once

    lines    each paragraph is a line, or the document is a single one

Beside them, in microseconds within one process, is what keeping text and positions costs a letter. All is by
the clock: what else runs on the machine is in it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Final

from lsprotocol import types
from measuring import machine
from pygls.lsp.client import LanguageClient
from rich.console import Console
from rich.table import Table

from treewhile.incremental.sessions.document_edits import edit_between
from treewhile.server.doors.lsp.edited_texts import EditedText, prose_of
from treewhile.server.load.invented_texts import invented_words

WORDS: Final = 5000
WORDS_A_PARAGRAPH: Final = 80
LETTERS: Final = 200  # at each place
LETTER: Final = 1 / 12  # seconds
QUIET: Final = 2.0  # seconds after which nothing more is expected
PLACES: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}
LANGUAGES: Final = ("plaintext", "markdown")


@dataclass
class Waits:
    """Seconds, and lists of diagnostics."""

    hints: list[float] = field(default_factory=list)
    lists: int = 0


class Typist:
    """An editor with one document, and who types in it."""

    def __init__(self) -> None:
        self.client = LanguageClient("typist", "1")
        self.waits = Waits()
        self.last_news = perf_counter()
        self.answered = asyncio.Event()
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda news: self.take(news))

    def take(self, _: types.PublishDiagnosticsParams) -> None:
        self.last_news = perf_counter()
        self.waits.lists += 1
        self.answered.set()

    async def begin(self) -> None:
        await self.client.start_io(sys.executable, "-m", "treewhile.server.commands", "lsp")
        await self.client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        self.client.initialized(types.InitializedParams())

    async def end(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def open(self, uri: str, language: str, text: str) -> float:
        """Seconds until there was nothing new any more."""
        start = perf_counter()
        self.answered.clear()
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 0, text))
        )
        await self.answered.wait()
        await self.quiet()
        return self.last_news - start

    async def quiet(self) -> None:
        while perf_counter() - self.last_news < QUIET:
            await asyncio.sleep(QUIET / 10)

    async def type(self, uri: str, text: EditedText, place: int, letters: str, version: int) -> Waits:
        """How long each letter waited."""
        self.waits = Waits()
        questions: list[asyncio.Task[None]] = []
        for number, letter in enumerate(letters):
            due = perf_counter() + LETTER
            at = text.position(place + number)
            change = types.TextDocumentContentChangePartial(range=types.Range(at, at), text=letter)
            text.change(change)
            document = types.VersionedTextDocumentIdentifier(version=version + number, uri=uri)
            self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
            questions.append(asyncio.create_task(self.ask(uri, at)))
            await asyncio.sleep(max(0, due - perf_counter()))
        await asyncio.gather(*questions)
        await self.quiet()
        return self.waits

    async def ask(self, uri: str, at: types.Position) -> None:
        start = perf_counter()
        around = types.Range(types.Position(max(0, at.line - 20), 0), types.Position(at.line + 20, 0))
        document = types.TextDocumentIdentifier(uri)
        await self.client.text_document_inlay_hint_async(types.InlayHintParams(document, around))
        self.waits.hints.append(perf_counter() - start)


def invented_text(words: int, is_one_line: bool) -> str:
    forms = [*islice(invented_words(Random(18)), words)]
    starts = range(0, words, WORDS_A_PARAGRAPH)
    paragraphs = [" ".join(forms[start : start + WORDS_A_PARAGRAPH]) for start in starts]
    return (" " if is_one_line else "\n\n").join(paragraphs)


def letters_to_type() -> str:
    return " ".join(islice(invented_words(Random(81)), LETTERS))[: LETTERS - 1] + " "


async def measured(words: int, language: str, is_one_line: bool, show: Callable[..., None]) -> None:
    typist = Typist()
    await typist.begin()
    text = EditedText(invented_text(words, is_one_line), "utf-16")
    layout = "one line" if is_one_line else "paragraphs"
    settled = await typist.open("file:///typed", language, text.text)
    for number, (where, share) in enumerate(PLACES.items()):
        place = start_of_word(text.text, int(share * len(text.text)))
        waits = await typist.type("file:///typed", text, place, letters_to_type(), 1 + number * LETTERS)
        show(language, layout, where, *figures(waits.hints), str(waits.lists), f"{settled:.1f} s")
    await typist.end()


def start_of_word(text: str, place: int) -> int:
    return text.rfind(" ", 0, place) + 1 if place < len(text) else place


def figures(seconds: Sequence[float]) -> list[str]:
    """Median, p99 and the longest, in milliseconds, of how many."""
    if len(seconds) < 2:
        return ["-", "-", "-", str(len(seconds))]
    longest = quantiles(seconds, n=100)[98]
    milliseconds = [f"{1000 * value:.1f}" for value in (median(seconds), longest, max(seconds))]
    return [*milliseconds, str(len(seconds))]


def cost_of_text(words: int, language: str, is_one_line: bool) -> float:
    """Microseconds a letter for the text, its lines, its prose and the edit, in the middle."""
    text = EditedText(invented_text(words, is_one_line), "utf-16")
    at = text.position(len(text.text) // 2)
    before, costs = prose_of(text.text, language), list[float]()
    for letter in letters_to_type():
        start = perf_counter()
        text.change(types.TextDocumentContentChangePartial(range=types.Range(at, at), text=letter))
        prose = prose_of(text.text, language)
        edit_between(before, prose)
        text.position(len(text.text) - 1)
        costs.append(perf_counter() - start)
        before = prose
    return 1e6 * median(costs)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=WORDS)
    options = parser.parse_args()
    console = Console(width=140)
    console.print(f"{machine()}\n{options.words} words, {LETTERS} letters at each place; milliseconds")
    table = Table("language", "lines", "where")
    for figure in ("hints median", "p99", "longest", "of", "lists", "settled"):
        table.add_column(figure, justify="right")
    for language, is_one_line in (("plaintext", False), ("markdown", False), ("plaintext", True)):
        asyncio.run(measured(options.words, language, is_one_line, table.add_row))
    console.print(table)
    for language in LANGUAGES:
        for is_one_line in (False, True):
            cost = cost_of_text(options.words, language, is_one_line)
            layout = "one line" if is_one_line else "paragraphs"
            console.print(f"text and positions, {language}, {layout}: {cost:.0f} µs")


if __name__ == "__main__":
    main()
