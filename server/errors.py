"""What can go wrong between clients, a server and its processes.

InputError              a caller's data cannot be used (of the oracles)
    ProtocolError       a frame is no message of the protocol
        UndecodableError    it cannot be read, which ends its connection
        RefusedFrameError   it can be read, and the client is told what is wrong with it
    DocumentError       a server could not do what was asked of a document
ServiceError            what one relies on is not there; the data may be right
    DisconnectedError   there is no connection to a server
    CompilingError      the processes that compile end before they are done
    ProcessDiedError    a process that works on a part of the data has died
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewhile.oracles.errors import InputError

if TYPE_CHECKING:  # it takes long to import, and errors are told early
    from treewhile.incremental.sessions.messages import ErrorMessage


class ProtocolError(InputError):
    """A frame is no message of the protocol."""


class UndecodableError(ProtocolError):
    """A frame that is no message in the encoding of its connection."""


class RefusedFrameError(ProtocolError):
    """A frame that can be read, and is no message of the protocol; `told` says so to the client."""

    def __init__(self, told: ErrorMessage) -> None:
        super().__init__(told.message)
        self.told = told


class DocumentError(InputError):
    """The server could not do something; `told` is its message. All else goes on."""

    def __init__(self, told: ErrorMessage) -> None:
        super().__init__(told.message)
        self.told = told


class ServiceError(Exception):
    """Something else than the caller's data is wrong: a process or a connection."""


class DisconnectedError(ServiceError):
    """There is no connection; the code is the server's, if it has closed it. If temporary, come back."""

    def __init__(
        self, message: str, code: int | None = None, temporary: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.temporary, self.retry_after = code, temporary, retry_after


class CompilingError(ServiceError):
    """The processes that compile end one after the other."""


class ProcessDiedError(ServiceError):
    """A process that works on a part of the data has died."""

    def __init__(self) -> None:
        super().__init__("a process has died, perhaps for want of memory: use a smaller number of --jobs")
