"""Files that are written atomically.

A new file grows beside its target and replaces it when all is written, so a reader of the target sees the old
text or the new one, and a run may read the file that it writes. Only a regular file can be replaced: devices,
pipes and standard output are written directly.
"""

from __future__ import annotations

import errno
import gzip
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from treewhile.oracles.errors import InputError

ByteStream: TypeAlias = BinaryIO | gzip.GzipFile


@contextmanager
def system_errors_named(task: str) -> Iterator[None]:
    """Convert system errors in the block to an `InputError` that begins with "cannot" and `task`.

    A broken pipe is passed on: the command line ends quietly then.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot {task}: {getattr(error, 'strerror', None) or error}") from error


class Output:
    """Output for text, as UTF-8 with unchanged line ends, or bytes."""

    def __init__(self, stream: ByteStream, task: str) -> None:
        self._stream = stream
        self._task = task

    def write(self, text: str) -> None:
        self.write_bytes(text.encode())

    def write_bytes(self, content: bytes) -> None:
        with system_errors_named(self._task):
            self._stream.write(content)


@contextmanager
def open_output(path: str | Path) -> Iterator[Output]:
    """Open an `Output` that replaces `path` when the block ends, unless by an exception.

    `-` is standard output; a name that ends in `.gz` is compressed. Links are followed, permissions kept.
    Errors of the block itself pass unchanged.
    """
    task = "write " + ("standard output" if str(path) == "-" else str(path))
    with ExitStack() as opened:
        with system_errors_named(task):
            stream = opened.enter_context(_byte_stream(str(path)))
            if str(path).endswith(".gz"):
                stream = opened.enter_context(_compressing(stream))
        yield Output(stream, task)
        with system_errors_named(task):
            opened.close()


@contextmanager
def _byte_stream(path: str) -> Iterator[ByteStream]:
    """Open the stream for `path`: standard output, a replacement of a regular file, or a device."""
    if path == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed")
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif os.path.exists(path) and not os.path.isfile(path):
        with _closing(open(path, "wb")) as file:
            yield file
    else:
        with _replacement(os.path.realpath(path)) as file:
            yield file


@contextmanager
def _replacement(target: str) -> Iterator[ByteStream]:
    """Open a new file that replaces `target` when the block ends, or is deleted on an exception."""
    temporary = os.path.join(os.path.dirname(target), f".treewhile-{secrets.token_hex(8)}.tmp")
    try:
        with _closing(open(temporary, "xb")) as new:  # not by `tempfile`, which ignores the umask
            _keep_permissions(target, new)
            yield new
            new.flush()
            os.fsync(new.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _keep_permissions(target: str, new: ByteStream) -> None:
    if os.path.lexists(target):
        with open(target, "r+b") as old:  # a file without write permission must not be replaced either
            os.fchmod(new.fileno(), stat.S_IMODE(os.fstat(old.fileno()).st_mode))


@contextmanager
def _compressing(stream: ByteStream) -> Iterator[ByteStream]:
    """Open a gzip stream into `stream`, without name and time, so equal texts give equal bytes."""
    with _closing(gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0)) as compressed:
        yield compressed


@contextmanager
def _closing(file: ByteStream) -> Iterator[ByteStream]:
    """Close `file` at the end of the block; an error of closing never hides one of the block."""
    try:
        yield file
    except BaseException:
        with suppress(OSError):
            file.close()
        raise
    file.close()
