"""How well it is told when sentences end: on EWT, on GUM, and on those genres of GUM that are spoken.

Beside the model stand trigrams, and layers like its own over the last three words, which learn in the same
run.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Final

from completeness_baselines import baselines

from treewhile.incremental import Sentence, load_model
from treewhile.server.terminal.completeness_scores import (
    PARSER,
    by_model,
    scores_by_text,
    sentences_of,
    show_completeness_scores,
)

SPOKEN: Final = re.compile(r"sent_id = GUM_(conversation|court|interview|podcast|speech|vlog)_")


def spoken(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Those whose names say that they were spoken."""
    return [one for one in sentences if any(SPOKEN.search(comment) for comment in one.comments)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en", help="a model's name or file")
    parser.add_argument("--train", nargs="+", required=True, help="what the baselines learn from")
    parser.add_argument("--ewt", help="EWT's dev part")
    parser.add_argument("--gum", help="GUM's dev part")
    parser.add_argument("--dev", nargs="*", default=[], help="other treebanks to score on")
    arguments = parser.parse_args()
    raters = {PARSER: by_model(load_model(arguments.model))}
    raters.update(baselines(sentences_of(arguments.train, "reading what to learn from")))
    parts = {name: sentences_of([name], "reading") for name in arguments.dev}
    if arguments.ewt:
        parts["EWT"] = sentences_of([arguments.ewt], "reading")
    if arguments.gum:
        parts["GUM"] = sentences_of([arguments.gum], "reading")
        parts["GUM, spoken"] = spoken(parts["GUM"])
    for name, sentences in parts.items():
        show_completeness_scores(f"{name} ({len(sentences):,} sentences)", scores_by_text(raters, sentences))


if __name__ == "__main__":
    main()
