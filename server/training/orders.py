"""Order to train a model: treebanks, the file of the model, and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from treewhile.incremental import Sentence, read_sentences


@dataclass(frozen=True)
class Order:
    """Order to train a model; `options` are the further options of `treewhile train`, by their names."""

    train: tuple[str, ...]
    dev: str
    out: Path
    threads: int
    options: Mapping[str, Any]

    @property
    def resumes(self) -> bool:
        return bool(self.options["resume"])

    def parts(self) -> tuple[list[Sentence], list[Sentence]]:
        """Return the sentences to learn from, and the sentences to score on."""
        if not self.options["skip_bad"]:
            sentences = [sentence for source in self.train for sentence in read_sentences(source)]
            return sentences, [*read_sentences(self.dev)]
        return self._usable_parts()

    def _usable_parts(self) -> tuple[list[Sentence], list[Sentence]]:
        from treewhile.incremental.training.parts import SkippedSentences, check_scorable, check_trainable

        skipped = {"training": SkippedSentences(), "dev": SkippedSentences()}
        sentences = [*skipped["training"].read(self.train, check_trainable)]
        gold = [*skipped["dev"].read([self.dev], check_scorable)]
        for part, left_out in skipped.items():
            for kind, problems in left_out.by_kind().items():
                amount = f"{len(problems)} sentence{'s' * (len(problems) > 1)}"
                click.echo(f"skipped {amount} of the {part} part, {kind}; the first: {problems[0]}", err=True)
        return sentences, gold
