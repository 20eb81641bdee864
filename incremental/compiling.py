"""Compilation of kernels in parts, so that processes can share the work through the cache.

    part           level   rests on
    products       L0
    texts          L0
    next words     L0      products
    greedy steps   L0      products
    spelling       L0      products
    both sides     L1      spelling
    whole texts    L1      texts
    trees          L1
    arcs           L1      products
    labels         L1      products
    judging        L1      both sides, arcs
    constituents   L1
    crossing trees L1                           for models that parse in MH4 trees
    search         L2      all of L0 and L1
    next steps     steps

Each part runs its kernels once, on tiny inputs. A kernel that two processes compile at the same time is
compiled twice, so a part waits for the parts that it rests on. `run_level` is the judge of the table: it does
what sessions do, and compiles nothing more once the parts of a level are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from treewhile.incremental.constraints.search.searcher import searcher_for
from treewhile.incremental.parsers.arc_decoding import decode_sentence, sentence_weights
from treewhile.incremental.parsers.greedy_steps import GreedySteps
from treewhile.incremental.parsers.mh4_arc_decoding import best_mh4_tree
from treewhile.incremental.parsers.parsing import Model, as_model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.surroundings import Around
from treewhile.incremental.parsers.tree_decoding import decode_in
from treewhile.incremental.parsers.word_gates import FROM_LEFT
from treewhile.incremental.sessions.document_edits import TextEdited
from treewhile.incremental.sessions.document_words import WordsOfText
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
from treewhile.oracles.constituents.span_trees import best_spans
from treewhile.oracles.errors import InputError
from treewhile.oracles.trees.class_names import MH4
from treewhile.oracles.trees.tree_classes import tree_classes

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


class Part(NamedTuple):
    """Kernels of a level; with the approximate number of compiled functions, and seconds for them."""

    name: str
    level: str
    rests_on: Sequence[str]
    functions: int
    seconds: float
    run: Callable[[Model], object]


def warm_up(model: Model | None = None, levels: Collection[str] = LEVELS) -> None:
    """Compile all kernels of parsing, sessions and their search, for the cache of later processes.

    It takes about 54 seconds of processor time, once: 17 for "L0", which commits words, 9 more for "L1",
    which parses, 14 for "L2", the search, and 14 for "steps", the advice on next steps. The default model is
    `en`; all models that have a segmenter and parse in the same class of trees share the same kernels.
    """
    if isinstance(levels, str) or not {*LEVELS}.issuperset(levels):
        raise InputError(f"the levels are {levels!r:.40}: give a list of some of {', '.join(LEVELS)}")
    chosen = load_model() if model is None else as_model(model)
    for level in [one for one in LEVELS if one in levels]:
        run_level(chosen, level)


def run_level(model: Model, level: str) -> None:
    """Run what sessions do at a level, and so load or compile its kernels."""
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


# --- parts --------------------------------------------------------------------------------------------------


def _run_products(model: Model) -> None:
    model.network.steps.roles(_zeros(1, model.network.causal.width))


def _run_texts(model: Model) -> None:
    if model.segmenter:
        WordsOfText(model.segmenter, "code_points").apply(TextEdited(0, 0, TEXT))


def _run_whole_texts(model: Model) -> None:
    if model.segmenter:
        model.segmenter.segment(LONG_TEXT)


def _run_next_words(model: Model) -> None:
    gates, causal = _zeros(1, model.network.words.width), model.network.causal
    states, *_ = causal.next_tagged(gates, None)
    causal.next_states(gates, states)


def _run_greedy_steps(model: Model) -> None:
    words, causal, *_ = model.network
    steps, tops = GreedySteps(model, 0), _zeros(1, causal.width)
    steps.attach(_zeros(1, words.width), causal.copied(None), tops, looks_ahead=True)
    steps.close(tops)
    steps.cut(0)


def _run_spelling(model: Model) -> None:
    model.gates(["a"], FROM_LEFT)


def _run_both_sides(model: Model) -> None:
    words, causal, surroundings, *_ = model.network
    around = surroundings.around(_zeros(1, causal.width), _zeros(1, words.width), [1], [False])
    surroundings.tags(around)


def _run_judging(model: Model) -> None:
    words, causal, *_ = model.network
    model.network.judge(_zeros(1, causal.width), _zeros(1, words.width), [1], [False])


def _run_trees(_: Model) -> None:
    decode_sentence(_zeros(2, 2))


def _run_crossing_trees(_: Model) -> None:
    weights = sentence_weights(_zeros(2, 2))
    decode_in(MH4, weights)  # the shortcut by the best of all trees
    best_mh4_tree(weights)
    tree_classes(CROSSING)  # used for joined trees, which must stay in the class


def _run_arcs(model: Model) -> None:
    model.network.arcs.scores(_nothing_around(model))


def _run_labels(model: Model) -> None:
    arcs = model.network.arcs
    parts = arcs.label_parts(_nothing_around(model))
    arcs.label_logs(parts, np.zeros(1, np.intp), np.ones(1, np.intp), arcs.barred_labels[:1])
    tree = np.zeros(1, np.int32)
    arcs.read_off(_zeros(3, 3), 1, False, tree, parts, np.empty((0, len(arcs.label_numbers)), np.float32))


def _run_constituents(_: Model) -> None:
    best_spans(_zeros(2, 2))


def _run_search(model: Model) -> None:
    run_level(model, "L2")


def _run_next_steps(model: Model) -> None:
    run_level(model, "steps")


def _nothing_around(model: Model) -> Around:
    """Return states of a root and a word, all zero."""
    nodes = _zeros(2, 2 * model.network.causal.width)
    return Around(nodes, nodes, np.array([0, 2]), np.ones(1, np.intp))


def _zeros(rows: int, columns: int) -> Any:
    return np.zeros((rows, columns), np.float32)


BEFORE_SEARCH: Final = (
    Part("products", "L0", (), 9, 1.4, _run_products),
    Part("texts", "L0", (), 8, 2.1, _run_texts),
    Part("greedy steps", "L0", ("products",), 11, 2.8, _run_greedy_steps),
    Part("next words", "L0", ("products",), 10, 2.2, _run_next_words),
    Part("spelling", "L0", ("products",), 16, 2.9, _run_spelling),
    Part("whole texts", "L1", ("texts",), 2, 0.6, _run_whole_texts),
    Part("both sides", "L1", ("spelling",), 8, 1.8, _run_both_sides),
    Part("trees", "L1", (), 6, 1.8, _run_trees),
    Part("arcs", "L1", ("products",), 3, 0.6, _run_arcs),
    Part("labels", "L1", ("products",), 6, 2.1, _run_labels),
    Part("judging", "L1", ("both sides", "arcs"), 1, 1.4, _run_judging),
    Part("constituents", "L1", (), 2, 0.5, _run_constituents),
)
SEARCH: Final = Part("search", "L2", tuple(part.name for part in BEFORE_SEARCH), 50, 13.0, _run_search)
NEXT_STEPS: Final = Part("next steps", "steps", (), 40, 9.0, _run_next_steps)

PARTS: Final = (*BEFORE_SEARCH, SEARCH, NEXT_STEPS)

# Additional parts for classes of trees beside the projective ones.
PARTS_OF_CLASSES: Final = {MH4: Part("crossing trees", "L1", (), 50, 9.0, _run_crossing_trees)}
ALL_PARTS: Final = (*PARTS, *PARTS_OF_CLASSES.values())


def parts_for(classes: Collection[str]) -> tuple[Part, ...]:
    """Return the parts for models that parse in these classes of trees."""
    more = [part for trees, part in PARTS_OF_CLASSES.items() if trees in classes]
    before = (*BEFORE_SEARCH, *more)
    return (*before, SEARCH._replace(rests_on=tuple(part.name for part in before)), NEXT_STEPS)


def share_of(levels: Container[str]) -> float:
    """Return the share of all work in the parts of these levels."""
    return sum(part.seconds for part in PARTS if part.level in levels) / sum(part.seconds for part in PARTS)
