"""Screen of `treewhile type`: the text, and tree, next steps and words of the sentence at the cursor."""

from __future__ import annotations

import asyncio
import signal
import unicodedata
from contextlib import suppress
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document as TypedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, Window
from rich.cells import cell_len, set_cell_size

from treewhile.incremental.parsers.shipped_models import installed_models
from treewhile.incremental.sessions.document_edits import edit_between
from treewhile.incremental.sessions.messages import AnalysisMessage, OptionChanges, Stream
from treewhile.incremental.texts.languages import LANGUAGES
from treewhile.oracles.errors import InputError
from treewhile.server.client.client import Client, connect
from treewhile.server.client.documents import Document
from treewhile.server.terminal.message_drawings import phrase_lines, step_lines, tree_lines, word_lines

KEYS: Final = "Ctrl-C ends"
MOST_LINES: Final = 6  # of the text
LOOK_AGAIN: Final = 1.0  # seconds; a lost connection causes no message


async def type_at(url: str, token: str | None, model: str | None, with_phrases: bool) -> int:
    """Run the screen until the user or a signal ends it; return the number of the signal, or 0."""
    async with connect(url, token, model=model) as client:
        if with_phrases and not client.welcome.constituents:
            what = f"the model {client.welcome.model} knows of no constituents"
            raise InputError(f"{what}: leave --constituents out, or name another model")
        options = options_of(client.welcome.completeness, with_phrases)
        document = await client.open("terminal", text="", options=options)
        return await _Screen(client, document).run()


def options_of(tells_completeness: bool, with_phrases: bool) -> OptionChanges:
    """Return the options of the document."""
    wanted: dict[Stream, bool] = {
        "analyses": True,
        "plan": True,
        "constituents": with_phrases,
        "completeness": tells_completeness,
    }
    streams = [stream for stream, is_wanted in wanted.items() if is_wanted]
    return OptionChanges(streams=streams, risk=1)


class _Screen:
    """Screen that sends typed text to a document, and draws its analyses."""

    def __init__(self, client: Client, document: Document) -> None:
        self._client, self._document = client, document
        self._is_typed = asyncio.Event()
        self._typed = Buffer(multiline=True, on_text_changed=lambda _: self._is_typed.set())
        self._application = Application[int | None](
            Layout(
                HSplit(
                    [
                        Window(
                            BufferControl(self._typed),
                            height=Dimension(min=1, max=MOST_LINES),
                            dont_extend_height=True,
                            wrap_lines=True,
                        ),
                        Window(height=1),
                        Window(FormattedTextControl(self._tree)),
                        Window(FormattedTextControl(self._state), height=1, style="dim"),
                    ]
                )
            ),
            key_bindings=key_bindings(),
            full_screen=True,
            refresh_interval=LOOK_AGAIN,
        )

    async def run(self) -> int:
        """Run the screen, and return the number of the signal that has ended it, or 0."""
        with suppress(NotImplementedError, AttributeError):  # on Windows
            for number in (signal.SIGHUP, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, self._end, number)
        screen = self._application.run_async(handle_sigint=False)
        tasks = [asyncio.create_task(work) for work in (screen, self._send(), self._show())]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # restores the terminal
        with suppress(EOFError):  # the terminal is gone
            return max(task.result() or 0 for task in done)
        return 0

    def _end(self, number: int) -> None:
        if self._application.is_running and not self._application.is_done:
            self._application.exit(result=number)

    async def _send(self) -> None:
        while True:
            await self._is_typed.wait()
            self._is_typed.clear()
            edit = edit_between(self._document.text, self._typed.text)
            if edit:
                await self._document.edit(*edit)

    async def _show(self) -> None:
        async for _ in self._document.messages():
            error = self._document.view.error
            if error and error.code != "unsupported_script":  # removes refused text
                cursor = min(self._typed.cursor_position, len(self._document.text))
                self._typed.document = TypedText(self._document.text, cursor)
            self._application.invalidate()

    @property
    def _analysis(self) -> AnalysisMessage | None:
        return self._document.view.sentence_at(self._typed.cursor_position)

    def _tree(self) -> str:
        analysis, width = self._analysis, self._application.output.get_size().columns
        if analysis is None:
            return ""
        steps = step_lines(self._document.view.steps[analysis.sentence], analysis)
        draw = tree_lines if analysis.constituents is None else phrase_lines
        lines = [*draw(analysis, width), "", *steps, *([""] if steps else []), *word_lines(analysis)]
        return "\n".join(set_cell_size(line, min(width, cell_len(line))) for line in lines)

    def _state(self) -> str:
        analysis, error = self._analysis, self._document.view.error
        if error:
            return error.message
        if not self._client.is_connected:
            return f"the connection is lost, coming back   {KEYS}"
        if analysis is None:
            return f"type a sentence   {KEYS}"
        if self._document.view.looks_like:
            return f"{self._other_language(self._document.view.looks_like)}   {KEYS}"
        stable = f"{analysis.stable_upto} of {len(analysis.words)} words stable"
        proven = ", and nothing is better" if analysis.proven else ""
        parts = [
            f"{analysis.stage}{proven} after {1000 * analysis.seconds:.1f} ms",
            stable,
            *self._ends(analysis),
            KEYS,
        ]
        return "   ".join(parts)

    def _other_language(self, language: str) -> str:
        """Return what to do about a text in another language than the model's."""
        models = {*self._client.welcome.models, *installed_models()}
        instead = f"begin with --model {language}" if language in models else "there is no model of it here"
        return f"this looks like {LANGUAGES.get(language, language)}: {instead}"

    def _ends(self, analysis: AnalysisMessage) -> list[str]:
        """Return the completeness of the sentence, if it is the last one and this is known."""
        known = self._document.view.completeness
        if known is None or known.sentence != analysis.sentence:
            return []
        return [f"may end: {known.may_end:.0%}, has ended: {known.ends:.0%}"]


def key_bindings() -> KeyBindings:
    """Return bindings: Ctrl-C and Ctrl-D end, and typed text is cleaned."""
    keys = KeyBindings()

    @keys.add("c-c")
    @keys.add("c-d")
    def _(event: KeyPressEvent) -> None:
        event.app.exit()

    @keys.add(Keys.Any)
    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(_clean(event.data))

    return keys


def _clean(typed: str) -> str:
    """Remove control characters, and replace bytes that are not UTF-8."""
    lines = typed.replace("\r\n", "\n").replace("\r", "\n")
    letters = ("\ufffd" if unicodedata.category(letter) == "Cs" else letter for letter in lines)
    return "".join(letter for letter in letters if letter == "\n" or unicodedata.category(letter) != "Cc")
