"""Table 2 of Pitler, Kannan & Marcus 2012, for any models and treebank.

PYTHONPATH=tests/benchmarks python -m pitler_crossing --help
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

import click
from paper_sources import language_of, sentences_of
from rich.text import Text

from pitler_crossing.decoder_comparison import DECODERS, DecoderScores, compared_decoders
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.server.commands.options import json_option
from treewhile.server.terminal.consoles import console, percent, shown, table_of

# UAS as printed, on the test parts of CoNLL-X.
PITLER_2: Final = {
    "projective": {"cs": 80.0, "da": 88.2, "nl": 79.8, "pt": 87.4, "sv": 86.9},
    "spanning trees": {"ar": 78.0, "cs": 80.4, "da": 88.1, "nl": 84.6, "pt": 86.7, "sv": 86.2},
    "gap-minding": {"ar": 77.6, "cs": 80.8, "da": 88.6, "nl": 83.9, "pt": 86.8, "sv": 86.0},
}

as_json_option = json_option("Print one JSON object.")


@click.command()
@click.argument("source", metavar="FILE")
@click.argument("names", metavar="MODEL...", nargs=-1, required=True)
@as_json_option
def command(source: str, names: Sequence[str], as_json: bool) -> None:
    """Table 2 of Pitler, Kannan & Marcus 2012: what wider classes of trees are worth.

    The treebank FILE is parsed by each MODEL, a file or the name of an installed model, with each decoder.
    Beside UAS and LAS, punctuation and all, stand precision, recall and F1 of the edges that cross, right
    wherever the other tree has them, and the seconds that parsing took. Of several models, such as those of
    other seeds, the means are given. Gap-minding trees are pruned as in the paper. What is too long for a
    class is parsed projectively: more than 60 words for gap-minding trees, 100 for 1-endpoint-crossing ones,
    and 120 for MH4.

    Here all decoders have the same scores of arcs, while the paper trains a model for each. Its numbers
    are those of the test parts of CoNLL-X.

    \b
    Example:
      python -m pitler_crossing nl_alpino-dev.conllu seed-1.safetensors seed-2.safetensors
    """
    gold = [*sentences_of(source)]
    check_gold(gold)
    runs = {name: compared_decoders(load_model(name), gold) for name in names}
    language = language_of(source)
    paper = {name: printed[language] for name, printed in PITLER_2.items() if language in printed}
    if as_json:
        told = {name: _as_json(scores) for name, scores in runs.items()}
        click.echo(json.dumps({"table": "pitler-2", "file": source, "models": told, "paper": paper}))
    else:
        _show_decoders(source, [*runs.values()], paper)


def _as_json(scores: Mapping[str, DecoderScores]) -> dict[str, dict[str, float]]:
    return {name: one._asdict() for name, one in scores.items()}


def _show_decoders(
    source: str, runs: Sequence[Mapping[str, DecoderScores]], paper: Mapping[str, float]
) -> None:
    crossing = (f"crossing:\n{name}" for name in ("precision", "recall", "F1"))
    table = table_of("decoder", "UAS", "sd", "LAS", *crossing, "seconds", "paper:\nUAS")
    for name in DECODERS:
        found = [scores[name] for scores in runs]
        uas, *others = map(fmean, zip(*found, strict=True))
        spread = stdev(one.UAS for one in found) if len(found) > 1 else None
        table.add_row(name, *(percent(one, 1) for one in (uas, spread, *others, paper.get(name))))
    out = console()
    out.print(Text(shown(Path(source).name)))
    out.print(table)


if __name__ == "__main__":
    command()
