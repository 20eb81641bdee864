"""The command `treewhile grammar diff`: what an edit of a grammar wins and loses on a treebank."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence
from treewhile.incremental.constraints.workbench.differences import ChangedWord, Difference, differences
from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.server.commands.grammar.inputs import (
    limit_option,
    needed_model_option,
    read_gold,
    searcher_under,
    treebank_argument,
)
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import shown
from treewhile.server.terminal.progress_bars import progress_bar


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@treebank_argument
@needed_model_option
@limit_option
@json_option("Print one JSON object.")
def command(old: str, new: str, source: str, model_name: str, limit: int | None, as_json: bool) -> None:
    """Show what the grammar NEW wins and loses against the grammar OLD on TREEBANK, sentence by sentence.

    The sentences are parsed by the model M and searched under both grammars until nothing improves, so each
    run tells the same. A word is right if its head and label are, without the subtype. Below each sentence
    that changes are its words that do, and the constraint that speaks most against the old tree.

    \b
    Examples:
      treewhile grammar diff general mine.constraints dev.conllu --model af
      treewhile grammar diff before.constraints after.constraints dev.conllu --model en --json
    """
    gold, model = read_gold(source, limit), load_model(model_name)
    before, after = searcher_under(model, old), searcher_under(model, new)
    found: list[Difference] = []
    with progress_bar("comparing", len(gold), MofNCompleteColumn()) as advance:
        for difference in differences(model, before, after, gold):
            found.append(difference)
            advance(1)
    if as_json:
        click.echo(json.dumps(_figures(gold, found), ensure_ascii=False))
        return
    for line in _lines(gold, found):
        click.echo(line)


def _summary(gold: Sequence[Sentence], found: Sequence[Difference]) -> dict[str, int]:
    words = [word for difference in found for word in difference.changed]
    return {
        "sentences": len(gold),
        "sentences_changed": sum(bool(difference.changed) for difference in found),
        "words": sum(len(sentence.words) for sentence in gold),
        "right_before": sum(difference.right_before for difference in found),
        "right_after": sum(difference.right_after for difference in found),
        "won": sum(word.is_won for word in words),
        "lost": sum(word.is_lost for word in words),
    }


def _figures(gold: Sequence[Sentence], found: Sequence[Difference]) -> dict[str, Any]:
    changed = [
        {
            "sentence": number,
            "place": place_of(sentence),
            "won": sum(word.is_won for word in difference.changed),
            "lost": sum(word.is_lost for word in difference.changed),
            "words": [word._asdict() for word in difference.changed],
            "because": difference.because,
        }
        for number, (sentence, difference) in enumerate(zip(gold, found, strict=True), 1)
        if difference.changed
    ]
    return {**_summary(gold, found), "changed": changed}


def place_of(sentence: Sentence) -> str:
    return f"{Path(sentence.file_name).name}:{sentence.first_row_line}"


def _lines(gold: Sequence[Sentence], found: Sequence[Difference]) -> Iterator[str]:
    for number, (sentence, difference) in enumerate(zip(gold, found, strict=True), 1):
        if not difference.changed:
            continue
        won, lost = (
            sum(getattr(word, name) for word in difference.changed) for name in ("is_won", "is_lost")
        )
        reason = next((f", because of {name!r}" for name in difference.because), "")
        yield f"{place_of(sentence)} (sentence {number}): {won} won, {lost} lost{reason}"
        yield f"  {shown(' '.join(word.form for word in sentence.words))}"
        yield from (f"  {_told(word, sentence)}" for word in difference.changed)
    said = _summary(gold, found)
    before, after = (said[name] / said["words"] for name in ("right_before", "right_after"))
    yield f"words right: {before:.2%} before, {after:.2%} after; {said['won']} won, {said['lost']} lost"
    yield f"sentences changed: {said['sentences_changed']} of {said['sentences']}"


def _told(word: ChangedWord, sentence: Sentence) -> str:
    kind = "won" if word.is_won else "lost" if word.is_lost else "else"
    old, new, gold = (edge_text(decision, sentence) for decision in (word.old, word.new, word.gold))
    right = "" if kind == "won" else f"; right is {gold}"
    return f"{kind:4}  {word.word} {shown(word.form)}: {new}, was {old}{right}"


def edge_text(decision: Decision, sentence: Sentence) -> str:
    """Return a label and a head as text: `nsubj of 3 barks`."""
    head = decision.head
    if not head or not isinstance(head, int):
        return decision.label
    return f"{decision.label} of {head} {shown(sentence.words[head - 1].form)}"
