"""Keys that prompt_toolkit does not treat as this house does, and how a typed text has changed."""

from __future__ import annotations

import unicodedata
from itertools import takewhile
from typing import NamedTuple

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys


class TextEdit(NamedTuple):
    """`text` takes the place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str


def edit_between(before: str, after: str) -> TextEdit | None:
    """The shortest edit from one text to the other; None if they are the same."""
    if before == after:
        return None
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    return TextEdit(start, len(before) - end, after[start : len(after) - end])


def _shared(one: str, other: str) -> int:
    """How many first characters two texts share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def key_bindings() -> KeyBindings:
    """Ctrl-C and Ctrl-D end; only what belongs in a text gets there."""
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
    """Without control characters; bytes that are no UTF-8 are replaced."""
    lines = typed.replace("\r\n", "\n").replace("\r", "\n")
    letters = ("\ufffd" if unicodedata.category(letter) == "Cs" else letter for letter in lines)
    return "".join(letter for letter in letters if letter == "\n" or unicodedata.category(letter) != "Cc")
