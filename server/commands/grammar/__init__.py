"""The command `treewhile grammar`: a workbench for people who write grammars of weighted constraints."""

from __future__ import annotations

from typing import Final

import click

from treewhile.server.commands import ImportedCommands

SUMMARIES: Final = {
    "list": "List the grammars that are installed.",
    "show": "Show a grammar with everything that it includes.",
    "check": "Find all mistakes of a grammar.",
    "stats": "Count on a treebank how often constraints apply and are broken.",
    "diff": "Show what an edit of a grammar wins and loses on a treebank.",
    "explain": "Explain why a search finds a tree, and not another one.",
    "profile": "Measure what each constraint costs a search, and brings.",
    "new": "Write a first grammar from a treebank.",
    "tune": "Tune penalties on a treebank.",
}


@click.group(cls=ImportedCommands, package=__name__, summaries=SUMMARIES)
def command() -> None:
    """Write grammars of weighted constraints: check them, count, compare, explain, tune.

    A grammar is given by its name, if it is installed, or as a file. docs/constraints.md describes the
    language.

    \b
    Examples:
      treewhile grammar show english
      treewhile grammar stats mine.constraints dev.conllu --model af
    """
