"""Websocket of the server, which bounds the time and memory that a client can take.

Bytes are decoded into frames only while a listener takes the messages, in the same turn of the event loop.
Later bytes stay in a buffer, at most as much as the system reads at once, and reading stops until the buffer
is empty: this is back-pressure by TCP. Too many useless frames end the connection.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidMessage
from websockets.frames import DATA_OPCODES
from websockets.http11 import Request
from websockets.protocol import State

from treewhile.server.connections.handovers import FIRST_BYTES, is_for_desk
from treewhile.server.connections.inbox import Inbox, Listener
from treewhile.server.connections.pacing import TokenBucket
from treewhile.server.connections.short_frames import LONGEST, head_of, is_between_frames, short_message
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode, code_of
from treewhile.server.protocol.frames import ENCODINGS, JSON, farewell

PORTION: Final = 4096  # bytes decoded before frames are counted; a frame has two bytes at least
PORTIONS_AT_ONCE: Final = 4  # decoded before other connections get their turn
FRAGMENTS_A_SECOND: Final = 1000.0  # limit after MOST_FRAGMENTS; further fragments wait
MOST_FRAGMENTS: Final = 4000  # of a message; long messages may have many
CONTROL_FRAMES_A_SECOND, MOST_CONTROL_FRAMES = 10.0, 100  # each ping has an answer, read or not
NO_REQUEST: Final = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"this is no request over HTTP/1.1 without a body: send one\n"
)
WRITE_LIMIT: Final = 1 << 15  # bytes in the write buffer; beyond, no more messages are fetched
ROOM: Final = WRITE_LIMIT // 4  # bytes in the write buffer at which a full socket takes messages again
MESSAGE_SECONDS: Final = (
    30.0  # from the first byte of a message to its last, without the time when reading is paused
)
PING_SECONDS: Final = 20.0  # between pings; any byte before the next ping shows that the client is there
NO_LONGER_THERE: Final = 1006  # close code that is never sent, since the client is gone


class _Gone(asyncio.Transport):
    """Stand-in for the transport of a socket that was handed over."""

    def abort(self) -> None:
        """Do nothing."""

    def is_closing(self) -> bool:
        return True


class GuardedSocket(ServerConnection):
    """Websocket that reads no faster than its listener takes messages; `recv` returns none.

    The socket closes after too many useless frames, an unfinished message, an unanswered ping or an
    unanswered close; a goodbye is sent before. Connections for the desk are passed to `hand_over`, if given,
    with their transport and first bytes.
    """

    def __init__(
        self, *args: Any, hand_over: Callable[[asyncio.Transport, bytes], None] | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._hand_over = hand_over  # None once this socket keeps the connection
        now = perf_counter()
        self._inbox = Inbox()
        self._fragments = TokenBucket(FRAGMENTS_A_SECOND, MOST_FRAGMENTS, now)
        self._next_fragment_at = now
        self._control_frames = TokenBucket(CONTROL_FRAMES_A_SECOND, MOST_CONTROL_FRAMES, now)
        self._unread = bytearray()  # bytes not decoded yet
        self._has_enough = False  # True once messages are no longer taken
        self._is_between_frames = False  # state of the library's parser
        self._longest_short = min(LONGEST, self.protocol.max_message_size or LONGEST)
        self._later: asyncio.Handle | None = None  # timer of the next decoding
        self._is_waiting = False  # True while the transport is paused
        self._heard_at = now  # time of the last bytes
        self._is_answered = False  # True once an invalid handshake is answered
        self._unfinished: TimerHandle | None = None
        self._abort: TimerHandle | None = None
        # The library also calls `fail` itself if frames break the standard or are too long.
        self.protocol.fail = self._fail  # type: ignore[method-assign, assignment]

    @property
    def unread_bytes(self) -> int:
        """Number of received bytes that are not decoded yet."""
        return len(self._unread)

    # --- called by the listener -----------------------------------------------------------------------------

    def listen(self, listener: Listener) -> None:
        """Deliver waiting and later messages to a listener, which may call `hold` at any time."""
        self._inbox.listen(listener)
        self._read_later(0.0)

    def hold(self) -> None:
        """Keep messages until the next `listen`; back-pressure soon reaches the client."""
        self._inbox.hold()

    # --- reading --------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._heard_at = perf_counter()
        message = short_message(data, self._longest_short) if self._is_at_rest else None
        if message:
            self._inbox.put(message)
        else:
            self._read_in_order(data)

    @property
    def _is_at_rest(self) -> bool:
        """True if all bytes were taken and a new message may follow."""
        has_all = self._is_between_frames and self._inbox.is_empty and not self._unread
        return has_all and not self._has_enough and self.protocol.state is State.OPEN

    def _read_in_order(self, data: bytes) -> None:
        """Append bytes to the buffer, and decode it now or later."""
        self._unread += data
        if self._hand_over and not self._keeps(self._hand_over):
            return
        if self._later is None:
            self._read_on()

    @property
    def _may_read(self) -> bool:
        """True if more bytes may be decoded now."""
        return self._takes_frames and self._next_fragment_at <= perf_counter()

    @property
    def _takes_frames(self) -> bool:
        return self._has_enough or not self._inbox.has_waiting

    def _keeps(self, hand_over: Callable[[asyncio.Transport, bytes], None]) -> bool:
        """Return whether this socket keeps the connection; hand it over if it is for the desk.

        While that is undecided, return False and leave the bytes in the buffer.
        """
        goes = is_for_desk(bytes(self._unread[:FIRST_BYTES]))
        if goes is None:
            return False
        self._hand_over = None
        if goes:
            transport, first = self.transport, bytes(self._unread)
            self.transport = _Gone()
            self.connection_lost(None)
            hand_over(transport, first)
        return not goes

    def eof_received(self) -> None:
        while self._unread and not self.protocol.eof_sent:
            self._read_portion()
        super().eof_received()
        self._watch_end()

    def _read_later(self, seconds: float) -> None:
        if self._unread and self._later is None:
            self._later = self.loop.call_later(seconds, self._read_on)

    def _read_on(self) -> None:
        """Decode bytes of the buffer into frames, as long as more frames may come."""
        self._later = None
        for _ in range(PORTIONS_AT_ONCE):
            if not (self._unread and self._may_read):
                break
            self._read_portion()
        if self._takes_frames:
            self._read_later(max(0.0, self._next_fragment_at - perf_counter()))
        self._watch()

    def _read_portion(self) -> None:
        if self.protocol.eof_sent:
            self._unread.clear()
            return
        portion = bytes(self._unread[:PORTION])
        del self._unread[:PORTION]
        super().data_received(portion)
        self._is_between_frames = is_between_frames(self.protocol)

    def _watch(self) -> None:
        """Adjust reading and timers after bytes were decoded."""
        if self._is_waiting is not bool(self._unread):
            self._hold_back()
        is_begun = bool(self._inbox.fragments) or not self._is_between_frames
        if is_begun or self._unfinished:
            self._watch_message(is_begun)
        if self.protocol.eof_sent:
            self._watch_end()

    def _hold_back(self) -> None:
        """Pause or resume the transport, depending on the buffer."""
        if self.transport.is_closing():
            return
        self._is_waiting, self._heard_at = bool(self._unread), perf_counter()
        if self._is_waiting:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def process_event(self, event: Any) -> None:
        if isinstance(event, Request):
            super().process_event(event)
        elif event.opcode in DATA_OPCODES:
            if not self._has_enough:
                self._inbox.put(event)
                if self._inbox.fragments:
                    self._count_fragment()
        else:
            super().process_event(event)
            if self._control_frames.take(perf_counter()):
                self._close_with(close_codes.TOO_MANY)

    def _count_fragment(self) -> None:
        now = perf_counter()
        self._next_fragment_at = now + self._fragments.take(now)
        if self._inbox.fragments > MOST_FRAGMENTS:
            self._close_with(close_codes.TOO_MANY)

    # --- writing --------------------------------------------------------------------------------------------

    def send_data(self) -> None:
        if isinstance(self.protocol.handshake_exc, InvalidMessage) and not self._is_answered:
            self._is_answered = True
            self.transport.write(NO_REQUEST)
        super().send_data()

    def send_at_once(self, messages: Iterable[bytes], is_text: bool) -> int:
        """Write messages without waiting, and return how many need not be sent again.

        Messages for a closing socket are dropped.
        """
        parts: list[bytes] = []
        room = ROOM - self.transport.get_write_buffer_size()
        for message in messages:
            room -= len(message)
            if room < 0:
                break
            parts += (head_of(len(message), is_text), message)
        if self.protocol.state is State.OPEN and not self.transport.is_closing():
            self.transport.write(b"".join(parts))
        return len(parts) // 2

    # --- the end --------------------------------------------------------------------------------------------

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self._has_enough = True
        self._read_later(0.0)  # the client's close frame may be behind messages that nobody takes
        await super().close(code, reason)

    async def keepalive(self) -> None:
        """Send pings, and close the socket if no byte comes between two of them while it is read."""
        pinged_at = -1.0
        while True:
            await asyncio.sleep(PING_SECONDS)
            if self.protocol.state is not State.OPEN:
                return
            if self._heard_at < pinged_at and not self._is_waiting:
                self._close_with(close_codes.SILENT)
                return
            pinged_at = perf_counter()
            self.protocol.send_ping(b"there?")
            self.send_data()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._unfinished, self._abort, self._later):
            if timer:
                timer.cancel()
        self._unread.clear()

    def _watch_message(self, is_begun: bool) -> None:
        """Start or stop the timer of an unfinished message; the timer runs only while the socket is read."""
        is_unfinished = is_begun and not self._has_enough and not self._is_waiting
        if not is_unfinished and self._unfinished:
            self._unfinished.cancel()
            self._unfinished = None
        elif is_unfinished and not self._unfinished:
            self._unfinished = self.loop.call_later(MESSAGE_SECONDS, self._close_with, close_codes.UNFINISHED)

    def _watch_end(self) -> None:
        """Start the timer that aborts the connection if the client keeps its half open."""
        if self.protocol.eof_sent and not self._abort:
            self._abort = self.loop.call_later(self.close_timeout or 0.0, self.transport.abort)

    def _close_with(self, code: CloseCode) -> None:
        self._fail(code.number, code.reason)
        self.send_data()
        self._watch_end()

    def _fail(self, number: int, reason: str = "") -> None:
        """Fail the connection as the standard says, after a goodbye."""
        if self.protocol.state is State.OPEN and number != NO_LONGER_THERE:
            encoding = ENCODINGS[self.subprotocol] if self.subprotocol else JSON
            send = self.protocol.send_text if encoding.is_text else self.protocol.send_binary
            goodbye = farewell(code_of(number, reason))
            send(encoding.encode(goodbye))
            reason = goodbye.reason
        type(self.protocol).fail(self.protocol, number, reason)
