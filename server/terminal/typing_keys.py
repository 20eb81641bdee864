"""Key bindings that differ from those of prompt_toolkit."""

from __future__ import annotations

import unicodedata

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys


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
