"""Close codes of the server: number, reason, and whether a client should connect again.

    10xx  standard codes; connect again after 1011, 1012 and 1013, or if there was no code
    40xx  temporary: connect again, with jitter
    44xx  terminal: the same client would be closed again

A browser sees neither the status nor the body of a refused handshake. So a handshake succeeds wherever a
close code can give the reason.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class CloseCode(NamedTuple):
    """Close code with its reason."""

    number: int
    reason: str

    @property
    def is_temporary(self) -> bool:
        """True if it makes sense to connect again."""
        return self.number in (1011, 1012, 1013) or 4000 <= self.number < 4400


BAD_FRAMES: Final = CloseCode(1002, "the frames break the WebSocket standard: use a library for them")
NO_TEXT: Final = CloseCode(1007, "a text frame is not in UTF-8: encode it so")
TOO_LONG: Final = CloseCode(1009, "a message is longer than limits.message_bytes: send shorter ones")
BROKEN: Final = CloseCode(1011, "the server has made a mistake: open your documents again")
RESTART: Final = CloseCode(1012, "the server restarts")
OVERLOAD: Final = CloseCode(1013, "the server has too much to do")
STORE_AWAY: Final = CloseCode(OVERLOAD.number, "the store of the sessions does not answer")
MODEL_AWAY: Final = CloseCode(OVERLOAD.number, "a model of this session cannot be loaded")
SILENT: Final = CloseCode(
    4001, "nothing came for too long: send pings as agreed, and answer those of WebSocket"
)
SLOW_READER: Final = CloseCode(4008, "messages were not read for too long: read faster")
BAD_PROTOCOL: Final = CloseCode(4400, "a frame is not a message of the subprotocol: see PROTOCOL.md")
BAD_TOKEN: Final = CloseCode(4401, "the token is wrong: ask who runs the server for one")
BAD_ORIGIN: Final = CloseCode(4403, "pages of this origin may not connect: name it in --origin")
TOO_LATE: Final = CloseCode(4408, "the first message came too late: send hello or open at once")
TAKEN_OVER: Final = CloseCode(4409, "another connection has resumed this session")
UNFINISHED: Final = CloseCode(4410, "a message was begun and not ended in time: send it at once")
TOO_MANY: Final = CloseCode(4429, "too many pings, fragments, or frames that are no message: see PROTOCOL.md")

CLOSE_CODES: Final = tuple(one for one in [*globals().values()] if isinstance(one, CloseCode))


def code_of(number: int, reason: str) -> CloseCode:
    """Return the close code of a number, with the given reason if the number is not one of these codes."""
    return next((code for code in CLOSE_CODES if code.number == number), CloseCode(number, reason))
