"""The `treewhile` command; each sub-command is the `command` of the module with its name.

Exit codes: 0; 1 for bad data, with one line on stderr; 2 for bad usage; 130 after Ctrl-C, 141 if nobody reads
the output, 143 after a signal to terminate.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import IO, Any, Final

import click

SUMMARIES = {
    "serve": "Serve analyses over websockets to people who type.",
    "type": "Type in this terminal and watch the tree grow.",
    "lsp": "Serve an editor by the language server protocol.",
    "parse": "Parse text or a treebank, or show the tree of a sentence.",
    "evaluate": "Score a model on a treebank, whole sentences and word by word.",
    "score": "Score the trees of any parser on a treebank.",
    "models": "List the models that are installed.",
    "constituents": "Run and score parsers of phrases.",
    "completeness": "Score predictions of the ends of sentences.",
    "projectivize": "Give every sentence of a treebank its best projective tree.",
    "classify": "Count the trees of treebanks in each class of trees.",
    "steps": "Walk a sentence to its tree by optimal steps, and show each.",
    "train": "Train a model, or a part of a model.",
    "grammar": "Check grammars of constraints, count, compare, explain, tune.",
    "bench": "Measure how fast a server answers.",
    "demo": "Show what treewhile can do, on a small sentence.",
}


LOOK_AGAIN: Final = 0.01  # seconds before a signal is repeated that came at a bad moment


class BadData(click.ClickException):
    """Error about data or the machine, not about usage of the command."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"treewhile: {self.message}", file=file, err=True)


class ImportedCommands(click.Group):
    """Group of sub-commands; each is the `command` of the module of the package that has its name."""

    def __init__(self, *args: Any, package: str, summaries: Mapping[str, str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self._package, self._summaries = package, summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._summaries]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._summaries:
            return None
        command: click.Command = import_module(f"{self._package}.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*self._summaries.items()])


class Commands(ImportedCommands):
    """Group of sub-commands that are imported on demand, with the exit codes above."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _ending_quietly():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _ending_quietly():
            try:
                return super().invoke(ctx)
            except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
                raise
            except Exception as error:
                from treewhile.oracles import InputError  # imported here, since it imports numba
                from treewhile.server.errors import ServiceError

                if isinstance(error, InputError | ServiceError):
                    raise BadData(str(error)) from error
                raise


@contextmanager
def _ending_quietly() -> Iterator[None]:
    """End the program after Ctrl-C in the block, or if standard output cannot be written.

    There is no message, except for a full disk. Files that are opened by name have their own messages.
    """
    try:
        with _signals_unwrapped():
            yield
        print(end="", flush=True)  # otherwise the interpreter would report the failed write at its end
    except KeyboardInterrupt:
        raise click.exceptions.Exit(128 + signal.SIGINT) from None
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(141) from None
    except OSError as error:
        _drop_output()
        raise BadData(f"cannot write standard output: {error.strerror}") from error


@contextmanager
def _signals_unwrapped() -> Iterator[None]:
    """Raise the exception of a signal, even if it was raised inside of a compiled kernel.

    A kernel then returns both a result and an exception, and the interpreter wraps that in a SystemError for
    each call on the stack.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        raise cause or error from None


def _end_by_signal(number: int, frame: FrameType | None) -> None:
    """Raise an exception that unwinds the program, so that temporary files are removed.

    Finalizers of incomplete objects are silenced. An exception that is raised while LLVM calls back into
    Python would be lost there, and break the kernel that is being compiled, so the signal is repeated a
    little later.
    """
    if _is_in_llvm(frame):
        again = threading.Timer(LOOK_AGAIN, _signal_main_thread, [number])
        again.daemon = True
        again.start()
        return
    sys.unraisablehook = lambda _: None
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _signal_main_thread(number: int) -> None:
    """Send a signal to the main thread, which may be blocked in a system call."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:  # Windows
        signal.raise_signal(number)


def _is_in_llvm(frame: FrameType | None) -> bool:
    """Return whether a frame belongs to the LLVM binding, or was called from there."""
    while frame and not frame.f_globals.get("__name__", "").startswith("llvmlite."):
        frame = frame.f_back
    return frame is not None


def _drop_output() -> None:
    """Discard buffered output after a failed write, which the interpreter would otherwise report again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@click.group(
    cls=Commands,
    package=__name__,
    summaries=SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="treewhile")
def treewhile() -> None:
    """Dependency parsing while people type, and exact tools for treebanks in CoNLL-U.

    "treewhile COMMAND --help" explains a command and gives an example. Exit codes: 0; 1 for bad data, with
    one line on standard error; 2 for wrong usage; 130 after Ctrl-C, 141 when nobody reads the output, 143
    after a signal to terminate.
    """


def main() -> None:
    """Run the `treewhile` command. Does not return."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small; --jobs uses more cores
    signal.signal(signal.SIGTERM, _end_by_signal)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise a shell wants it ignored
        signal.signal(signal.SIGINT, _end_by_signal)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the terminal may lack some letters
    treewhile(prog_name="treewhile")
