"""`treewhile train`: a model from a treebank."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.network_shapes import KINDS
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.parsers.step_rules import ROOT_LABEL
from treewhile.incremental.parsers.told_values import TAGS
from treewhile.incremental.scores.evaluation import check_gold
from treewhile.incremental.scores.segmentation_scores import MEASURES
from treewhile.incremental.training.settings import (
    ARCS_ALONE,
    DECODERS_TO_LEARN,
    EXPLORE,
    RATE_OF_FINISHED,
    TREES,
    TRIPLES_TO_LEARN,
    Settings,
    usual_epochs,
)
from treewhile.oracles import InputError
from treewhile.oracles.systems import SYSTEMS
from treewhile.oracles.trees.class_names import OF_PREFIXES
from treewhile.server.commands.options import FEW, chosen_option, defaulted_option
from treewhile.server.commands.training_places import (
    check_place,
    check_unused,
    checkpoint_of,
    told_how_to_go_on,
    unused_checkpoint,
)
from treewhile.server.terminal.progress_bars import progress_bar, steps_bar

if TYPE_CHECKING:
    from treewhile.incremental.training.class_choice import Choice
    from treewhile.incremental.training.runs import Run
    from treewhile.incremental.training.segmentation import Progress
    from treewhile.incremental.training.trainer import Epoch

FILES = ("train", "dev", "out", "parser", "steps_of", "class_of", "triples_of", "beginning")

# Options about what a parser keeps if only a part of it is trained.
OF_PARSERS = (
    "trees",
    "explore",
    "tags",
    "language",
    "licence",
    "decoder",
    "triples",
    "committed_only",
    "no_segmenter",
    "beginning",
    "trees_of_model",
)

OF_TRAINING = (
    *OF_PARSERS[:-1],
    "system",
    "train",
    "parser",
    "steps_of",
    "epochs",
    "seed",
    "threads",
    "resume",
)

EPOCHS_OF_STEPS = 10
EPOCHS_OF_TRIPLES = 6


@click.command()
@click.option("--train", "train", metavar="A", multiple=True, help="What to learn from.  [required]")
@click.option("--dev", metavar="B", required=True, help="What tells which state of the model is best.")
@click.option("--out", metavar="M", required=True, type=click.Path(path_type=Path), help="The model's file.")
@chosen_option(
    "--trees",
    TREES,
    Settings.trees,
    "All trees, for the shift-reduce parser made projective; or only those that are.",
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
    "What the parser is told of each word, also when it is used: nothing, its UPOS, or UPOS and FEATS.",
)
@chosen_option(
    "--decoder",
    DECODERS_TO_LEARN,
    Settings.decoder,
    "Let arcs learn from whole trees, too: their likelihood among all, or the margin to the best of a class.",
)
@chosen_option(
    "--triples",
    TRIPLES_TO_LEARN,
    Settings.triples,
    "Let scores of siblings, or of grandparents, be learnt beside those of arcs.",
)
@chosen_option(
    "--system",
    [*SYSTEMS],
    Settings.system,
    "The steps of the committed parse: in arc-eager a word takes those on its right as they come.",
)
@click.option(
    "--committed-only",
    is_flag=True,
    help="Learn the committed parse alone, as Nederhof's Table 7 does: such a model has no best parse.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, 1000),
    help=f"How many at most.  [default: by the size of A; {EPOCHS_OF_STEPS} with --steps-of, "
    f"{EPOCHS_OF_TRIPLES} with --triples-of]",
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=Settings.seed, show_default=True)
@defaulted_option(
    "--threads", FEW, 1, "How many to use; the matrices are small, and two threads take longer than one."
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
    help="Train only what finds words and sentences, and write the model P with that to M.",
)
@click.option(
    "--steps-of",
    "steps_of",
    metavar="P",
    help="Train only what chooses the steps of the committed parse, and write the model P with that to M.",
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
    "--triples-of",
    "triples_of",
    metavar="P",
    help="Train only the --triples, and write the model P with these to M.",
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
    triples_of: str | None,
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
    the next word, and which word that will hang on. Its steps may be of another --system than those of P. The
    scores on B are then the right heads of committed parses, and how often the head of the next word is
    predicted rightly.

    Where trees of B have edges that cross, B is parsed in the end in each class of trees that a model can
    have, and M remembers the one that pays: "mh4", whose edges may cross, if it is better than "projective"
    by more than chance, one standard error of the words with right heads and labels. With --class-of that is
    all that is done, and nothing is learnt: no A is needed. With --class you decide.

    With --triples-of only scores of siblings or of grandparents are learnt, as --triples says, and all that P
    does with arcs alone stays as it is. The score on B is UAS of the best projective trees by siblings, or of
    the best gap-minding ones by grandparents. A model with grandparents has the level L3 in sessions.

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
      treewhile train --triples-of en --triples siblings --train A --dev B --out mine.safetensors
    """
    if class_of is not None:
        _choose_class(class_of, dev, out, options)
        return
    _require_train()
    if parser is not None:
        _train_segmenter(parser, train, dev, out, threads, options)
    elif steps_of is not None:
        _train_steps(steps_of, train, dev, out, threads, options)
    elif triples_of is not None:
        _train_triples(triples_of, train, dev, out, threads, options)
    else:
        _train_parser(train, dev, out, threads, options)


