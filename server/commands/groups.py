"""Groups of commands that are imported when they run, since imports take half a second."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


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
