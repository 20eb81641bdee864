"""Websocket of the server, which bounds the time and memory that a client can take.

Bytes are decoded into frames only while a listener takes the messages, in the same turn of the event loop.
Later bytes stay in a buffer, at most as much as the system reads at once, and reading stops until the buffer
is empty: this is back-pressure by TCP. Too many useless frames end the connection.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections import deque
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, Final, TypeAlias

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidMessage
from websockets.frames import DATA_OPCODES, Frame, Opcode, apply_mask  # type: ignore[attr-defined]
from websockets.http11 import Request
from websockets.protocol import Protocol, State
from websockets.streams import StreamReader

from treewhile.server.connections.handovers import FIRST_BYTES, is_for_desk
from treewhile.server.connections.pacing import TokenBucket
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
        is_at_rest = self._is_between_frames and self._inbox.is_empty and not self._unread
        if is_at_rest and not self._has_enough and self.protocol.state is State.OPEN:
            message = short_message(data, self._longest_short)
            if message:
                self._inbox.put(message)
                return
        self._unread += data
        if self._hand_over and not self._keeps(self._hand_over):
            return
        if self._later is None:
            self._read_on()

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
            if not (self._unread and self._takes_frames and self._next_fragment_at <= perf_counter()):
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
        if self._is_waiting is not bool(self._unread) and not self.transport.is_closing():
            self._is_waiting, self._heard_at = bool(self._unread), perf_counter()
            (self.transport.pause_reading if self._is_waiting else self.transport.resume_reading)()
        self._watch_message()
        if self.protocol.eof_sent:
            self._watch_end()

    def process_event(self, event: Any) -> None:
        if isinstance(event, Request):
            super().process_event(event)
        elif event.opcode in DATA_OPCODES:
            if not self._has_enough:
                self._inbox.put(event)
                if self._inbox.fragments:
                    now = perf_counter()
                    self._next_fragment_at = now + self._fragments.take(now)
                if self._inbox.fragments > MOST_FRAGMENTS:
                    self._close_with(close_codes.TOO_MANY)
        else:
            super().process_event(event)
            if self._control_frames.take(perf_counter()):
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
        sent, room = 0, ROOM - self.transport.get_write_buffer_size()
        is_open = self.protocol.state is State.OPEN and not self.transport.is_closing()
        send = self.protocol.send_text if is_text else self.protocol.send_binary
        for message in messages:
            room -= len(message)
            if room < 0:
                break
            if is_open:
                send(message)
            sent += 1
        if is_open:
            self.transport.write(b"".join(self.protocol.data_to_send()))
        return sent

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

    def _watch_message(self) -> None:
        """Start or stop the timer of an unfinished message; the timer runs only while the socket is read."""
        is_begun = bool(self._inbox.fragments) or not self._is_between_frames
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


# --- messages -----------------------------------------------------------------------------------------------

Listener: TypeAlias = Callable[[bytes, bool], None]  # called with the bytes of a message, and True for text


class Inbox:
    """Buffer of data frames that no listener has taken yet."""

    __slots__ = ("_begun", "_listener", "_waiting")

    def __init__(self) -> None:
        self._begun: list[Frame] = []  # frames of an unfinished message
        self._waiting: deque[Frame] = deque()  # joined frames, one for each whole message
        self._listener: Listener | None = None

    @property
    def fragments(self) -> int:
        """Number of frames of the unfinished message."""
        return len(self._begun)

    @property
    def has_waiting(self) -> bool:
        """True if whole messages wait for a listener."""
        return bool(self._waiting)

    @property
    def is_empty(self) -> bool:
        """True if there are neither waiting messages nor frames of an unfinished one."""
        return not (self._begun or self._waiting)

    def put(self, frame: Frame) -> None:
        """Add the next data frame, in the order of the WebSocket standard."""
        if self._begun or not frame.fin:
            self._begun.append(frame)
            if not frame.fin:
                return
            frame = self._joined()
        self._waiting.append(frame)
        self._deliver()

    def listen(self, listener: Listener) -> None:
        """Deliver waiting and later messages to a listener, which may call `hold` at any time."""
        self._listener = listener
        self._deliver()

    def hold(self) -> None:
        """Keep later messages until the next `listen`."""
        self._listener = None

    def _joined(self) -> Frame:
        whole = Frame(self._begun[0].opcode, b"".join([frame.data for frame in self._begun]))
        self._begun = []
        return whole

    def _deliver(self) -> None:
        while self._waiting and self._listener:
            frame = self._waiting.popleft()
            self._listener(bytes(frame.data), frame.opcode is Opcode.TEXT)


# --- frames -------------------------------------------------------------------------------------------------

LAST: Final = 0x80  # bit of the first byte: this frame ends the message
KINDS: Final = {LAST | kind: kind for kind in (Opcode.TEXT, Opcode.BINARY)}  # by the first byte of a message
MASKED: Final = 0x80  # bit of the second byte, whose other bits are the length
HEAD: Final = 6  # bytes: the first two and the mask
LONGEST: Final = 125  # bytes of payload; more need a longer header


def short_message(data: bytes, longest: int = LONGEST) -> Frame | None:
    """Return the frame in some bytes if it is one whole short message, as of a typed letter, else None.

    It takes a tenth of the time of the library's parser, which has to handle all cases: a letter would cost a
    server 4% more with 100 typists, and 7% more with 500.
    """
    length = len(data) - HEAD
    if not 0 <= length <= longest or data[1] != MASKED | length or data[0] not in KINDS:
        return None
    return Frame(KINDS[data[0]], apply_mask(data[HEAD:], data[2:HEAD]))


def is_between_frames(protocol: Protocol) -> bool:
    """Return whether the library's parser has finished a frame and waits for the next one."""
    parser: Any = protocol.parser  # a generator; its innermost generator shows the state
    while parser.gi_yieldfrom:
        parser = parser.gi_yieldfrom
    return parser.gi_code is StreamReader.at_eof.__code__
