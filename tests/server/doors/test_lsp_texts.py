from __future__ import annotations

import random
import re

import pytest

types = pytest.importorskip("lsprotocol.types")

from treewhile.server.doors.lsp.edited_texts import EditedText, prose_of  # noqa: E402
from treewhile.server.doors.lsp.settings import Settings, read_settings  # noqa: E402

LETTERS = ["a", "b", "é", "語", "🎉", "\n", "\r\n", "\r", "\u2028"]
BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def slow_position(text: str, place: int, encoding: str) -> tuple[int, int]:
    """By the definition: ends of lines before it, and units from the last of them on."""
    codec, size = BYTES[encoding]
    ends = [end.end() for end in re.finditer("\r\n|\n|\r", text) if end.end() <= place]
    return len(ends), len(text[ends[-1] if ends else 0 : place].encode(codec)) // size


@pytest.mark.parametrize("encoding", BYTES)
def test_any_edits_give_the_text_that_the_editor_has(encoding: str) -> None:
    source = random.Random(18)
    for _ in range(200):
        text = "".join(source.choices(LETTERS, k=source.randrange(12)))
        edited = EditedText(text, encoding)
        for _ in range(8):
            places = [n for n in range(len(text) + 1) if text[n - 1 : n + 1] != "\r\n"]
            start, end = sorted(source.choices(places, k=2))
            new = "".join(source.choices(LETTERS, k=source.randrange(4)))
            positions = [types.Position(*slow_position(text, place, encoding)) for place in (start, end)]
            assert [edited.place(position) for position in positions] == [start, end]
            assert [edited.position(start), edited.position(end)] == positions
            edited.change(types.TextDocumentContentChangePartial(range=types.Range(*positions), text=new))
            text = text[:start] + new + text[end:]
            assert edited.text == text


def test_positions_outside_are_ends() -> None:
    text = EditedText("one\r\ntwo 🎉\n", "utf-16")
    assert text.place(types.Position(0, 99)) == 3
    assert text.place(types.Position(1, 5)) == 9  # in the middle of a pair
    assert text.place(types.Position(9, 9)) == len(text.text)
    assert [text.has(types.Position(*one)) for one in ((0, 3), (0, 4), (1, 6), (2, 0), (3, 0))] == [
        True,
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(("encoding", "text"), [("utf-16", "a\0\x85\x9b\ud83d"), ("utf-8", "a\0\x9b")])
def test_what_no_text_has_is_replaced_by_what_is_as_long(encoding: str, text: str) -> None:
    codec, _ = BYTES[encoding]
    replaced = EditedText(text, encoding).text
    assert len(replaced.encode(codec)) == len(text.encode(codec, "surrogatepass"))
    assert "\0" not in replaced
    assert "\x9b" not in replaced
    assert "\ud83d" not in replaced


@pytest.mark.parametrize(
    ("markdown", "prose"),
    [
        ("# A *red* car", "A red car"),
        ("- the `cat` sits", "the XXX sits"),
        ("See [the page](http://a.example/b) now", "See the page now"),
        ("a <b>bold</b> word <!-- no -->", "a bold word"),
        ("> quoted\n```py\ncode()\n```\nafter", "quoted after"),
        ("---\ntitle: x\n---\nText", "Text"),
        ("~~~\nnever closed", ""),
    ],
)
def test_prose_of_markdown_stands_at_its_places(markdown: str, prose: str) -> None:
    found = prose_of(markdown, "markdown")
    assert found.split() == prose.split()
    assert len(found) == len(markdown)
    assert all(one == other or one in " X" for one, other in zip(found, markdown, strict=True))
    assert prose_of(markdown, "plaintext") == markdown


def test_settings_are_read_and_what_is_wrong_is_said_once() -> None:
    assert read_settings({"treewhile": {"severity": "hint"}}) == (Settings(severity="hint"), [])
    assert read_settings(None) == (Settings(), [])
    block = {"severity": "loud", "models": {"markdown": "nl"}, "sevrity": 1, "maxFileLength": -1}
    settings, complaints = read_settings(block)
    assert settings == Settings(models={"markdown": "nl"})
    assert settings.model_for("markdown") == "nl"
    assert settings.model_for("plaintext") == "en"
    assert [re.findall("severity|sevrity|maxFileLength", line)[0] for line in complaints] == [
        "severity",
        "sevrity",
        "maxFileLength",
    ]
    assert len(read_settings([1])[1]) == 1
