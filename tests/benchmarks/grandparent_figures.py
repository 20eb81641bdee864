"""The section of the benchmark of trees about L3: the whole job of sessions, and how soon it stops."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gap_minding_figures import seconds_to_stop
from measuring import Section, Spread, calls
from tree_problems import Bench

from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.network_shapes import GRANDPARENTS
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_parsing import snapshot_of
from treewhile.incremental.parsers.shipped_models import model_path
from treewhile.incremental.parsers.triple_layers import triple_shapes
from treewhile.incremental.search import SearchRequest
from treewhile.incremental.sessions.jobs import Reattach

MODEL: Final = "nl"
UNITS: Final = 48  # as `treewhile train --triples` has them


def whole_jobs(bench: Bench) -> Section:
    """What L3 takes all in all: states of both sides, scores, pruning, the best tree, labels."""
    section = Section(
        f"L3, the whole job that a session hands out; the model {MODEL} with {UNITS} units of grandparents",
        "Words are drawn from those that the model knows, so it is less sure of their heads than of a "
        "sentence's, and more of them are left to choose from. Scores of grandparents are random. Stopping "
        "takes from the interruption, at a random moment, until the job in another thread has ended.",
    )
    model = _weighing(bench)
    for n in (5, 8) if bench.is_quick else (10, 20, 30, 60):
        jobs = [_job(model, _words(model, bench, n)) for _ in range(min(3, bench.sentences))]
        [whole] = bench.measure(calls(Reattach.run, [(job,) for job in jobs]))
        section.add(f"n = {n}", whole)
        moments = bench.generator.uniform(0, 0.8 * whole.median, 5 * bench.repeats)
        section.add(f"n = {n}, until it stops", _stops(jobs, moments.tolist()))
    return section


def _weighing(bench: Bench) -> Model:
    """The model with scores of grandparents that it has not learnt."""
    file = read_model(model_path(MODEL))
    width = 2 * file.information["shape"]["state"]
    drawn: dict[str, Any] = {
        name: 0.1 * bench.generator.standard_normal(shape).astype(np.float32)
        for name, shape in triple_shapes(GRANDPARENTS, width, UNITS).items()
    }
    return Model(ModelFile({**file.arrays, **drawn}, {**file.information, GRANDPARENTS: {"units": UNITS}}))


def _words(model: Model, bench: Bench, n: int) -> list[str]:
    forms = model.inventory.forms
    return [forms[place] for place in bench.generator.integers(0, len(forms), n)]


def _job(model: Model, words: list[str]) -> Reattach:
    snapshot = snapshot_of(model, words)
    rescored = model.rescore(snapshot)
    request = SearchRequest(rescored, rescored.analysis, False, rescored.analysis)
    return Reattach("bench", 0, 0, None, model, snapshot, request)


def _stops(jobs: list[Reattach], moments: list[float]) -> Spread:
    seconds_to_stop(jobs[0].run, 0.0)  # which compiles what only an interruption takes
    return Spread(tuple(seconds_to_stop(job.run, moment) for job in jobs for moment in moments))