def _train_parser(
    train: Sequence[str], dev: str, out: Path, threads: int, options: Mapping[str, Any]
) -> None:
    """Writes a model of these treebanks."""
    if options["committed_only"]:
        _refuse(("trees_of_model",), "--committed-only", "is about the best parse, and there is none")
    new_run = imported_training(threads)
    checkpoint = unused_checkpoint(out, options["resume"])
    beginning = None if options["beginning"] is None else _beginning(options["beginning"])
    sentences, gold = _parts(train, dev, options["skip_bad"])
    settings, trees = _settings(options, beginning, sentences), options["trees_of_model"]
    run = new_run(sentences, gold, settings, checkpoint, beginning=beginning, trees=trees)
    _tell_labels(run.trainer.inventory, sentences)
    origin = _origin(train, options["language"], options["licence"], beginning)
    with told_how_to_go_on(checkpoint):
        _run_epochs(run, options["resume"])
        _tell_choice(run.choice_of_trees)
        if options["no_segmenter"]:
            write_model(out, run.parser(origin))
            click.echo(_size(out))
        else:
            _write(out, lambda progress: run.model(origin, progress))
    run.forget()


def _train_steps(
    steps_of: str, train: Sequence[str], dev: str, out: Path, threads: int, options: Mapping[str, Any]
) -> None:
    """Writes the model `steps_of` with a new step scorer."""
    _refuse(OF_PARSERS, "--steps-of")
    new_run = imported_training(threads)
    checkpoint = unused_checkpoint(out, options["resume"])
    kept = read_model(model_path(steps_of))
    sentences, gold = _parts(train, dev, options["skip_bad"])
    epochs = options["epochs"] or EPOCHS_OF_STEPS
    settings = Settings(tags=_tags_of(kept), epochs=epochs, seed=options["seed"], system=options["system"])
    run = new_run(sentences, gold, settings, checkpoint, parser=kept)
    with told_how_to_go_on(checkpoint):
        _run_epochs(run, options["resume"])
        model = run.model({"steps_command": _told()})
        write_model(out, model)
        click.echo(f"{_size(out)}  temperature {model.information['temperature']:.2f}")
    run.forget()


def _choose_class(class_of: str, dev: str, out: Path, options: Mapping[str, Any]) -> None:
    """Writes the model `class_of` with the class of trees that pays for it, or that is told."""
    _refuse(OF_TRAINING, "--class-of", "is about training, and nothing is trained")
    check_place(out)
    file = read_model(model_path(class_of))
    _, gold = _parts((), dev, options["skip_bad"])
    check_gold(gold)
    if file.information.get("settings", {}).get("committed_only"):
        raise InputError(f"{class_of} has learnt the committed parse alone: give a model with a best parse")
    from treewhile.incremental.training.class_choice import chosen_class

    choice = chosen_class(Model(file), gold, options["trees_of_model"])
    _tell_choice(choice)
    before = {name: value for name, value in file.information.items() if name != "trees_tried"}
    scores = {**before.get("scores", {}), **choice.scores}
    told = {**choice.information, "scores": scores, "trees_command": _told()}
    write_model(out, ModelFile(file.arrays, before | told))
    click.echo(f"{_size(out)}  trees {choice.trees}")


