"""The sockets of the server: no client keeps the loop busy with frames, or memory with what it never ends.

Bytes become frames only as long as somebody takes the messages in these, in the same turn of the loop. What
has come beyond that waits as it came, at most as much as the system reads at once, and meanwhile no more is
read: TCP makes the client wait. More frames than anybody needs end the connection.
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
from treewhile.server.connections.short_frames import LONGEST, head_of, is_between_frames, short_message
from treewhile.server.connections.turns import TokenBucket
from treewhile.server.protocol import close_codes
from treewhile.server.protocol.close_codes import CloseCode, code_of
from treewhile.server.protocol.frames import ENCODINGS, JSON, farewell

PORTION: Final = 4096  # bytes that are read into frames before these are counted; a frame has two at least
PORTIONS_AT_ONCE: Final = 4  # before others have their turn
FRAGMENTS_A_SECOND: Final = 1000.0  # after MOST_FRAGMENTS; more of them wait
MOST_FRAGMENTS: Final = 4000  # of a message, which may come in many if it is long
CONTROL_FRAMES_A_SECOND, MOST_CONTROL_FRAMES = 10.0, 100  # each ping has an answer, read or not
NO_REQUEST: Final = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"this is no request over HTTP/1.1 without a body: send one\n"
)
WRITE_LIMIT: Final = 1 << 15  # bytes that wait for the system; beyond, no more messages are fetched
ROOM: Final = WRITE_LIMIT // 4  # at which a full socket takes messages again
MESSAGE_SECONDS: Final = (
    30.0  # from the first byte of a message to its last, not counting time in which nothing is read
)
PING_SECONDS: Final = 20.0  # between pings; whatever comes before the next one shows that the client is there
NO_LONGER_THERE: Final = 1006  # not a code that is sent: nobody takes one


class _Gone(asyncio.Transport):
    """In place of the transport of a socket that has lost it to another one."""

    def abort(self) -> None:
        """There is nothing to end."""

    def is_closing(self) -> bool:
        return True


class GuardedSocket(ServerConnection):
    """A socket that reads no faster than its listener takes messages; `recv` gets none.

    It closes if too many frames are no messages, a message never ends, nothing comes after a
    ping, or the client never lets go; whatever the reason, it says goodbye before. What is for the desk goes
    to `hand_over`, if there is one: the transport, and what has come so far.
    """

    def __init__(
        self, *args: Any, hand_over: Callable[[asyncio.Transport, bytes], None] | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._hand_over = hand_over  # None also once it is clear that this is for nobody else
        now = perf_counter()
        self._inbox = Inbox()
        self._fragments = TokenBucket(FRAGMENTS_A_SECOND, MOST_FRAGMENTS, now)
        self._next_fragment_at = now
        self._control_frames = TokenBucket(CONTROL_FRAMES_A_SECOND, MOST_CONTROL_FRAMES, now)
        self._unread = bytearray()  # what has come and is not yet read into frames
        self._has_enough = False  # of messages
        self._is_between_frames = False  # the library's parser
        self._longest_short = min(LONGEST, self.protocol.max_message_size or LONGEST)
        self._later: asyncio.Handle | None = None  # when it reads on
        self._is_waiting = False  # whether the transport reads no more
        self._heard_at = now  # when anything came last, or might have come
        self._is_answered = False  # where the handshake is none
        self._unfinished: TimerHandle | None = None
        self._abort: TimerHandle | None = None
        # The protocol also fails by itself, where frames break the standard or are too long.
        self.protocol.fail = self._fail  # type: ignore[method-assign, assignment]

    @property
    def unread_bytes(self) -> int:
        """How much has come that waits to become frames."""
        return len(self._unread)

    # --- for the listener -----------------------------------------------------------------------------------

    def listen(self, listener: Listener) -> None:
        """Messages go there from now on, those first that wait; it may call `hold` at any time."""
        self._inbox.listen(listener)
        self._read_later(0.0)

    def hold(self) -> None:
        """Messages wait until somebody listens again, and soon in the system, and at the client."""
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
        """Whether all that has come was taken, and a message may follow."""
        has_all = self._is_between_frames and self._inbox.is_empty and not self._unread
        return has_all and not self._has_enough and self.protocol.state is State.OPEN

    def _read_in_order(self, data: bytes) -> None:
        """Reads what has come behind what waits, now or later."""
        self._unread += data
        if self._hand_over and not self._keeps(self._hand_over):
            return
        if self._later is None:
            self._read_on()

    @property
    def _may_read(self) -> bool:
        """Whether more of what has come may become frames now."""
        return self._takes_frames and self._next_fragment_at <= perf_counter()

    @property
    def _takes_frames(self) -> bool:
        return self._has_enough or not self._inbox.has_waiting

    def _keeps(self, hand_over: Callable[[asyncio.Transport, bytes], None]) -> bool:
        """Whether what comes is for this socket; as long as that is open, it waits."""
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
        """Reads what has come into frames, as long as more of these may come."""
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
        """After reading: whether the system reads on, and what has to end in time."""
        if self._is_waiting is not bool(self._unread):
            self._hold_back()
        is_begun = bool(self._inbox.fragments) or not self._is_between_frames
        if is_begun or self._unfinished:
            self._watch_message(is_begun)
        if self.protocol.eof_sent:
            self._watch_end()

    def _hold_back(self) -> None:
        """Lets the system read, or wait, as there is place for what comes."""
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
        """Sends messages in one go, as long as that takes no waiting, and nowhere if the socket is closing.

        Gives back how many of them need not be sent again.
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
        self._read_later(0.0)  # the client's own close stands behind what nobody takes any more
        await super().close(code, reason)

    async def keepalive(self) -> None:
        """Pings, and closes if nothing comes until the next ping, though all that comes would be read."""
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
        """A message that has begun has to end in time, as long as it is read."""
        is_unfinished = is_begun and not self._has_enough and not self._is_waiting
        if not is_unfinished and self._unfinished:
            self._unfinished.cancel()
            self._unfinished = None
        elif is_unfinished and not self._unfinished:
            self._unfinished = self.loop.call_later(MESSAGE_SECONDS, self._close_with, close_codes.UNFINISHED)

    def _watch_end(self) -> None:
        """A client that keeps its half of the connection when the other one has ended loses it."""
        if self.protocol.eof_sent and not self._abort:
            self._abort = self.loop.call_later(self.close_timeout or 0.0, self.transport.abort)

    def _close_with(self, code: CloseCode) -> None:
        self._fail(code.number, code.reason)
        self.send_data()
        self._watch_end()

    def _fail(self, number: int, reason: str = "") -> None:
        """Fails the connection, as the standard says, but for the goodbye before."""
        if self.protocol.state is State.OPEN and number != NO_LONGER_THERE:
            encoding = ENCODINGS[self.subprotocol] if self.subprotocol else JSON
            send = self.protocol.send_text if encoding.is_text else self.protocol.send_binary
            goodbye = farewell(code_of(number, reason))
            send(encoding.encode(goodbye))
            reason = goodbye.reason
        type(self.protocol).fail(self.protocol, number, reason)
