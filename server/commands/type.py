"""The command `treewhile type`: typing in a terminal with a live tree."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack

import click

from treewhile.server.commands.options import live_trees_option


@click.command()
@click.option("--url", help="Address of a server, like ws://127.0.0.1:8080; without it, one is started.")
@click.option("--token", help="Token of that server.")
@click.option("--model", metavar="M", help="The model to use: of that server, or any that is installed.")
@live_trees_option
@click.option("--grammar", metavar="G", help="Search for trees under this grammar: a name or a file.")
@click.option(
    "--constituents",
    "with_phrases",
    is_flag=True,
    help="Draw phrases, as brackets over the words, in place of arcs; dashed ones are open.",
)
def command(
    url: str | None,
    token: str | None,
    model: str | None,
    trees: str | None,
    grammar: str | None,
    with_phrases: bool,
) -> None:
    """Type, and watch the tree grow; words in brackets are still to come.

    Below the tree are the next steps of the parser: what each one does, how many correct arcs can be
    expected after it, and which arcs it loses. The recommended step is marked; it may be to wait.

    The tree shown is that of the sentence at the cursor. Arrow keys, Home and End move it; Ctrl-W
    deletes a word, Ctrl-U the line up to the cursor, Ctrl-_ undoes that; Ctrl-C or Ctrl-D ends.

    \b
    Examples:
      treewhile type
      treewhile type --model af --trees mh4
      treewhile type --model af --grammar mine.constraints
      treewhile type --url wss://trees.example.org --token secret
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("this needs a terminal: use treewhile parse for files and pipes.")
    for option, value in (("--trees", trees), ("--grammar", grammar)):
        if url is not None and value is not None:
            raise click.UsageError(f"{option} is for a server that is started here: leave --url out.")
    from treewhile.server.process.own_servers import SERVE, own_server
    from treewhile.server.terminal.typing_screens import type_at

    with ExitStack() as stack:
        if url is None:
            click.echo("treewhile: starting a server")
            url = stack.enter_context(own_server([*SERVE, *_options(model, trees, grammar)], _say)).url
            model = None  # the new server has only this model
        number = asyncio.run(type_at(url, token, model, with_phrases))
    if number:
        sys.exit(128 + number)


def _options(model: str | None, trees: str | None, grammar: str | None) -> list[str]:
    """Return the options of the server that is started."""
    asked = {"--model": model, "--trees": trees, "--grammar": grammar}
    return [word for name, value in asked.items() if value is not None for word in (name, value)]


def _say(line: str) -> None:
    click.echo(f"treewhile: {line}")
