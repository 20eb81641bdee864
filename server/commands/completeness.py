"""The command `treewhile completeness`: scores of predicted ends of sentences."""

from __future__ import annotations

import json

import click

from treewhile.server.commands.options import json_option


@click.group()
def command() -> None:
    """Score predictions of the ends of sentences.

    \b
    Examples:
      treewhile completeness score en ewt-dev.conllu
    """


@command.command()
@click.argument("name", metavar="M")
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@json_option("Print one JSON object with all scores.")
def score(
    name: str,
    sources: tuple[str, ...],
    as_json: bool,
) -> None:
    """Score how well the model M tells on all prefixes of treebanks when sentences end.

    You get the scores twice: for sentences as said, in small letters and without punctuation, and as written.
    For `may_end` and `ends` there are the area under the ROC curve (AUC), the mean squared error
    (Brier), and how far probabilities are off in ten bins (ECE), which are listed for `ends`.

    \b
    Examples:
      treewhile completeness score en ewt-dev.conllu
      treewhile completeness score en ewt-dev.conllu --json
    """
    from treewhile.incremental import load_model
    from treewhile.server.terminal.completeness_scores import (
        PARSER,
        by_model,
        scores_by_text,
        sentences_of,
        show_completeness_scores,
    )

    raters = {PARSER: by_model(load_model(name))}
    sentences = sentences_of(sources, "reading")
    found = scores_by_text(raters, sentences)
    if as_json:
        told = {
            text: {
                rater: {what: one.as_json() for what, one in scores.items()}
                for rater, scores in by_rater.items()
            }
            for text, by_rater in found.items()
        }
        whole = {"model": name, "files": sources, "sentences": len(sentences), "texts": told}
        click.echo(json.dumps(whole, ensure_ascii=False))
    else:
        show_completeness_scores(f"{name} on {', '.join(sources)} ({len(sentences):,} sentences)", found)
