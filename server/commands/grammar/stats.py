"""The command `treewhile grammar stats`: how often constraints apply to a treebank and are broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.progress import MofNCompleteColumn
from rich.table import Table
from rich.text import Text

from treewhile.incremental import Sentence
from treewhile.incremental.constraints import Grammar, load_grammar
from treewhile.incremental.constraints.workbench.statistics import (
    ConstraintCounts,
    Occurrence,
    count,
    verdict,
    words_of,
)
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.server.commands.grammar.inputs import (
    grammar_argument,
    limit_option,
    parsed,
    read_gold,
    treebank_argument,
)
from treewhile.server.commands.grammar.show import described
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import console, percent, plain_table, shown
from treewhile.server.terminal.progress_bars import progress_bar

LONGEST_EXAMPLE = 30  # words


@click.command()
@grammar_argument
@treebank_argument
@click.option("--model", metavar="M", help="Count in the trees of this model, too.")
@limit_option
@click.option("--examples", "with_examples", is_flag=True, help="Show examples of conflicts, drawn from all.")
@json_option("Print one JSON object, with examples.")
def command(
    grammar_name: str, source: str, model: str | None, limit: int | None, with_examples: bool, as_json: bool
) -> None:
    """Count for each constraint of GRAMMAR how often it applies to the trees of TREEBANK and is broken.

    A constraint A -> B applies where A holds; one without -> applies to every edge, or to every pair of
    edges in its relation. Tags and features are those of TREEBANK. Constraints that ask the committed parse
    or the arc scorer are not judged.

    With --model the best trees of M, with its tags, are counted, too: a good constraint is broken more often
    there than in gold trees. The lift says how many times as often.

    Remarks: a constraint is dead if it never applies; misleading if gold trees break it clearly more often
    than those of M, and decisive if those of M do, in both cases by more than twice the square root of the
    sum of the two counts; overshadowed if wherever it is broken another one is, too, at the same edge, that
    weighs as much or more.

    \b
    Examples:
      treewhile grammar stats mine.constraints dev.conllu
      treewhile grammar stats english dev.conllu --model en --examples
    """
    grammar, gold = load_grammar(grammar_name), read_gold(source, limit)
    system = [] if model is None else parsed(load_model(model), gold)
    counts = _counted(grammar, gold, system)
    if as_json:
        click.echo(json.dumps(_figures(grammar, source, counts), ensure_ascii=False))
        return
    console().print(_table(grammar, counts))
    if with_examples:
        for line in _example_lines(grammar, counts):
            console().print(Text(line), soft_wrap=True)


class Counted(NamedTuple):
    """Trees, and the counts of all constraints in them."""

    sentences: Sequence[Sentence]
    counts: Sequence[ConstraintCounts]


def _counted(grammar: Grammar, *treebanks: Sequence[Sentence]) -> list[Counted]:
    there = [sentences for sentences in treebanks if sentences]
    with progress_bar("counting", sum(map(len, there)), MofNCompleteColumn()) as advance:
        return [
            Counted(sentences, count(grammar, sentences, [*there[0], *there[-1]], advance))
            for sentences in there
        ]


def _remark(grammar: Grammar, counted: Sequence[Counted], number: int) -> str:
    return verdict(
        grammar, number, counted[0].counts[number], counted[1].counts[number] if counted[1:] else None
    )


def _lift(gold: ConstraintCounts, system: ConstraintCounts) -> float | None:
    """Return how many times as often a constraint is broken in the system's trees; None if gold never is."""
    return system.share / gold.share if gold.share and system.share is not None else None


# --- for people ---------------------------------------------------------------------------------------------


def _table(grammar: Grammar, counted: Sequence[Counted]) -> Table:
    table = plain_table()
    names = ["constraint", "penalty", "cases", "broken", "%"]
    names += ["parser:\ncases", "\nbroken", "\n%", "\nlift"] if counted[1:] else []
    for name in (*names, "remark"):
        is_text = name in ("constraint", "remark")
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for number, constraint in enumerate(grammar.constraints):
        row = [shown(constraint.name), _penalty(constraint.penalty)]
        for one in counted:
            of = one.counts[number]
            row += [f"{of.cases:,}", f"{of.broken:,}", percent(of.share)]
        if counted[1:]:
            row.append(percent(_lift(*(one.counts[number] for one in counted)), 1))
        table.add_row(*map(Text, [*row, _remark(grammar, counted, number)]))
    return table


def _penalty(penalty: object) -> str:
    if isinstance(penalty, float):
        return f"{penalty:g}"
    return "told" if penalty is None else "computed"


def _example_lines(grammar: Grammar, counted: Sequence[Counted]) -> Iterator[str]:
    for number, constraint in enumerate(grammar.constraints):
        found = [(one, place) for one in counted for place in one.counts[number].examples]
        if found:
            yield f"\n{shown(constraint.name)}"
        for one, occurrence in found:
            whose = "" if one is counted[0] else "parser, "
            example = _example(one.sentences, occurrence)
            yield f"  {whose}{example['place']}: {shown(example['text'])}"


def _example(sentences: Sequence[Sentence], occurrence: Occurrence) -> dict[str, Any]:
    sentence = sentences[occurrence.sentence - 1]
    words = words_of(occurrence, [word.head for word in sentence.words])
    return {
        "sentence": occurrence.sentence,
        "place": f"{Path(sentence.file_name).name}:{sentence.first_row_line}",
        "words": words,
        "text": marked(sentence, words),
    }


def marked(sentence: Sentence, words: Sequence[int]) -> str:
    """Return the text of a sentence with some words between asterisks, cut around them if it is long."""
    forms = [
        f"*{word.form}*" if number in words else word.form for number, word in enumerate(sentence.words, 1)
    ]
    first = max(0, min(words, default=1) - 1 - LONGEST_EXAMPLE // 2)
    last = max(words, default=0) + LONGEST_EXAMPLE // 2
    cut = ["..."] if first else []
    return " ".join([*cut, *forms[first:last], *(["..."] if last < len(forms) else [])])


# --- for programs -------------------------------------------------------------------------------------------


def _figures(grammar: Grammar, source: str, counted: Sequence[Counted]) -> dict[str, Any]:
    gold = counted[0].sentences
    return {
        "grammar": grammar.name,
        "treebank": source,
        "sentences": len(gold),
        "words": sum(len(sentence.words) for sentence in gold),
        "constraints": [
            {
                **described(constraint),
                **_counts(counted[0], number),
                **({"parser": _counts(counted[1], number)} if counted[1:] else {}),
                "remark": _remark(grammar, counted, number),
            }
            for number, constraint in enumerate(grammar.constraints)
        ],
    }


def _counts(counted: Counted, number: int) -> dict[str, Any]:
    of = counted.counts[number]
    examples = [_example(counted.sentences, place) for place in of.examples]
    return {"cases": of.cases, "broken": of.broken, "share": of.share, "examples": examples}
