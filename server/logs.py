"""One JSON object a line on stderr; never what people type, and no tokens."""

from __future__ import annotations

import io
import logging
import sys
from contextlib import suppress
from typing import Any, Final, TextIO, cast

import structlog

Log = structlog.typing.FilteringBoundLogger

PROCESSORS: Final = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.JSONRenderer(),
)


def json_log(file: TextIO | None = None) -> Log:
    """A logger that writes to a file, which is stderr if none is given."""
    log: Log = structlog.wrap_logger(
        structlog.WriteLogger(cast(TextIO, _Unfailing(file or sys.stderr))),
        processors=[*PROCESSORS],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    return log


class _Unfailing(io.TextIOBase):
    """A file that may be full: what cannot be logged is no reason to stop."""

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
    """A logger for websockets, whose warnings become lines of ours, without what they quote."""
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
    """The kind of an error and where it was raised; its message may quote a client."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{where}"
