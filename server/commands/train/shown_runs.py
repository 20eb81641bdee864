"""Runs with their display: a progress bar and a line for each epoch, and the size of the written model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental.parsers.model_files import ModelFile, write_model
from treewhile.incremental.scores.evaluation import MEASURES
from treewhile.oracles import InputError
from treewhile.server.terminal.progress_bars import progress_bar, steps_bar

if TYPE_CHECKING:
    from treewhile.incremental.training.class_choice import Choice
    from treewhile.incremental.training.runs import Run
    from treewhile.incremental.training.segmentation import Progress
    from treewhile.incremental.training.trainer import Epoch


def imported_training(threads: int) -> type[Run]:
    """Import the class Run and return it; the import takes seconds, and torch may not be installed."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait would keep others from their work
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else sums differ from run to run
    try:
        from treewhile.incremental.training.runs import Run, use_threads
    except ModuleNotFoundError as error:
        raise InputError(f"training needs {error.name}: pip install 'treewhile[train]'") from error
    use_threads(threads)
    return Run


def run_epochs(run: Run, resumes: bool) -> None:
    """Run the epochs that are left, from the checkpoint if the run resumes."""
    if resumes and (done := run.resume()):
        click.echo(f"going on after {done} epochs")
    total = run.trainer.settings.epochs
    while not run.trainer.is_done:
        task = f"epoch {run.trainer.epochs_done + 1} of {total}"
        with progress_bar(task, run.trainer.words, MofNCompleteColumn()) as advance:
            epoch = run.epoch(advance)
        click.echo(_line(epoch, total) + _to_come(epoch, total))


def _line(epoch: Epoch, total: int) -> str:
    scores = "  ".join(f"{name} {score:5.2f}" for name, score in epoch.scores.items())
    oracle = f"  {epoch.oracle_calls_a_second:,.0f} oracle calls/s" if epoch.oracle_calls_a_second else ""
    best = "  best" if epoch.is_best else ""
    return f"epoch {epoch.number:{len(str(total))}}/{total}  {scores}  {epoch.seconds:.0f} s{oracle}{best}"


def _to_come(epoch: Epoch, total: int) -> str:
    """Return how long the epochs that are left take, if each takes as long as this one."""
    minutes = round((total - epoch.number) * epoch.seconds / 60)
    return f"  {minutes // 60} h {minutes % 60:02} min to go" if minutes else ""


def show_choice(choice: Choice | None) -> None:
    """Print the score and the time of each class of trees, if more than one was tried."""
    if choice is None or not choice.tried:
        return
    each = (
        f"{name} LAS {tried.scores['LAS']:.2f}, {tried.milliseconds:.1f} ms a sentence"
        for name, tried in choice.tried.items()
    )
    click.echo(f"trees: {'; '.join(each)}: {choice.trees}")


def write_with_segmenter(out: Path, learn: Callable[[Progress], ModelFile]) -> None:
    """Learn the segmenter, showing the progress, and write the model."""
    click.echo("learning to find words and sentences")
    with steps_bar("learning") as show:
        model = learn(show)
    write_model(out, model)
    found = "  ".join(f"{name} {model.information['scores'][name]:5.2f}" for name in MEASURES)
    click.echo(f"{size_of(out)}  {found}")


def size_of(out: Path) -> str:
    """Return the name and the size of a model's file as text."""
    return f"{out}: {out.stat().st_size / 1e6:.1f} MB"
