"""JSON log on stderr, one object per line, without typed texts and without tokens."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TextIO, cast

import structlog

Log = structlog.typing.FilteringBoundLogger
Say = Callable[[str], None]

PROCESSORS: Final = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.JSONRenderer(),
)


def json_log(file: TextIO | None = None) -> Log:
    """Return a logger that writes to a file, by default to stderr."""
    log: Log = structlog.wrap_logger(
        structlog.WriteLogger(cast(TextIO, _Unfailing(file or sys.stderr))),
        processors=[*PROCESSORS],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    return log


class _Unfailing(io.TextIOBase):
    """Text file that drops lines which cannot be written, for example to a full disk."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        with suppress(OSError):
            return self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()


def library_logger(log: Log) -> logging.Logger:
    """Return a logger for websockets that writes warnings to `log`, without the client data they quote."""
    logger = logging.Logger("websockets", logging.WARNING)
    logger.addHandler(_Forwarder(log))
    return logger


class _Forwarder(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        about: dict[str, Any] = {"error": place_of(error)} if error else {}
        self._log.warning("websockets", said=str(record.msg), **about)


def place_of(error: BaseException) -> str:
    """Return the class, file and line of an error, without the message, which may quote a client."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{where}"
