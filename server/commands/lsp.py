"""`treewhile lsp`: a language server for an editor that starts it."""

from __future__ import annotations

import os
import signal
import sys

import click


@click.command()
def command() -> None:
    """Serve an editor by the language server protocol, at standard input and output.

    Diagnostics are marks of what looks wrong; inlay hints are words that must still come; hovers show
    trees, and selection grows by subtrees. The editor starts this command, and its settings are in a
    block named "treewhile": model, models, severity, hints, maxFileLength.

    \b
    Examples, what an editor starts, and how Helix is told:
      treewhile lsp
      language-server.treewhile = { command = "treewhile", args = ["lsp"] }
    """
    from treewhile.server.commands import BadData

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end_by_signal)
    try:
        from treewhile.server.doors.lsp.language_server import serve
    except ModuleNotFoundError as missing:
        raise BadData(str(missing)) from missing
    code = serve()
    sys.stderr.flush()
    os._exit(
        code
    )  # threads may still be at work in compiled code, which the interpreter's own end could abort


def _end_by_signal(number: int, _: object) -> None:
    """Ends at once: there is nothing to clean up, and a thread that reads what the editor says never ends."""
    os._exit(128 + number)
