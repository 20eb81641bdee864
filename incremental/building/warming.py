"""Kernels built at once, for programs that do not want to begin without them, and a run of each level."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from treewhile.incremental.building.builder import build, compile_all
from treewhile.incremental.building.c_compiler import has_compiler
from treewhile.incremental.constraints.search.searcher import searcher_for
from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.messages import (
    Edit,
    Finish,
    Gold,
    Level,
    Open,
    OptionChanges,
    Revoke,
    Stream,
)
from treewhile.incremental.sessions.session import Session
from treewhile.oracles.compilation import are_kernels_plain, replace_all
from treewhile.oracles.errors import InputError

LEVELS: Final = ("L0", "L1", "L2", "steps")  # in the order of need

# Levels of sessions that run when a level is warmed up.
DONE_AT: Final[dict[str, tuple[Level, ...]]] = {
    "L0": ("L0",),
    "L1": ("L0", "L1"),
    "L2": ("L0", "L1", "L2"),
}

WORDS: Final = ["The", "old", "dog", "that", "Peter", "sees", "barks", "."]
TEXT: Final = "A letter came. It"
LONG_TEXT: Final = " ".join([TEXT] * 5)  # long enough to be processed as arrays
CROSSING: Final[list[int | None]] = [3, 3, 7, 6, 6, 2, 0, 4]  # heads whose edges cross


def run_level(model: Model, level: str) -> None:
    """Run what sessions do at a level, and so load its kernels."""
    if level == "steps":
        _run_steps(Session(model))
    else:
        model.tag_by_letters(TEXT[0])  # the first letter that somebody types would wait for this
        searcher = searcher_for(model) if level == "L2" else None
        streams: list[Stream] = ["analyses", "constituents"] if model.has_constituents else ["analyses"]
        _run_documents(Session(model, searcher), OptionChanges(streams=streams, levels=[*DONE_AT[level]]))


# --- what sessions do ---------------------------------------------------------------------------------------


def _run_documents(session: Session, options: OptionChanges) -> None:
    """Process a document of words and one of text, to their ends."""
    session.receive(Open("words", 0, words=WORDS, options=options))
    _run_jobs(session)
    session.receive(Revoke("words", 1, 1))
    _run_jobs(session)
    session.receive(Finish("words", 2))
    session.receive(Open("text", 0, text="", options=options))  # refused if the model has no segmenter
    session.receive(Edit("text", 1, 0, 0, TEXT))
    _run_jobs(session)


def _run_steps(session: Session) -> None:
    """Compute next steps for all kinds of references."""
    session.receive(Open("words", 0, words=WORDS, options=OptionChanges(streams=["steps"])))
    _run_jobs(session)
    for heads in (CROSSING, None):
        session.receive(Gold("words", 0, 0, heads))
        _run_jobs(session)


def _run_jobs(session: Session) -> None:
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, job.run())
    session.messages_to_send()


def warm_up(model: Model | None = None, levels: Collection[str] = LEVELS) -> None:
    """Build all kernels of parsing, sessions and their search, unless they are there, and run some levels.

    It takes one to three minutes, once; without a C compiler, numba compiles instead. The default model is
    `en`.
    """
    if isinstance(levels, str) or not {*LEVELS}.issuperset(levels):
        raise InputError(f"the levels are {levels!r:.40}: give a list of some of {', '.join(LEVELS)}")
    chosen = load_model() if model is None else as_model(model)
    if are_kernels_plain():
        build() if has_compiler() else compile_all()
        replace_all()
    for level in [one for one in LEVELS if one in levels]:
        run_level(chosen, level)
