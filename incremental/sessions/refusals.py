"""How a session refuses an event."""

from __future__ import annotations

from treewhile.incremental.sessions.messages import ErrorCode
from treewhile.oracles.errors import InputError


class RefusedError(InputError):
    """What an event asks for cannot be done, and nothing has changed; the code goes on the wire.

    It is about what the client has sent, and so an InputError: a `Session` answers with a message, whoever
    checks a change before it is sent raises it. If it is temporary, the same event may be taken later.
    """

    def __init__(self, code: ErrorCode, message: str, temporary: bool = False) -> None:
        super().__init__(message)
        self.code, self.temporary = code, temporary
