"""The frames of letters and of what answers them, which have a shorter way than through the library.

A letter is a whole message, so short that its length is in one byte, and comes alone. It is read here in a
tenth of the time that the parser of the library takes with all that it has to be ready for; everything else
is left to that. An answer is a whole message, too, and needs no more than a head.
"""

from __future__ import annotations

from struct import pack
from typing import Any, Final

from websockets.frames import BINARY, TEXT, Frame, apply_mask  # type: ignore[attr-defined]
from websockets.protocol import Protocol
from websockets.streams import StreamReader

LAST: Final = 0x80  # of the first byte: the message ends with this frame
KINDS: Final = {LAST | TEXT: TEXT, LAST | BINARY: BINARY}  # by the first byte, which says nothing else
MASKED: Final = 0x80  # of the second byte, whose rest is the length
HEAD: Final = 6  # bytes: these two and the mask
LONGEST: Final = 125  # bytes behind the head; more of them need a longer one


def short_message(data: bytes, longest: int = LONGEST) -> Frame | None:
    """The one frame that these bytes are, if that is a whole message and no longer; None otherwise."""
    length = len(data) - HEAD
    if not 0 <= length <= longest or data[1] != MASKED | length or data[0] not in KINDS:
        return None
    return Frame(KINDS[data[0]], apply_mask(data[HEAD:], data[2:HEAD]))


def head_of(length: int, is_text: bool) -> bytes:
    """What stands in a frame of a server before a whole message of so many bytes."""
    first = LAST | (TEXT if is_text else BINARY)
    if length <= LONGEST:
        return bytes((first, length))
    return pack("!BBH", first, 126, length) if length < 1 << 16 else pack("!BBQ", first, 127, length)


def is_between_frames(protocol: Protocol) -> bool:
    """Whether the parser of the library has come to the end of a frame, and waits for the next one."""
    parser: Any = protocol.parser  # a generator; those that it waits for tell how far it is
    while parser.gi_yieldfrom:
        parser = parser.gi_yieldfrom
    return parser.gi_code is StreamReader.at_eof.__code__
