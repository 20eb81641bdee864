from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import cases, each_seed
from every_tree import CLASSES, all_trees
from growing_parses import grown
from judges import has_cycle
from reach import Reached
from small_networks import in_eighth_bits

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.arc_layers import LabelParts
from treewhile.incremental.parsers.layers import Array
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.network_shapes import SLOPE
from treewhile.incremental.parsers.nodes import LATER, Head, Virtual
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference, Snapshot
from treewhile.incremental.parsers.tree_decoding import LONGEST
from treewhile.oracles import InputError

Draw = Callable[[random.Random, int], Sequence[str]]


def snapshot(model: Model, words: Sequence[str], is_closed: bool = False) -> Snapshot:
    return grown(model, words, is_closed).snapshot()


@each_seed(cases(5))
@pytest.mark.parametrize("is_closed", [False, True])
def test_heads_and_labels_have_probabilities_that_add_up(
    seed: int, is_closed: bool, make_model: Callable[..., Model], random_words: Draw
) -> None:
    words = random_words(random.Random(seed), 7)
    rescored = make_model(seed=seed).rescore(snapshot(make_model(seed=seed), words, is_closed))
    assert np.exp(rescored.arc_logs[:, 1:]).sum(0) == pytest.approx(1, abs=1e-5)
    heads, children = np.array([0, 1, 2]), np.array([1, 2, 3])
    assert np.exp(rescored.label_logs(heads, children)).sum(1) == pytest.approx(1, abs=1e-5)
    if is_closed:
        assert rescored.score == pytest.approx(np.log(rescored.confidences).sum(), abs=1e-3)


