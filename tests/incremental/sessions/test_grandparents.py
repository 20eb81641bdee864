"""L3: a whole sentence gets a better tree by scores of grandparents, where the model has them."""

from __future__ import annotations

import numpy as np
import pytest
from cases import cases, each_seed
from every_tree import gap_degree, trees_of
from reach import Reached
from searchers import Failing, Relabelling
from shells import SENTENCE, MakeModel, Shell, heads_of, last, result_of

from treewhile.incremental.parsers.network_shapes import GRANDPARENTS
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.second_order_decoding import score_by_grandparents
from treewhile.incremental.parsers.second_order_parsing import scored_by, snapshot_of
from treewhile.incremental.search import Searcher
from treewhile.incremental.sessions.messages import Finish, Open, OptionChanges, Revoke
from treewhile.incremental.sessions.session import Session

SEEDS = cases(16)


def finished(model: Model, searcher: Searcher | None = None, **options: object) -> Shell:
    """A document of one sentence that has ended, with nothing done yet."""
    shell = Shell(Session(model, searcher))
    shell.send(Open("d", 1, words=SENTENCE, options=OptionChanges(**options)))  # type: ignore[arg-type]
    shell.send(Finish("d", 2))
    return shell


def settled(model: Model, searcher: Searcher | None = None, **options: object) -> Shell:
    shell = finished(model, searcher, **options)
    shell.settle()
    return shell


def weighing(make_model: MakeModel, seed: int = 1) -> Model:
    return make_model(seed=seed, kinds=[GRANDPARENTS]).with_trees("mh4")


@each_seed(SEEDS)
def test_the_last_tree_of_a_whole_sentence_is_the_best_gap_minding_one(
    make_model: MakeModel, seed: int
) -> None:
    model = weighing(make_model, seed)
    shell = settled(model, Relabelling())
    assert last(shell).levels == ["L0", "L1", "L2", "L3"]
    scored = scored_by(model, GRANDPARENTS, snapshot_of(model, SENTENCE))
    every = [tree for tree in trees_of("gap-minding", len(SENTENCE)) if tree.count(0) == 1]
    best = max(score_by_grandparents(scored, np.array(tree, np.int32)) for tree in every)
    found = score_by_grandparents(scored, np.array(heads_of(last(shell)), np.int32))
    assert found == last(shell).score == pytest.approx(best)


@each_seed(SEEDS)
def test_a_model_of_projective_trees_goes_without_it(make_model: MakeModel, seed: int) -> None:
    shell = settled(weighing(make_model, seed).with_trees("projective"), Relabelling())
    assert last(shell).levels == ["L0", "L1", "L2"]
    assert gap_degree(tuple(heads_of(last(shell)))) == 0


def test_it_follows_the_search_and_is_told_as_one_more_stage(make_model: MakeModel) -> None:
    searcher = Relabelling()
    shell = settled(weighing(make_model), searcher)
    told = [(one.stage, one.levels[-1]) for one in shell.client.analyses]
    assert told[0] == ("initial", "L0")
    assert told[1] == ("improved", "L1")
    assert {*told[2:-1]} == {("improved", "L2")}
    assert told[-1] == ("final", "L3")


def test_it_follows_the_best_parse_where_there_is_no_search(make_model: MakeModel) -> None:
    assert last(settled(weighing(make_model))).levels == ["L0", "L1", "L3"]


def test_it_follows_nothing_where_a_search_has_failed(make_model: MakeModel) -> None:
    shell = settled(weighing(make_model), Failing())
    assert last(shell).levels == ["L0", "L1"]


@pytest.mark.parametrize(
    ("options", "levels"),
    [
        ({"levels": ["L0", "L1", "L2"]}, ["L0", "L1", "L2"]),
        ({"levels": ["L0", "L1", "L3"]}, ["L0", "L1", "L3"]),
        ({"levels": ["L0", "L3"]}, ["L0"]),
        ({"time_limit": 0.0}, ["L0"]),
    ],
)
def test_options_leave_it_out_or_the_search(
    make_model: MakeModel, options: dict[str, object], levels: list[str]
) -> None:
    assert last(settled(weighing(make_model), Relabelling(), **options)).levels == levels


def test_an_open_sentence_is_settled_without_it(make_model: MakeModel) -> None:
    shell = Shell(Session(weighing(make_model)))
    shell.send(Open("d", 1, words=SENTENCE[:-1]))
    shell.settle()
    assert (last(shell).stage, last(shell).levels) == ("settled", ["L0", "L1"])


def test_a_model_without_grandparents_is_settled_without_it(model: Model) -> None:
    assert last(settled(model)).levels == ["L0", "L1"]


def test_a_word_that_goes_stops_it_and_what_it_gives_is_dropped(make_model: MakeModel) -> None:
    shell = finished(weighing(make_model))
    while shell.jobs[0].level != "L3":
        shell.run_one()
    (job,) = shell.jobs
    shell.send(Revoke("d", 3, 1))
    assert job.interrupt.is_set
    assert result_of(job) is None
    shell.settle()
    assert len(last(shell).words) == len(SENTENCE) - 1


@pytest.mark.reaches(0.3)
@each_seed(SEEDS)
def test_conflicts_stand_where_their_words_keep_their_arcs(
    make_model: MakeModel, seed: int, reached: Reached
) -> None:
    shell = settled(weighing(make_model, seed), Relabelling())
    before, after = shell.client.analyses[-2:]
    changed = {
        number
        for number, pair in enumerate(zip(heads_of(before), heads_of(after), strict=True), 1)
        if pair[0] != pair[1]
    }
    kept = [one for one in before.conflicts if not changed & {*one.words}]
    assert [*after.conflicts] == kept
    reached(bool(changed))


@each_seed(SEEDS)
def test_labels_of_words_that_keep_their_heads_stay(make_model: MakeModel, seed: int) -> None:
    shell = settled(weighing(make_model, seed), Relabelling())
    before, after = shell.client.analyses[-2:]
    for old, new in zip(before.words, after.words, strict=True):
        assert new.label == old.label or new.head != old.head
        assert (new.label == "root") == (new.head == 0)
