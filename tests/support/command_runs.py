"""Commands that are run in this process, and as processes of their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from treewhile.server.commands import treewhile

PROCESS = [sys.executable, "-m", "treewhile.server.commands"]
# A shell that starts the tests in the background has told them, and so their children, to ignore SIGINT.
WITH_SIGINT = (
    "import signal\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from treewhile.server.commands import main\n"
    "main()\n"
)


def command(*words: str, text: str = "") -> Callable[..., Result]:
    """Return a function that runs a command in this process, with arguments and with text as its input."""

    def run(*arguments: object, text: str = text) -> Result:
        line = [*words, *map(str, arguments)]
        return CliRunner().invoke(treewhile, line, input=text.encode(), catch_exceptions=False)

    return run


def wait_until(has_come: Callable[[], bool]) -> None:
    for _ in range(12_000):
        if has_come():
            return
        time.sleep(0.005)
    pytest.fail("it did not come")
