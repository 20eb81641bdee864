"""The command `treewhile grammar show`: a grammar with its includes, or as a list of constraints."""

from __future__ import annotations

import json
from typing import Any

import click

from treewhile.incremental.constraints import load_grammar
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.workbench.resolved_texts import resolved_text
from treewhile.server.commands.grammar.inputs import grammar_argument
from treewhile.server.commands.options import json_option


@click.command()
@grammar_argument
@json_option("Print one JSON object with the constraints, in place of the text.")
def command(grammar_name: str, as_json: bool) -> None:
    """Show GRAMMAR in the words of its author, with all that it includes in place.

    What is shown is a grammar again, without includes: a good begin for one of your own. With --json
    there are the constraints in order, each with its section, penalty, relation, file and line. Penalties
    that are computed for each conflict are null.

    \b
    Examples:
      treewhile grammar show general
      treewhile grammar show mine.constraints --json
    """
    if not as_json:
        click.echo(resolved_text(grammar_name), nl=False)
        return
    grammar = load_grammar(grammar_name)
    constraints = [*map(described, grammar.constraints)]
    said = {"name": grammar.name, "predictors": grammar.predictors, "constraints": constraints}
    click.echo(json.dumps(said, ensure_ascii=False))


def described(constraint: Constraint) -> dict[str, Any]:
    """Return what programs are told of a constraint."""
    penalty = constraint.penalty
    return {
        "constraint": constraint.name,
        "section": constraint.section,
        "weighs": penalty is not None,
        "tells": constraint.message is not None,
        "penalty": penalty if isinstance(penalty, float) else None,
        "edges": constraint.relation.name.lower(),
        "file": constraint.place.file,
        "line": constraint.place.line,
    }
