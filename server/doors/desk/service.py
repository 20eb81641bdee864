"""State that the doors of the desk share: models, the queue of its only worker thread, and routes."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NamedTuple

from treewhile.server.doors.desk.parsing import Models
from treewhile.server.doors.desk.requests import Answer, Request, RequestError, Work, text_answer
from treewhile.server.work.served_models import ServedModels


class Service:
    """Models, and the queue of work."""

    def __init__(self, served: ServedModels) -> None:
        self.models = Models(served)
        self.turns = Turns()


class Route(NamedTuple):
    """Handler for requests by method and path; `refuse` makes an answer from a sentence and a status."""

    methods: tuple[str, ...]
    path: re.Pattern[str]
    work: Callable[[Request, Service], Work]
    refuse: Callable[[str, HTTPStatus], Answer] = text_answer


# --- queue --------------------------------------------------------------------------------------------------

MOST_WORK: Final = 256  # requests at a time
MOST_BYTES: Final = 8 << 20  # of all requests together; a single one may have more


@dataclass(eq=False, slots=True)
class _Piece:
    work: Work
    size: int
    done: Future[Answer]


class Turns:
    """Round-robin queue with one worker thread."""

    def __init__(self) -> None:
        self._waiting: deque[_Piece] = deque()
        self._pieces: set[_Piece] = set()
        self._lock = threading.RLock()  # for the pieces
        self._is_there_work = threading.Semaphore(0)
        threading.Thread(target=self._run, name="turns", daemon=True).start()

    def begin(self, work: Work, size: int) -> Future[Answer]:
        """Queue the work for a request of some bytes; cancelling the returned future stops it."""
        piece = _Piece(work, size, Future())
        with self._lock:
            total = size + sum(one.size for one in self._pieces)
            if len(self._pieces) >= MOST_WORK or total > max(MOST_BYTES, size):
                what = "there is too much to do at present: try again"
                raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, what, Retry_After="5")
            self._pieces.add(piece)
        piece.done.add_done_callback(lambda _: self._forget(piece))
        self._waiting.append(piece)
        self._is_there_work.release()
        return piece.done

    def _forget(self, piece: _Piece) -> None:
        with self._lock:
            self._pieces.discard(piece)

    # --- run in the thread ----------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            self._is_there_work.acquire()
            piece = self._waiting.popleft()
            if not self._is_done(piece):
                self._waiting.append(piece)
                self._is_there_work.release()

    def _is_done(self, piece: _Piece) -> bool:
        """Run one turn of a piece of work, and return whether it was the last."""
        try:
            if piece.done.cancelled():
                piece.work.close()
            else:
                next(piece.work)
                return False
        except StopIteration as stop:
            with suppress(InvalidStateError):  # the future was cancelled meanwhile
                piece.done.set_result(stop.value)
        except Exception as error:
            with suppress(InvalidStateError):
                piece.done.set_exception(error)
        return True
