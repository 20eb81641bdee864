"""The sockets of the server: no client keeps the loop busy with frames, or memory with what it never ends."""

from __future__ import annotations

from asyncio import TimerHandle
from time import perf_counter
from typing import Any, Final

from websockets.asyncio.server import ServerConnection, broadcast
from websockets.exceptions import InvalidMessage
from websockets.frames import DATA_OPCODES
from websockets.http11 import Request
from websockets.protocol import State

from treewhile.server import close_codes
from treewhile.server.close_codes import CloseCode
from treewhile.server.turns import TokenBucket

PORTION: Final = 4096  # bytes that are read into frames before these are counted; a frame has two at least
FRAMES_A_SECOND, MOST_FRAMES = 1000.0, 4000  # a long message may come in many
CONTROL_FRAMES_A_SECOND, MOST_CONTROL_FRAMES = 10.0, 100  # each ping has an answer, read or not
NO_REQUEST: Final = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"this is no request over HTTP/1.1 without a body: send one\n"
)
WRITE_LIMIT: Final = 1 << 15  # bytes that wait for the system; beyond, no more messages are fetched
ROOM: Final = WRITE_LIMIT // 4  # at which a full socket takes messages again
MESSAGE_SECONDS: Final = 30.0  # from the first byte of a message to its last


class GuardedSocket(ServerConnection):
    """A socket that closes where too many frames come, a message never ends, or the client never lets go."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        now = perf_counter()
        self._frames = TokenBucket(FRAMES_A_SECOND, MOST_FRAMES, now)
        self._control_frames = TokenBucket(CONTROL_FRAMES_A_SECOND, MOST_CONTROL_FRAMES, now)
        self._is_answered = False  # where the handshake is none
        self._has_fragments = False
        self._unfinished: TimerHandle | None = None
        self._abort: TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PORTION):
            super().data_received(data[start : start + PORTION])
            if self.protocol.eof_sent:
                break
        self._watch_message()
        self._watch_end()

    def send_data(self) -> None:
        if isinstance(self.protocol.handshake_exc, InvalidMessage) and not self._is_answered:
            self._is_answered = True
            self.transport.write(NO_REQUEST)
        super().send_data()

    def takes_at_once(self, message: bytes) -> bool:
        """Whether to send a message takes no waiting."""
        return self.transport.get_write_buffer_size() + len(message) <= ROOM

    def send_at_once(self, message: bytes, is_text: bool) -> None:
        """Sends a message without waiting; nowhere if the socket is closing."""
        broadcast([self], message, text=is_text)

    def eof_received(self) -> None:
        super().eof_received()
        self._watch_end()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._unfinished, self._abort):
            if timer:
                timer.cancel()

    def process_event(self, event: Any) -> None:
        super().process_event(event)
        if isinstance(event, Request) or self.protocol.state is not State.OPEN:
            return
        now, is_control = perf_counter(), event.opcode not in DATA_OPCODES
        if not is_control:
            self._has_fragments = not event.fin
        if not self._frames.take(now) or (is_control and not self._control_frames.take(now)):
            self._fail(close_codes.TOO_MANY)

    def _watch_message(self) -> None:
        """A message that has begun has to end in time."""
        is_open = self.protocol.state is State.OPEN
        is_unfinished = is_open and (self._has_fragments or bool(self.protocol.reader.buffer))
        if not is_unfinished and self._unfinished:
            self._unfinished.cancel()
            self._unfinished = None
        elif is_unfinished and not self._unfinished:
            self._unfinished = self.loop.call_later(MESSAGE_SECONDS, self._fail, close_codes.UNFINISHED)

    def _watch_end(self) -> None:
        """A client that keeps its half of the connection when the other one has ended loses it."""
        if self.protocol.eof_sent and not self._abort:
            self._abort = self.loop.call_later(self.close_timeout or 0.0, self.transport.abort)

    def _fail(self, code: CloseCode) -> None:
        self.protocol.fail(code.number, code.reason)
        self.send_data()
        self._watch_end()