def _require_train() -> None:
    context = click.get_current_context()
    if not context.params["train"]:
        parameter = next(one for one in context.command.params if one.name == "train")
        raise click.MissingParameter(ctx=context, param=parameter)


def _tell_choice(choice: Choice | None) -> None:
    """Says how good each class of trees is and what it costs, where there was something to choose."""
    if choice is None or not choice.tried:
        return
    each = (
        f"{name} LAS {tried.scores['LAS']:.2f}, {tried.milliseconds:.1f} ms a sentence"
        for name, tried in choice.tried.items()
    )
    click.echo(f"trees: {'; '.join(each)}: {choice.trees}")


def _train_triples(
    triples_of: str, train: Sequence[str], dev: str, out: Path, threads: int, options: Mapping[str, Any]
) -> None:
    """Writes the model `triples_of` with new scores of triples."""
    _refuse([*(name for name in OF_PARSERS if name != "triples"), "system"], "--triples-of")
    if options["triples"] == ARCS_ALONE:
        raise click.UsageError("--triples-of learns what --triples names: siblings or grandparents.")
    new_run = imported_training(threads)
    checkpoint = unused_checkpoint(out, options["resume"])
    kept = read_model(model_path(triples_of))
    sentences, gold = _parts(train, dev, options["skip_bad"])
    settings = Settings(
        explore="none",
        tags=_tags_of(kept),
        epochs=options["epochs"] or EPOCHS_OF_TRIPLES,
        seed=options["seed"],
        triples=options["triples"],
        triples_alone=True,
    )
    run = new_run(sentences, gold, settings, checkpoint, beginning=kept)
    with told_how_to_go_on(checkpoint):
        _run_epochs(run, options["resume"])
        write_model(out, run.parser({"triples_command": _told()}))
        click.echo(_size(out))
    run.forget()


def _beginning(name: str) -> ModelFile:
    """The model to go on with, whose tags are as they are."""
    _refuse(("tags", "system"), "--from", "is decided by the model that is trained on")
    return read_model(model_path(name))


def _tags_of(file: ModelFile) -> str:
    return str(file.information.get("tags", TAGS[0]))


def _settings(
    options: Mapping[str, Any], beginning: ModelFile | None, sentences: Sequence[Sentence]
) -> Settings:
    epochs = options["epochs"] or usual_epochs(sum(len(sentence.words) for sentence in sentences))
    names = ("trees", "explore", "tags", "seed", "decoder", "triples", "system", "committed_only")
    settings = Settings(**{name: options[name] for name in names}, epochs=epochs)
    if beginning is None:
        return settings
    known = [kind for kind in KINDS if kind in beginning.information]
    triples = next(iter(known), ARCS_ALONE) if settings.triples == ARCS_ALONE else settings.triples
    return replace(settings, tags=_tags_of(beginning), triples=triples, learning_rate=RATE_OF_FINISHED)


