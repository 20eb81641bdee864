"""The command `treewhile grammar check`: all mistakes of a grammar in one run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import click

from treewhile.incremental import Model
from treewhile.incremental.constraints import Grammar, Mistake, find_mistakes, known_names, load_grammar
from treewhile.incremental.constraints.language.name_checks import lacking_names
from treewhile.incremental.constraints.workbench.certainties import certainties, forbidden_labels
from treewhile.incremental.constraints.workbench.contradictions import contradictions
from treewhile.incremental.constraints.workbench.examples import FailedExample, failed_examples
from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.tree_decoding import PROJECTIVE
from treewhile.server.commands import BadData
from treewhile.server.commands.grammar.inputs import grammar_argument
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import shown

MOST_READ: Final = 20  # words that are shown of an example


@click.command()
@grammar_argument
@click.option("--model", "model_name", metavar="M", help="Check names against those that this model knows.")
@json_option("Print one JSON object.")
def command(grammar_name: str, model_name: str | None, as_json: bool) -> None:
    """Find all mistakes of GRAMMAR in one run, each with its line and column.

    The exit code is 1 if there are any.

    With --model names that can never hold are mistakes, too: labels, tags, features and their values that
    neither Universal Dependencies nor M know, and predictors that nobody binds. Where there are none of
    these, examples beside constraints are searched with M under the grammar: a right one that breaks its
    constraint is a mistake, and so is a wrong one that keeps it. It is also told which features, values and
    tags M gives no word, which constraints no tree can break, which ones every edge breaks, which labels hard
    constraints forbid altogether, and which pairs of hard constraints contradict each other in some sentence
    of three words at most: no tree of it keeps both, though either one can be kept. Of such a sentence only
    that is told which matters, for example .../VERB for a verb with any form.

    \b
    Examples:
      treewhile grammar check mine.constraints
      treewhile grammar check mine.constraints --model af --json
    """
    model = None if model_name is None else load_model(model_name)
    mistakes = find_mistakes(grammar_name, None if model is None else known_names(model))
    grammar = None if mistakes or model is None else load_grammar(grammar_name)
    notes = []
    if grammar is not None and model is not None:
        notes = [*_notes(grammar, model)]
        mistakes = [*map(_failed, failed_examples(grammar, model))]
    if as_json:
        said = {"grammar": grammar_name, "mistakes": [*map(Mistake._asdict, mistakes)], "notes": notes}
        click.echo(json.dumps(said, ensure_ascii=False))
    else:
        _show(mistakes, notes)
    if mistakes:
        amount = f"{len(mistakes)} mistake{'s' * (len(mistakes) > 1)}"
        raise BadData(f"{grammar_name} has {amount}: correct what is listed on standard output")


def _failed(example: FailedExample) -> Mistake:
    place, name = example.place, example.constraint
    what = "breaks" if example.is_right else "keeps"
    kind = "right" if example.is_right else "wrong"
    wanted = f"the {kind} example {example.text!r:.80} {what} {name!r:.60}: correct either"
    message = f"{wanted}, or take words that the model reads as you do. It reads {_read(example.found)}"
    return Mistake(place.line, place.column, message, place.file)


def _read(found: Analysis) -> str:
    """Return the tags and arcs of the first words."""
    words = zip(found.words, found.tags, found.decisions, strict=True)
    told = [f"{form}/{tag} ({_arc(decision, found)})" for form, tag, decision in islice(words, MOST_READ)]
    return ", ".join([*told, *(["..."] if len(found.words) > MOST_READ else [])])


def _arc(decision: Decision, found: Analysis) -> str:
    head, label = decision
    return f"{label} of {found.words[head - 1]}" if isinstance(head, int) and head else label


def _notes(grammar: Grammar, model: Model) -> Iterator[dict[str, Any]]:
    labels = model.inventory.labels
    for remark in lacking_names(grammar.constraints, known_names(model)):
        yield _note(remark.place, remark.what)
    for constraint, message in certainties(grammar, labels, model.inventory.root_labels):
        yield _note(constraint.place, f"the constraint {constraint.name!r}: {message}")
    for label, guilty in forbidden_labels(grammar, labels):
        names = " and ".join(repr(constraint.name) for constraint in guilty)
        yield _note(guilty[0].place, f"no edge can have the label {label}: {names} forbid it, at any cost")
    for (one, other), sentence in contradictions(
        grammar, labels, model.inventory.tags, model.inventory.root_labels, model.trees != PROJECTIVE
    ):
        shows = " ".join(map(str, sentence))
        what = f"{one.name!r} and {other.name!r} contradict each other: no tree of {shows} keeps both"
        yield _note(other.place, what)


def _note(place: Any, message: str) -> dict[str, Any]:
    return {"line": place.line, "column": place.column, "message": message, "file": place.file}


def _show(mistakes: Sequence[Mistake], notes: Sequence[dict[str, Any]]) -> None:
    for mistake in mistakes:
        click.echo(f"{mistake.file}:{mistake.line}:{mistake.column}: {shown(mistake.message)}")
    for note in notes:
        click.echo(f"{note['file']}:{note['line']}:{note['column']}: note: {shown(note['message'])}")
    if not mistakes:
        click.echo("no mistakes were found")
