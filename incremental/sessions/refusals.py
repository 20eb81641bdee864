"""Refusals of events by a session."""

from __future__ import annotations

from treewhile.incremental.sessions.messages import ErrorCode
from treewhile.oracles.errors import InputError


class RefusedError(InputError):
    """Error for an event that cannot be carried out and has changed nothing; the code is sent to the client.

    It is an InputError about the client's data: a `Session` answers with a message, and a check before
    sending raises it. If it is temporary, the same event may be accepted later.
    """

    def __init__(self, code: ErrorCode, message: str, temporary: bool = False) -> None:
        super().__init__(message)
        self.code, self.temporary = code, temporary
