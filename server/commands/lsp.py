"""The command `treewhile lsp`: a language server, started by an editor."""

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
    os._exit(code)  # threads may run compiled code, which the interpreter's own end could abort


def _end_by_signal(number: int, _: object) -> None:
    """End at once: there is nothing to clean up, and the thread that reads from the editor never ends."""
    os._exit(128 + number)
