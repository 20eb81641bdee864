"""`treewhile train`: a model from a treebank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treewhile.incremental.parsers.told_values import TAGS
from treewhile.incremental.training.settings import DECODERS_TO_LEARN, EXPLORE, TREES, Settings
from treewhile.oracles.trees.class_names import OF_PREFIXES
from treewhile.server.commands.options import FEW, chosen_option, defaulted_option
from treewhile.server.training.classes import choose_class
from treewhile.server.training.given_options import require_train
from treewhile.server.training.orders import Order
from treewhile.server.training.parsers import train_parser
from treewhile.server.training.parts import EPOCHS_OF_STEPS, train_segmenter, train_steps


@click.command()
@click.option("--train", "train", metavar="A", multiple=True, help="Treebank to learn from.  [required]")
@click.option(
    "--dev", metavar="B", required=True, help="Treebank that decides which state of the model is best."
)
@click.option("--out", metavar="M", required=True, type=click.Path(path_type=Path), help="The model's file.")
@chosen_option(
    "--trees",
    TREES,
    Settings.trees,
    "Learn from all trees, made projective for the shift-reduce parser; or only from projective ones.",
)
@chosen_option(
    "--explore",
    EXPLORE,
    Settings.explore,
    "In the second half, follow the parser's own steps, with the best ones for these trees; or do not.",
)
@chosen_option(
    "--tags",
    TAGS,
    Settings.tags,
    "Gold tags that the parser is given, also in use: none, UPOS, or UPOS and FEATS.",
)
@chosen_option(
    "--decoder",
    DECODERS_TO_LEARN,
    Settings.decoder,
    "Let arcs learn from whole trees, too: their likelihood among all, or the margin to the best of a class.",
)
@click.option(
    "--committed-only",
    is_flag=True,
    help="Learn the committed parse alone, as Nederhof's Table 7 does: such a model has no best parse.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, 1000),
    help=f"Number of epochs at most.  [default: by the size of A; {EPOCHS_OF_STEPS} with --steps-of]",
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=Settings.seed, show_default=True)
@defaulted_option(
    "--threads", FEW, 1, "Threads to use; the matrices are small, and two threads take longer than one."
)
@click.option("--resume", is_flag=True, help="Go on from the checkpoint beside M, if there is one.")
@click.option("--skip-bad", is_flag=True, help="Leave out sentences that nothing can be learnt from.")
@click.option("--no-segmenter", is_flag=True, help="Do not learn to find words and sentences in text.")
@click.option(
    "--from",
    "beginning",
    metavar="P",
    help="Go on with the model P, a file or the name of an installed model, and write the better one to M.",
)
@click.option(
    "--segmenter-of",
    "parser",
    metavar="P",
    help="Train only the segmenter, which finds words and sentences, and write P with the new one to M.",
)
@click.option(
    "--steps-of",
    "steps_of",
    metavar="P",
    help="Train only the scorer of the committed parse's steps, and write P with the new one to M.",
)
@click.option(
    "--class-of",
    "class_of",
    metavar="P",
    help="Train nothing; only choose the class of trees that P parses best in, and write P with that to M.",
)
@click.option(
    "--class",
    "trees_of_model",
    type=click.Choice([*OF_PREFIXES]),
    help="The class of trees that M parses in.  [default: the one that pays on B]",
)
@click.option(
    "--language", metavar="CODE", help="Recorded in the model.  [default: what the name of A begins with]"
)
@click.option(
    "--licence",
    metavar="TEXT",
    help="Recorded in the model; most treebanks want models to be under their own.",
)
def command(
    train: tuple[str, ...],
    dev: str,
    out: Path,
    threads: int,
    parser: str | None,
    steps_of: str | None,
    class_of: str | None,
    **options: Any,
) -> None:
    """Train a parser on the treebank A, and write the model that parses the treebank B best to M.

    --train may be given several times. Both are files in CoNLL-U, compressed if their names end in .gz. The
    model learns to tag, to parse whole sentences and prefixes, and to find words and sentences in the text of
    A. After every epoch the scores on B are printed, in percent of its words: right tags (UPOS) and features
    (FEATS), right heads (UAS), and right heads and labels, subtypes ignored (LAS). Trees are then projective,
    or in the class "mh4" if --decoder says so, or the model of --from has it. Training ends when nothing
    has improved for a quarter of the epochs, ten at least, or after --epochs: by default 30, or up to 300
    where A is so small that an epoch has few steps.

    Every word of B needs a head; in A, _ is an unknown head, from which nothing is learnt. Training
    does not begin if a sentence is not in CoNLL-U, if its heads form a circle, or if it cannot be
    parsed at all; with --skip-bad such sentences are left out, with a line that counts them and names the
    place of the first.

    With --from a finished model is trained further; it keeps its words, tags and labels, and learns no
    others. If no epoch makes it better on B, M is the same as P.

    With --segmenter-of no parser is trained: M is the model P, a file or the name of an installed model, and
    only what finds words and sentences in text is learnt anew. That takes minutes.

    With --steps-of only the step scorer of P is learnt anew: which step is next, what it is worth to wait for
    the next word, and which word that will hang on. The scores on
    B are then the right heads of committed parses, and how often the head of the next word is predicted
    rightly.

    Where trees of B have edges that cross, B is parsed in the end in each class of trees that a model can
    have, and M remembers the one that pays: "mh4", whose edges may cross, if it is better than "projective"
    by more than chance, one standard error of the words with right heads and labels. With --class-of that is
    all that is done, and nothing is learnt: no A is needed. With --class you decide.

    After every epoch everything that is known is written to M.checkpoint, which takes eleven times the room
    of M and is deleted once M is written. If a run is stopped, the same command with --resume goes on and
    ends with the same model, on the same machine with the same number of threads; --epochs may be raised
    then, or lowered to end sooner.

    \b
    Examples:
      treewhile train --train en-train.conllu --dev en-dev.conllu --out en.safetensors
      treewhile train --from en --train mine.conllu --dev dev.conllu --out mine.safetensors
      treewhile train --segmenter-of en --train mine.conllu --dev dev.conllu --out mine.safetensors
      treewhile train --steps-of en --train mine.conllu --dev dev.conllu --out mine.safetensors
      treewhile train --class-of old.safetensors --dev dev.conllu --out new.safetensors
    """
    order = Order(train, dev, out, threads, options)
    if class_of is not None:
        choose_class(class_of, order)
        return
    require_train()
    if parser is not None:
        train_segmenter(parser, order)
    elif steps_of is not None:
        train_steps(steps_of, order)
    else:
        train_parser(order)
