"""Buffer that joins frames into messages for a listener."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from websockets.frames import Frame, Opcode

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
