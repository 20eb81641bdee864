"""Messages out of frames: each goes to the listener at once, or waits while there is none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from websockets.frames import Frame, Opcode

Listener: TypeAlias = Callable[[bytes, bool], None]  # takes what a message says, and whether it is text


class Inbox:
    """What a client has said in frames of data and nobody has taken yet."""

    __slots__ = ("_begun", "_listener", "_waiting")

    def __init__(self) -> None:
        self._begun: list[Frame] = []  # of a message that has not ended
        self._waiting: deque[Frame] = deque()  # whole messages
        self._listener: Listener | None = None

    @property
    def fragments(self) -> int:
        """How many frames have come of a message that has not ended."""
        return len(self._begun)

    @property
    def has_waiting(self) -> bool:
        """Whether whole messages wait for a listener."""
        return bool(self._waiting)

    @property
    def is_empty(self) -> bool:
        """Whether all that has come was taken."""
        return not (self._begun or self._waiting)

    def put(self, frame: Frame) -> None:
        """The next frame of data, in the order of the WebSocket standard."""
        if self._begun or not frame.fin:
            self._begun.append(frame)
            if not frame.fin:
                return
            frame = self._joined()
        self._waiting.append(frame)
        self._deliver()

    def listen(self, listener: Listener) -> None:
        """From now on messages go there, those first that wait; the listener may `hold` meanwhile."""
        self._listener = listener
        self._deliver()

    def hold(self) -> None:
        """From now on messages wait."""
        self._listener = None

    def clear(self) -> None:
        """Forgets what waits."""
        self._waiting.clear()

    def _joined(self) -> Frame:
        whole = Frame(self._begun[0].opcode, b"".join([frame.data for frame in self._begun]))
        self._begun = []
        return whole

    def _deliver(self) -> None:
        while self._waiting and self._listener:
            frame = self._waiting.popleft()
            self._listener(bytes(frame.data), frame.opcode is Opcode.TEXT)