def _parts(train: Sequence[str], dev: str, skip_bad: bool) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences to learn from, and those to be scored on."""
    if not skip_bad:
        return [sentence for source in train for sentence in read_sentences(source)], [*read_sentences(dev)]
    from treewhile.incremental.training.parts import SkippedSentences, check_scorable, check_trainable

    skipped = {"training": SkippedSentences(), "dev": SkippedSentences()}
    sentences = [*skipped["training"].read(train, check_trainable)]
    gold = [*skipped["dev"].read([dev], check_scorable)]
    for part, left_out in skipped.items():
        for kind, problems in left_out.by_kind().items():
            amount = f"{len(problems)} sentence{'s' * (len(problems) > 1)}"
            click.echo(f"skipped {amount} of the {part} part, {kind}; the first: {problems[0]}", err=True)
    return sentences, gold


def _tell_labels(inventory: Inventory, sentences: Sequence[Sentence]) -> None:
    """Says what is uncommon about the labels, so that nobody finds out from trees."""
    labels = {word.deprel for sentence in sentences for word in sentence.words} - {"_"}
    if unknown := sorted(labels.difference(inventory.labels)):
        click.echo(f"not learnt, since the model does not have these labels: {', '.join(unknown)}", err=True)
    if inventory.root_labels != (ROOT_LABEL,):
        called = " or ".join(inventory.root_labels) or "as other words are, too"
        click.echo(f"what hangs on the root is not called {ROOT_LABEL} here, but {called}", err=True)


def _size(out: Path) -> str:
    return f"{out}: {out.stat().st_size / 1e6:.1f} MB"


def _origin(
    train: Sequence[str], language: str | None, licence: str | None, beginning: ModelFile | None
) -> dict[str, Any]:
    """What of the command is told in the model; what it began with goes before."""
    before = {} if beginning is None else beginning.information
    return {
        "language": language or before.get("language") or _language(train[0]),
        "treebanks": [*before.get("treebanks", []), *(Path(source).name for source in train)],
        "licence": licence or before.get("licence") or "not said",
        "command": _told(),
    }


def _train_segmenter(
    parser: str, train: Sequence[str], dev: str, out: Path, threads: int, options: Mapping[str, Any]
) -> None:
    """Writes the model `parser` with a segmenter of these treebanks."""
    _refuse((*OF_PARSERS, "system", "epochs", "steps_of"), "--segmenter-of")
    imported_training(threads)
    from treewhile.incremental.training.runs import (
        segmenter_checkpoint,
        with_new_segmenter,
        without_segmenter,
    )

    check_place(out)
    checkpoint = segmenter_checkpoint(checkpoint_of(out))
    check_unused(checkpoint, options["resume"])
    file = without_segmenter(read_model(model_path(parser)))
    Model(file)  # which refuses what is none, before minutes are spent on it
    sentences, gold = _parts(train, dev, options["skip_bad"])
    check_gold(gold)
    told = ModelFile(file.arrays, {**file.information, "segmenter_command": _told()})
    with told_how_to_go_on(checkpoint):
        _write(
            out,
            lambda progress: with_new_segmenter(
                told, sentences, gold, options["seed"], progress, checkpoint=checkpoint
            ),
        )
    checkpoint.unlink(missing_ok=True)


def _refuse(
    names: Sequence[str], beside: str, why: str = "is about the parser, which stays as it is"
) -> None:
    """Refuses options that another one decides."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in names and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            what = f"{parameter.opts[0]} {why} with {beside}."
            raise click.UsageError(what)


def _write(out: Path, learn: Callable[[Progress], ModelFile]) -> None:
    """Writes the model once its segmenter has been learnt, which is shown."""
    click.echo("learning to find words and sentences")
    with steps_bar("learning") as show:
        model = learn(show)
    write_model(out, model)
    found = "  ".join(f"{name} {model.information['scores'][name]:5.2f}" for name in MEASURES)
    click.echo(f"{_size(out)}  {found}")


def imported_training(threads: int) -> type[Run]:
    """What trains, which is imported here: torch takes seconds, and not everybody has it."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait would keep others from their work
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else sums differ from run to run
    try:
        from treewhile.incremental.training.runs import Run, use_threads
    except ModuleNotFoundError as error:
        raise InputError(f"training needs {error.name}: pip install 'treewhile[train]'") from error
    use_threads(threads)
    return Run


def _run_epochs(run: Run, resume: bool) -> None:
    if resume and (done := run.resume()):
        click.echo(f"going on after {done} epochs")
    total = run.trainer.settings.epochs
    while not run.trainer.is_done:
        task = f"epoch {run.trainer.epochs_done + 1} of {total}"
        with progress_bar(task, run.trainer.words, MofNCompleteColumn()) as advance:
            epoch = run.epoch(advance)
        click.echo(_line(epoch, total))


def _line(epoch: Epoch, total: int) -> str:
    scores = "  ".join(f"{name} {score:5.2f}" for name, score in epoch.scores.items())
    oracle = f"  {epoch.oracle_calls_a_second:,.0f} oracle calls/s" if epoch.oracle_calls_a_second else ""
    best = "  best" if epoch.is_best else ""
    return f"epoch {epoch.number:{len(str(total))}}/{total}  {scores}  {epoch.seconds:.0f} s{oracle}{best}"


def _language(source: str) -> str:
    match = re.match("[A-Za-z]+", Path(source).name)
    return match[0] if match else "not said"


def _told() -> str:
    """The command as it was called, with the names of files without their folders."""
    context, words = click.get_current_context(), ["treewhile", "train"]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        if name == "resume" or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        for one in value if isinstance(value, tuple) else [value]:
            words += [parameter.opts[0], Path(str(one)).name if name in FILES else str(one)]
    return shlex.join(words)
