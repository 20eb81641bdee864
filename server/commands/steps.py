"""The command `treewhile steps`: the walk of a sentence to its tree by optimal steps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing

import click

from treewhile.incremental import Sentence, complaints_placed
from treewhile.oracles import Configuration, InputError
from treewhile.oracles.systems import ARC_STANDARD, SYSTEMS, strategy_of
from treewhile.oracles.transitions import STRATEGIES, EagerConfiguration
from treewhile.server.commands.options import AT_LEAST_ONE, chosen_option, defaulted_option, json_option
from treewhile.server.terminal.optimal_walks import Walk, show, walk
from treewhile.server.terminal.progress_bars import read_with_progress


@click.command()
@click.argument("source", metavar="FILE")
@defaulted_option(
    "--sentence", AT_LEAST_ONE, 1, "Which sentence of FILE, counted from 1.", "number", metavar="K"
)
@chosen_option("--system", SYSTEMS, ARC_STANDARD, "System of the parser whose steps are taken.")
@click.option(
    "--strategy",
    type=click.Choice([*STRATEGIES]),
    help="Which children a word takes first in arc-standard; strict: none to its left once it is below the "
    f"top.  [default: {SYSTEMS[ARC_STANDARD].strategy}]",
)
@json_option("Print one JSON object for every step, each on a line.")
def command(source: str, number: int, system: str, strategy: str | None, as_json: bool) -> None:
    """Walk a sentence to its tree by optimal steps of a shift-reduce parser, and show each step.

    A shift moves the next word to the stack. With reduce_left the top of the stack goes and becomes a child
    of the word below it; with reduce_right it is the other way round. For each of the three the table has the
    number of edges of the tree that can still be made if it is taken next and the strategy is kept from there
    on (* marks the best, — one that cannot be taken). Then come the step taken, with its edge head → child,
    and how many entries of the algorithm's tables were filled for these numbers, out of how many that they
    need in all. Where one word is under the root, the root takes one child, as the last step.

    In arc-eager the next word becomes a child of the top with right_arc, and goes on top of it; with left_arc
    the top goes and becomes a child of the next word. A reduce takes away a top that has its head.

    FILE is a treebank in CoNLL-U, compressed if its name ends in .gz; - is standard input.

    \b
    Examples:
      treewhile steps train.conllu --sentence 3
      treewhile steps train.conllu --system arc-eager
    """
    strategy_of(system, strategy)  # raises errors of usage before errors of the sentence
    sentence = _sentence(source, number)
    with complaints_placed(sentence):
        walked = walk([word.form for word in sentence.words], sentence.heads, system, strategy)
    if as_json:
        for line in _json_lines(walked):
            click.echo(line)
    else:
        show(walked, _text(sentence))


def _sentence(source: str, number: int) -> Sentence:
    """Return the sentence with a number, counted from 1."""
    last = 0
    with closing(read_with_progress(source, "reading")) as sentences:
        for last, sentence in enumerate(sentences, 1):
            if last == number:
                return sentence
    name = "standard input" if source == "-" else source
    amount = f"{last or 'no'} sentence{'s' * (last != 1)}"
    raise InputError(f"there is no sentence {number} in {name}, which has {amount}")


def _text(sentence: Sentence) -> str:
    """Return the sentence as text: its comment `text` if there is one, else its words."""
    given = [
        comment.partition("=")[2].strip() for comment in sentence.comments if comment.startswith("# text =")
    ]
    return given[0] if given else " ".join(word.form for word in sentence.words)


def _json_lines(walked: Walk) -> Iterator[str]:
    for number, step in enumerate(walked.steps, 1):
        configuration = step.configuration
        line = {
            "step": number,
            "stack": configuration.stack,
            "stack_forms": [walked.form(node) for node in configuration.stack],
            **_headed(configuration),
            "front": configuration.front,
            "remaining": walked.forms[configuration.front - 1 :],
            "scores": dict(zip(step.scores.steps, step.scores, strict=True)),
            "best": sorted(step.scores.best),
            "taken": step.taken,
            "edge": step.edge,
            "entries_filled": step.entries_filled,
            "entries_in_all": step.entries_in_all,
        }
        yield json.dumps(line)


def _headed(configuration: Configuration) -> dict[str, Sequence[int]]:
    """Return the words on the stack that have a head, for the arc-eager system."""
    return {"headed": configuration.headed} if isinstance(configuration, EagerConfiguration) else {}
