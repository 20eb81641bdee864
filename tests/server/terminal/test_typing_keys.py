from __future__ import annotations

import random

import pytest

from treewhile.server.terminal.typing_keys import TypedLine


def typed(*pieces: bytes) -> TypedLine:
    line, text = TypedLine(), ""
    for piece in pieces:
        for start, end, new in line.take(piece):
            assert 0 <= start <= end <= len(text)
            text = text[:start] + new + text[end:]
    assert text == line.text
    return line


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
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
def test_keys_do_what_they_say_however_they_arrive(keys: bytes, text: str, cursor: int) -> None:
    for line in (typed(keys), typed(*(bytes([key]) for key in keys))):
        assert (line.text, line.cursor, line.is_over) == (text, cursor, False)


@pytest.mark.parametrize("key", [b"\x03", b"\x04"])
def test_some_keys_end(key: bytes) -> None:
    assert typed(b"a", key).is_over


def test_any_bytes_are_taken() -> None:
    source = random.Random(1)
    for _ in range(300):
        line = typed(*(source.randbytes(source.randrange(8)) for _ in range(20)))
        assert 0 <= line.cursor <= len(line.text)
