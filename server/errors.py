"""Errors of clients, servers and their processes.

InputError              data of a caller cannot be used (class of the oracles)
    ProtocolError       a frame is no message of the protocol
        UndecodableError    the frame cannot be decoded, which ends its connection
        RefusedFrameError   the frame can be decoded, and the client is told its mistake
    DocumentError       a server could not do what was asked of a document
ServiceError            a process or a connection is missing; the data may be right
    DisconnectedError   there is no connection to a server
    ProcessDiedError    a process that works on a part of the data has died
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treewhile.oracles.errors import InputError

if TYPE_CHECKING:
    from treewhile.incremental.sessions.messages import ErrorMessage


class ProtocolError(InputError):
    """Error about a frame that is no message of the protocol."""


class UndecodableError(ProtocolError):
    """Error about a frame that is no message in the encoding of its connection."""


class RefusedFrameError(ProtocolError):
    """Error about a frame that can be decoded and is no message; `told` is the answer to the client."""

    def __init__(self, told: ErrorMessage) -> None:
        super().__init__(told.message)
        self.told = told


class DocumentError(InputError):
    """Error about a refused request of one document, with the server's message in `told`."""

    def __init__(self, told: ErrorMessage) -> None:
        super().__init__(told.message)
        self.told = told


class ServiceError(Exception):
    """Error of a process or a connection; the data of the caller may be right."""


class DisconnectedError(ServiceError):
    """Error about a missing connection; `code` is the server's close code, if the server has closed it.

    A client may connect again if the error is `temporary`.
    """

    def __init__(
        self, message: str, code: int | None = None, temporary: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.temporary, self.retry_after = code, temporary, retry_after


class ProcessDiedError(ServiceError):
    """Error about the death of a process that works on a part of the data."""

    def __init__(self) -> None:
        super().__init__("a process has died, perhaps for want of memory: use a smaller number of --jobs")


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Run a block of imports; a ModuleNotFoundError says how to install the extra.

    with needs("spacy"):
        import spacy
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] == "treewhile":
            raise
        said = f"{missing.name} is not installed: pip install 'treewhile[{extra}]' brings it"
        raise ModuleNotFoundError(said, name=missing.name) from None
