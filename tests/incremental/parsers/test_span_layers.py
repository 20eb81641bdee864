from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from cases import cases, each_seed
from growing_parses import grown
from reach import Reached

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Snapshot
from treewhile.incremental.parsers.span_layers import SpanLayers, fences_of
from treewhile.incremental.parsers.surroundings import Around
from treewhile.oracles import InputError
from treewhile.oracles.constituents.openings import Openings
from treewhile.oracles.constituents.phrase_trees import Constituent

Draw = Callable[[random.Random, int], Sequence[str]]
Make = Callable[..., Model]


def asked(parse: GrowingParse) -> Snapshot:
    return parse.snapshot()._replace(with_constituents=True)


def nodes_around(rng: np.random.Generator, sizes: Sequence[tuple[int, int]]) -> Around:
    """States of nodes of sequences, given how many nodes and how many words they have."""
    nodes, words = zip(*sizes, strict=True)
    late = rng.standard_normal((sum(nodes), 16)).astype(np.float32)
    return Around(late, late, np.cumsum([0, *nodes]), np.array(words, np.intp))


@pytest.fixture(scope="session")
def spans(make_model: Make) -> SpanLayers:
    found = make_model(with_spans=True).spans
    assert found is not None
    return found


def ends_of(one: Constituent, words: int) -> tuple[int, int]:
    return one.first, words + 1 if one.last is None else one.last


@pytest.mark.reaches(0.5)
@each_seed(cases(10))
@pytest.mark.parametrize("is_closed", [False, True])
def test_constituents_are_a_tree_whose_open_ones_go_on(
    seed: int, is_closed: bool, make_model: Make, random_words: Draw, reached: Reached
) -> None:
    model, words = make_model(seed=seed, with_spans=True), random_words(random.Random(seed), 9)
    found = grown(model, words, is_closed).best().constituents
    assert all(1 <= one.first <= (one.last or 9) <= 9 for one in found)
    assert not (is_closed and any(one.is_open for one in found))
    places = [ends_of(one, 9) for one in found]
    assert places == sorted(places, key=lambda place: (place[0], -place[1]))
    for (_, last), (other_first, other_last) in combinations(places, 2):
        assert other_first > last or other_last <= last
    reached(len(found) > 3)


@each_seed(cases(5))
def test_scores_rest_on_the_fences_of_a_span_alone(seed: int, spans: SpanLayers) -> None:
    around = nodes_around(np.random.default_rng(seed), [(7, 5), (10, 4)])
    whole, prefix = spans.scores(fences_of(around, [0, 1]))
    assert (whole.shape, prefix.shape) == ((5, 5), (5, 5))
    other = around._replace(late=around.late.copy())
    other.late[3] += 1  # the third word of the first sequence: fences 2 and 3
    changed, same = spans.scores(fences_of(other, [0, 1]))
    assert np.array_equal(prefix, same)
    rows, columns = np.nonzero(np.triu(whole != changed))
    assert {*rows[(columns != 1) & (columns != 2)].tolist()} == {2, 3}
    assert {*columns[(rows != 2) & (rows != 3)].tolist()} == {1, 2}


def test_each_sequence_has_the_scores_that_it_has_alone(spans: SpanLayers) -> None:
    around = nodes_around(np.random.default_rng(1), [(7, 5), (10, 4), (3, 1)])
    together = spans.scores(fences_of(around, [0, 1, 2]))
    for number, scores in enumerate(together):
        assert np.array_equal(scores, spans.scores(fences_of(around, [number]))[0])
    assert spans.constituents(around, [2, 0]) == [
        *spans.constituents(around, [2]),
        *spans.constituents(around, [0]),
    ]


def test_what_is_to_come_is_no_constituent_by_itself(spans: SpanLayers) -> None:
    for seed in range(20):
        around = nodes_around(np.random.default_rng(seed), [(9, 4)])
        assert all(one.first <= 4 for one in spans.constituents(around, [0])[0])


def test_labels_have_scores_and_words_have_odds_of_openings(spans: SpanLayers) -> None:
    fences = fences_of(nodes_around(np.random.default_rng(3), [(7, 5), (10, 4)]), [0, 1])
    assert spans.label_scores(fences, np.array([0, 2]), np.array([3, 3])).shape == (2, len(spans.labels))
    odds = spans.openings_logs(fences)
    assert [one.shape for one in odds] == [(5, 3), (4, 3)]


def test_closed_cells_have_no_constituents(spans: SpanLayers) -> None:
    fences = fences_of(nodes_around(np.random.default_rng(5), [(8, 6), (7, 5)]), [0, 1])
    none = Openings(*(np.zeros(6, np.bool_) for _ in range(3)))
    first, second = spans.constituents_between(fences, [none, None])
    assert {(one.first, one.last) for one in first} <= {(1, 6)}
    assert second == spans.constituents_between(fences, [None, None])[1] != ()


def test_nothing_is_computed_that_nobody_asks_for(make_model: Make) -> None:
    model = make_model(with_spans=True)
    parse = grown(model, ["the", "dog"])
    assert model.has_constituents
    assert model.rescore(parse.snapshot()).constituents is None
    assert model.rescore(asked(parse)).constituents is not None
    assert model.parse_all([["the", "dog"]], with_constituents=False)[0].constituents == ()


def test_those_who_ask_and_those_who_do_not_are_parsed_together(make_model: Make) -> None:
    model = make_model(with_spans=True)
    one, other = asked(grown(model, ["the", "old", "dog"])), grown(model, ["cat"]).snapshot()
    found = model.rescore_all([(other, NO_PREFERENCE), (one, NO_PREFERENCE)])
    assert found[0].constituents is None
    assert found[1].constituents == model.rescore(one).constituents


def test_a_model_without_spans_says_nothing_of_constituents(model: Model) -> None:
    parse = grown(model, ["the", "dog"])
    assert not model.has_constituents
    assert model.rescore(asked(parse)).constituents is None
    assert parse.best().constituents == model.parse(["the", "dog"]).constituents == ()


def test_whole_sentences_have_the_constituents_of_a_parse_that_has_grown(make_model: Make) -> None:
    model, words = make_model(with_spans=True, seed=4), ["the", "old", "dog", "barks", "."]
    assert grown(model, words, is_closed=True).best() == model.parse(words)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"labels": []}, "lists of texts"),
        ({"labels": [["NP"], "S"]}, "lists of texts"),
        ({"units": 0}, "0 units"),
        ({"label_units": 7}, "label_begin"),
    ],
)
def test_spans_that_do_not_fit_are_refused(
    changes: dict[str, object], what: str, model_file: Callable[..., object]
) -> None:
    file = read_model(str(model_file(with_spans=True)))
    information = {**file.information, "spans": {**file.information["spans"], **changes}}
    with pytest.raises(InputError, match=what):
        Model(ModelFile(file.arrays, information))


def test_an_array_too_few_is_refused(model_file: Callable[..., object]) -> None:
    file = read_model(str(model_file(with_spans=True)))
    arrays = {name: array for name, array in file.arrays.items() if name != "spans.pair"}
    with pytest.raises(InputError, match=r"spans\.pair is missing"):
        Model(replace(file, arrays=arrays))
