"""Fast path for short WebSocket frames, which carry typed letters and their answers.

A typed letter is a whole message in one frame with a one-byte length. Such a frame is decoded here in a tenth
of the time of the library's parser, which has to handle all cases; every other frame goes to that parser. An
answer is a whole message, too, and needs only a frame header.
"""

from __future__ import annotations

from struct import pack
from typing import Any, Final

from websockets.frames import BINARY, TEXT, Frame, apply_mask  # type: ignore[attr-defined]
from websockets.protocol import Protocol
from websockets.streams import StreamReader

LAST: Final = 0x80  # bit of the first byte: this frame ends the message
KINDS: Final = {LAST | TEXT: TEXT, LAST | BINARY: BINARY}  # opcodes by the first byte of a whole message
MASKED: Final = 0x80  # bit of the second byte, whose other bits are the length
HEAD: Final = 6  # bytes: the first two and the mask
LONGEST: Final = 125  # bytes of payload; more need a longer header


def short_message(data: bytes, longest: int = LONGEST) -> Frame | None:
    """Return the frame in some bytes if it is one whole short message, else None."""
    length = len(data) - HEAD
    if not 0 <= length <= longest or data[1] != MASKED | length or data[0] not in KINDS:
        return None
    return Frame(KINDS[data[0]], apply_mask(data[HEAD:], data[2:HEAD]))


def head_of(length: int, is_text: bool) -> bytes:
    """Return the header of a server's frame for a whole message of so many bytes."""
    first = LAST | (TEXT if is_text else BINARY)
    if length <= LONGEST:
        return bytes((first, length))
    return pack("!BBH", first, 126, length) if length < 1 << 16 else pack("!BBQ", first, 127, length)


def is_between_frames(protocol: Protocol) -> bool:
    """Return whether the library's parser has finished a frame and waits for the next one."""
    parser: Any = protocol.parser  # a generator; its innermost generator shows the state
    while parser.gi_yieldfrom:
        parser = parser.gi_yieldfrom
    return parser.gi_code is StreamReader.at_eof.__code__