@each_seed(cases(10))
@pytest.mark.parametrize("is_closed", [False, True])
def test_confidences_of_any_tree_are_those_of_its_arcs_and_labels_to_the_last_bit(
    seed: int, is_closed: bool, make_model: Callable[..., Model], random_words: Draw
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    words = random_words(source, 8)
    rescored = model.rescore(snapshot(model, words, is_closed))
    own = rescored.analysis
    later = () if is_closed else (LATER,)
    heads = tuple(source.choice([own.heads[child - 1], 0, 1 + child % 8, *later]) for child in range(1, 9))
    labels = tuple(source.choice([own.labels[place], *model.inventory.labels]) for place in range(8))
    rows = np.array([_row(head, rescored.arc_logs) for head in heads])
    chosen, children = [model.inventory.label_numbers[label] for label in labels], np.arange(1, 9)
    logs = rescored.arc_logs[rows, children] + rescored.label_logs(rows, children)[children - 1, chosen]
    others = replace(own, heads=heads, labels=labels)
    assert rescored.confidences_of(others) == tuple(np.exp(logs).tolist())


def _row(head: Head, arc_logs: Array) -> int:
    if isinstance(head, Virtual):
        return 8 + head.number
    return head if isinstance(head, int) else len(arc_logs) - 2


def test_a_snapshot_stays_as_it_was(model: Model) -> None:
    parse = grown(model, ["the", "old", "dog"])
    taken = parse.snapshot()
    before = model.rescore(taken)
    parse.cut(1)
    parse.append("cat")
    after = model.rescore(taken)
    assert (after.analysis, after.score) == (before.analysis, before.score)


@each_seed(cases(10))
def test_snapshots_are_rescored_together_as_alone_to_the_last_bit(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    asked = []
    for _ in range(source.randint(1, 9)):
        words = random_words(source, source.randint(1, 9))
        wanted = {1: Decision(len(words), "punct")} if len(words) > 1 else {}
        preference = Preference(wanted=wanted, bonus=source.choice([0, 2]), words_before=1)
        asked.append((snapshot(model, words, source.random() < 0.3), preference))
    for one, together in zip(asked, model.rescore_all(asked), strict=True):
        alone = model.rescore(*one)
        assert (together.analysis, together.confidences) == (alone.analysis, alone.confidences)
        assert together.score == alone.score
        assert np.array_equal(together.arc_logs, alone.arc_logs)
        heads, children = np.array([0]), np.array([len(one[0].words)])
        found, expected = (of.label_logs(heads, children) for of in (together, alone))
        assert np.array_equal(found, expected)


@each_seed(cases(10))
def test_fixed_words_keep_heads_and_labels(
    seed: int, make_model: Callable[..., Model], random_words: Draw
) -> None:
    source, model = random.Random(seed), make_model(seed=seed)
    words = random_words(source, 8)
    fixed = {1: Decision(2, "det"), 2: Decision(0, "root"), 3: Decision(2, "obj")}
    for is_closed in (False, True):
        analysis = model.rescore(snapshot(model, words, is_closed), Preference(fixed=fixed)).analysis
        assert analysis.decisions[:3] == [*fixed.values()]
        assert analysis.heads.count(0) == 1


@pytest.mark.reaches(0.3)
@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("trees", ["projective", "mh4"])
def test_first_words_keep_arcs_that_no_tree_of_the_class_has(
    trees: str, is_closed: bool, make_model: Callable[..., Model], random_words: Draw, reached: Reached
) -> None:
    model = make_model().with_trees(trees)
    source = random.Random(1)
    for _ in range(20):
        words = random_words(source, 9)
        heads = source.choice([tree for tree in all_trees(6) if tree.count(0) == 1])
        fixed = {word: Decision(head, "obj" if head else "root") for word, head in enumerate(heads, 1)}
        found = model.rescore(snapshot(model, words, is_closed), Preference(fixed=fixed))
        assert found.analysis.decisions[:6] == [*fixed.values()]
        assert found.analysis.heads.count(0) == 1
        assert is_connected(found.analysis.heads)
        assert found.confidences == found.confidences_of(found.analysis)
        reached(not CLASSES[trees](heads))


def is_connected(heads: Sequence[Head]) -> bool:
    """Whether each word leads up to the root or to what is to come."""
    return not has_cycle([head if isinstance(head, int) else 0 for head in heads])


def test_first_words_keep_arcs_that_cross_in_a_sentence_too_long_for_the_class(
    make_model: Callable[..., Model], random_words: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model().with_trees("mh4")
    taken = snapshot(model, random_words(random.Random(1), 9))
    fixed = {word: Decision(head, "obj" if head else "root") for word, head in enumerate([3, 4, 4, 0], 1)}
    monkeypatch.setitem(LONGEST, "mh4", 8)
    assert model.rescore(taken, Preference(fixed=fixed)).analysis.decisions[:4] == [*fixed.values()]


def test_fixed_words_that_do_not_hang_on_each_other_need_a_tree_of_the_class(model: Model) -> None:
    taken = snapshot(model, ["the", "old", "dog", "barks"], is_closed=True)
    fixed = {1: Decision(3, "det"), 2: Decision(4, "obj")}
    with pytest.raises(InputError, match="every tree has an arc with the score -inf"):
        model.rescore(taken, Preference(fixed=fixed))
    crossing = model.with_trees("mh4").rescore(taken, Preference(fixed=fixed)).analysis
    assert crossing.decisions[:2] == [*fixed.values()]


def test_a_bonus_keeps_what_is_wanted_where_a_tree_allows_it(model: Model) -> None:
    words = ["the", "old", "dog", "barks"]
    wanted = {1: Decision(4, "punct"), 4: Decision(0, "root")}
    kept = model.rescore(snapshot(model, words), Preference(wanted=wanted, bonus=1e4, words_before=4))
    assert (kept.analysis.decisions[0], kept.analysis.decisions[3]) == (wanted[1], wanted[4])
    plain = model.rescore(snapshot(model, words))
    assert model.rescore(snapshot(model, words), Preference(wanted=wanted)).analysis == plain.analysis


def test_a_head_to_come_is_kept_by_any_that_comes(model: Model) -> None:
    wanted = {1: Decision(Virtual(1, "NOUN"), "det")}
    words = ["the", "old", "dog"]
    kept = model.rescore(snapshot(model, words), Preference(wanted=wanted, bonus=1e4, words_before=2))
    head, label = kept.analysis.decisions[0]
    assert label == "det"
    assert not isinstance(head, int) or head == 3


@pytest.mark.parametrize("temperature", [0.05, 1, 3, 20])
@each_seed(cases(5))
def test_chances_are_those_of_arcs_and_of_what_comes_next(
    temperature: float, seed: int, model_file: Callable[..., Path], random_words: Draw
) -> None:
    arrays, information = vars(read_model(model_file(seed=seed))).values()
    model = Model(ModelFile(arrays, {**information, "temperature": temperature}))
    for t in (1, 2, 7):
        rescored = model.rescore(snapshot(model, random_words(random.Random(seed), t)))
        chances = rescored.chances()
        assert chances.shape == (t + 2, t + 2)
        assert (chances[:, 0] == 0).all()
        assert (chances.diagonal() == 0).all()
        assert chances[:, 1 : t + 1].sum(0) == pytest.approx(1)
        by_definition = softmax(rescored.arc_logs[:, 1 : t + 1].astype(float) / temperature)
        assert chances[: t + 1, 1 : t + 1] == pytest.approx(by_definition[: t + 1])
        awaiting = softmax(np.append(awaiting_by_definition(arrays, rescored.label_parts, t), 0))
        assert chances[: t + 1, t + 1] == pytest.approx(awaiting[:-1], rel=1e-2, abs=1e-3)


def test_nothing_is_to_come_once_the_sentence_has_ended(model: Model) -> None:
    with pytest.raises(InputError, match=r"^the sentence has ended, so nothing is to come: ask of an open"):
        model.rescore(snapshot(model, ["dog", "barks"], is_closed=True)).chances()


def softmax(scores: Any) -> Any:
    chances = np.exp(scores - scores.max(0))
    return chances / chances.sum(0)


def awaiting_by_definition(arrays: Mapping[str, Any], parts: LabelParts, t: int) -> Any:
    """In double precision, with inputs in eight bits as the network has them."""

    def linear(name: str, inputs: Any) -> Any:
        return in_eighth_bits(inputs).astype(float) @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]

    units = linear("awaiting_node", parts.as_head[: t + 1]) + linear("awaiting_last", parts.as_child[t])
    return linear("awaiting", np.maximum(units, units * SLOPE))[:, 0]
