"""Where a model and its checkpoint are written, looked at before hours are spent on them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from treewhile.oracles.errors import InputError


def checkpoint_of(out: Path) -> Path:
    """The file beside a model in which its unfinished training stands."""
    return out.with_name(f"{out.name}.checkpoint")


def unused_checkpoint(out: Path, resume: bool) -> Path:
    """Where the checkpoint of a model stands; refuses places that are used, or cannot be."""
    check_place(out)
    checkpoint = checkpoint_of(out)
    check_unused(checkpoint, resume)
    if resume and out.exists() and not checkpoint.exists():
        raise InputError(
            f"{out} is finished, and there is no checkpoint to go on from: give another --out, "
            "leave --resume out to train it anew, or train it further with --from"
        )
    return checkpoint


def check_place(out: Path) -> None:
    """Refuses places that the model cannot be written to, before hours are spent on it."""
    folder = out.absolute().parent
    if out.name in ("", "-", "..") or out.suffix == ".gz" or (out.exists() and not out.is_file()):
        raise InputError(
            f"the model cannot be written to {str(out)!r}: give the name of a file, not compressed"
        )
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InputError(f"the model cannot be written to the folder {folder}: make it, or give another one")


def check_unused(checkpoint: Path, resume: bool) -> None:
    """Refuses to begin anew over what another run has left."""
    if checkpoint.exists() and not resume:
        raise InputError(
            f"{checkpoint} is there, from a run that was stopped: go on with --resume, "
            "or delete it to begin anew"
        )


@contextmanager
def told_how_to_go_on(checkpoint: Path) -> Iterator[None]:
    """A block that says what is left of it if somebody stops it."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if checkpoint.exists():
            what = f"what is done stands in {checkpoint}: the same command with --resume goes on from there"
        else:
            what = "nothing is kept, since no epoch was done"
        click.echo(f"treewhile: stopped; {what}", err=True)
        raise
