"""The screen of `treewhile type`: the text, and of the sentence at the cursor tree, next steps and words."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from rich.cells import cell_len, set_cell_size

from treewhile.incremental.sessions.messages import (
    AnalysisMessage,
    ErrorMessage,
    Head,
    OptionChanges,
    SentencesMessage,
    StepsMessage,
)
from treewhile.server.client.client import Client, Document, connect
from treewhile.server.terminal.arc_drawings import draw_arcs
from treewhile.server.terminal.consoles import shown
from treewhile.server.terminal.step_lines import LATER, node_name, step_lines
from treewhile.server.terminal.typing_keys import TypedLine

ALTERNATE, NORMAL = "\x1b[?1049h\x1b[?2004h", "\x1b[?2004l\x1b[?1049l"
HIDE, SHOW, TOP, REST_OF_LINE, REST_OF_SCREEN = "\x1b[?25l", "\x1b[?25h", "\x1b[H", "\x1b[K", "\x1b[J"
DIM, PLAIN = "\x1b[2m", "\x1b[0m"
CURSOR: Final = "▏"
KEYS: Final = "Ctrl-C ends"
READ: Final = 4096  # bytes of keys at a time
FORM, TAG, HEAD = 20, 6, 20  # widths of columns


async def type_at(url: str, token: str | None, model: str | None) -> int:
    """Types at a server until somebody wants to end. Returns the signal that ended it, or 0."""
    async with connect(url, token, model=model) as client:
        document = await client.open(
            "terminal", text="", options=OptionChanges(streams=["analyses", "plan"], risk=1)
        )
        with _raw_terminal():
            return await _Screen(client, document).run()


class _Screen:
    """Keys go to the document; what comes back is drawn."""

    def __init__(self, client: Client, document: Document) -> None:
        self._client, self._document, self._line = client, document, TypedLine()
        self._keys: asyncio.Queue[bytes] = asyncio.Queue()
        self._complaint, self._signal = "", 0
        self._steps: dict[int, StepsMessage] = {}  # by sentence

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        for number in (signal.SIGHUP, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, number)
        loop.add_signal_handler(signal.SIGWINCH, self._draw)
        tasks = [asyncio.create_task(self._type()), asyncio.create_task(self._show())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            loop.remove_reader(sys.stdin.fileno())
            for task in tasks:
                task.cancel()
        return self._signal

    def _end(self, number: int) -> None:
        self._signal = number
        self._keys.put_nowait(b"")

    def _read(self) -> None:
        try:
            self._keys.put_nowait(os.read(sys.stdin.fileno(), READ))
        except OSError:
            self._keys.put_nowait(b"")

    async def _type(self) -> None:
        self._draw()
        while not self._line.is_over:
            keys = await self._keys.get()
            if not keys:  # the terminal is gone
                return
            for edit in self._line.take(keys):
                await self._document.edit(*edit)
            self._draw()

    async def _show(self) -> None:
        async for message in self._document.messages():
            if isinstance(message, StepsMessage):
                self._steps[message.sentence] = message
            elif isinstance(message, SentencesMessage) and (message.removed or message.added):
                self._steps.clear()
            self._complaint = message.message if isinstance(message, ErrorMessage) else ""
            if self._complaint:
                self._line.put(self._document.text)  # without what was refused
            self._draw()

    def _draw(self) -> None:
        width, height = shutil.get_terminal_size()
        lines = [*self._lines(width, height)][:height]
        drawn = f"{REST_OF_LINE}\r\n".join(lines)
        sys.stdout.write(f"{HIDE}{TOP}{drawn}{REST_OF_LINE}{REST_OF_SCREEN}")
        sys.stdout.flush()

    def _lines(self, width: int, height: int) -> Iterator[str]:
        yield _last_cells(self._text(), width)
        yield ""
        analysis = sentence_at(self._document.sentences, self._line.cursor)
        words = [] if analysis is None else [*tree_lines(analysis, width), "", *self._below(analysis)]
        yield from (set_cell_size(line, min(width, cell_len(line))) for line in words[: height - 4])
        yield ""
        yield f"{DIM}{set_cell_size(self._state(analysis), width - 1).rstrip()}{PLAIN}"

    def _below(self, analysis: AnalysisMessage) -> list[str]:
        steps = step_lines(self._steps.get(analysis.sentence), analysis)
        return [*steps, *([""] if steps else []), *word_lines(analysis)]

    def _text(self) -> str:
        text, cursor = self._line.text, self._line.cursor
        before = shown(text[:cursor].replace("\n", " "))
        return f"{before}{CURSOR}{shown(text[cursor:].replace(chr(10), ' '))}"

    def _state(self, analysis: AnalysisMessage | None) -> str:
        if self._complaint:
            return self._complaint
        if not self._client.is_connected:
            return f"the connection is lost, coming back   {KEYS}"
        if analysis is None:
            return f"type a sentence   {KEYS}"
        stable = f"{analysis.stable_upto} of {len(analysis.words)} words stable"
        return f"{analysis.stage} after {1000 * analysis.seconds:.1f} ms   {stable}   {KEYS}"


@contextmanager
def _raw_terminal() -> Iterator[None]:
    """Single keys, and a screen of its own; all as before in the end."""
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard)
        sys.stdout.write(ALTERNATE)
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        sys.stdout.write(f"{SHOW}{NORMAL}")
        sys.stdout.flush()


# --- what is drawn ------------------------------------------------------------------------------------------


def sentence_at(sentences: Sequence[AnalysisMessage | None], place: int) -> AnalysisMessage | None:
    """The sentence in which a place of the text is, if it has an analysis."""
    begun = [one for one in sentences if one is not None and one.start <= place]
    return begun[-1] if begun else next((one for one in sentences if one), None)


def tree_lines(analysis: AnalysisMessage, width: int) -> list[str]:
    """The tree over as many of the last words as fit, virtual nodes included."""
    forms = [shown(word.form) for word in analysis.words]
    nodes = [one.node for one in analysis.virtual]
    heads = [*(word.head for word in analysis.words), *(one.head for one in analysis.virtual)]
    names = [*forms, *(f"[{one.tag}]" for one in analysis.virtual), *([LATER] if "later" in heads else [])]
    hidden = _hidden(names, width)

    def place(head: Head) -> int | None:
        if head is None or head == 0:
            return head
        if head == "later":
            return len(names) - hidden
        known = head if head > 0 else len(forms) + 1 + nodes.index(-head)
        return known - hidden if known > hidden else None

    places = [place(head) for head in heads] + [None] * (len(names) - len(heads))
    return draw_arcs(names[hidden:], places[hidden:]).split("\n")


def _hidden(names: Sequence[str], width: int) -> int:
    """How many first ones have no room, in columns as wide as `draw_arcs` makes them."""
    room = width - len("root ")
    for number in range(len(names), 0, -1):
        room -= max(3, cell_len(names[number - 1])) + 1
        if room < 0:
            return number
    return 0


def word_lines(analysis: AnalysisMessage) -> list[str]:
    """Every word with its tag, head and label, the last one first: new words stay where one looks."""
    rows = [
        (
            set_cell_size(shown(word.form), FORM),
            word.tag.ljust(TAG),
            set_cell_size(node_name(word.head, analysis), HEAD),
            word.label,
        )
        for word in analysis.words
    ]
    return [f"{form} {tag} {head} {label or ''}".rstrip() for form, tag, head, label in reversed(rows)]


def _last_cells(text: str, width: int) -> str:
    """As much of the end as fits."""
    while cell_len(text) >= width:
        text = text[max(1, (cell_len(text) - width) // 2) :]
    return text
