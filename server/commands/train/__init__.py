"""The command `treewhile train`: a sub-command for each model, and for each part of a model."""

from __future__ import annotations

from typing import Final

import click

from treewhile.server.commands import ImportedCommands

SUMMARIES: Final = {
    "parser": "Train a model on a treebank, or train a model further.",
    "segmenter": "Train anew how a model finds words and sentences in text.",
    "steps": "Train anew how a model scores steps.",
    "trees": "Choose the class of trees that a model parses in.",
    "mean": "Average models that have gone on from the same one.",
    "constituents": "Add phrases to a model.",
    "completeness": "Add predictions of the ends of sentences to a model.",
    "lemmas": "Add lemmas and XPOS to a model.",
    "grammar": "Train a grammar of phrases.",
}
WHOLE: Final = ("parser", "grammar")  # have modules of their own; the others are in `parts`


class TrainingCommands(ImportedCommands):
    """Group of the commands that train."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in WHOLE or name not in SUMMARIES:
            return super().get_command(ctx, name)
        from treewhile.server.commands.train import parts

        command: click.Command = getattr(parts, name)
        return command


@click.group(cls=TrainingCommands, package=__name__, summaries=SUMMARIES)
def command() -> None:
    """Train a model, or a part of a model.

    The parser comes first: the other commands but the last take a model, and write the model with the new
    part to another file, or to the same one.

    \b
    Examples:
      treewhile train parser --train en-train.conllu --dev en-dev.conllu --out en.safetensors
      treewhile train completeness --model en.safetensors --train en-train.conllu --dev en-dev.conllu \\
        --out en.safetensors
    """
