from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from cases import each
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.output import DummyOutput

from treewhile.incremental.sessions.document_edits import edit_between
from treewhile.server.terminal.typing_screens import key_bindings


class Typed(NamedTuple):
    """What stands there when somebody has ended."""

    text: str
    cursor: int


async def typed(*pieces: bytes, end: bytes = b"\x03") -> Typed:
    text = ""

    def note(buffer: Buffer) -> None:
        nonlocal text
        edit = edit_between(text, buffer.text)
        assert edit
        assert 0 <= edit.start <= edit.end <= len(text)
        text = text[: edit.start] + edit.text + text[edit.end :]

    buffer = Buffer(multiline=True, on_text_changed=note)
    with create_pipe_input() as keys:
        application = Application[None](
            Layout(Window(BufferControl(buffer))),
            key_bindings=key_bindings(),
            input=keys,
            output=DummyOutput(),
        )
        for piece in (*pieces, end):
            keys.send_bytes(piece)
        await application.run_async()
    assert text == buffer.text
    return Typed(buffer.text, buffer.cursor_position)


@each(
    "keys, text, cursor",
    [
        (b"the dog", "the dog", 7),
        (b"dog\x7for", "door", 4),
        (b"\x7f\x17\x15", "", 0),
        (b"ab\x1b[D\x1b[Dx\x1b[Cy", "xayb", 3),
        (b"ab\x1bODx\x1b[F\x1b[H\x1b[3~", "xb", 0),
        (b"the old dog \x17cat", "the old cat", 11),
        (b"the dog\x1b[D\x15", "g", 0),
        ("ξένος🎉\x7f".encode(), "ξένος", 5),
        (b"a\rb\tc", "a\nbc", 4),
        (b"\x1b[200~pasted text\x1b[201~", "pasted text", 11),
        (b"a\xffb", "a\ufffdb", 3),
        ("a\x80\x85\x9bb".encode(), "ab", 2),
        (b"\x1b[1;5Cx\x1b[15~", "x", 1),
    ],
)
async def test_keys_do_what_they_say_however_they_arrive(keys: bytes, text: str, cursor: int) -> None:
    assert await typed(keys) == (text, cursor)
    assert await typed(*(bytes([key]) for key in keys)) == (text, cursor)


@pytest.mark.parametrize("key", [b"\x03", b"\x04"])
async def test_some_keys_end(key: bytes) -> None:
    assert await typed(b"a", end=key) == ("a", 1)


@pytest.mark.slow
async def test_any_bytes_are_taken() -> None:
    source = random.Random(1)
    for _ in range(40):
        line = await typed(*(source.randbytes(source.randrange(1, 8)) for _ in range(5)), end=b"\x03" * 9)
        assert 0 <= line.cursor <= len(line.text)
