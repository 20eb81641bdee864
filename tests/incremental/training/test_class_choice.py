from __future__ import annotations

import io
import random
from collections.abc import Sequence
from math import sqrt
from statistics import variance

import pytest
from cases import cases, each_seed
from reach import Reached

from treewhile.incremental import Analysis, Sentence, read_sentences
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training import class_choice
from treewhile.incremental.training.class_choice import chosen_class, pays

PROJECTIVE = [2, 0, 2, 2]
CROSSING = [2, 0, 1, 2]


def bank(*trees: Sequence[int]) -> list[Sentence]:
    return [*read_sentences(io.BytesIO("".join(map(sentence, trees)).encode()))]


def sentence(heads: Sequence[int]) -> str:
    rows = (
        f"{n}\tw\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n" for n, head in enumerate(heads, 1)
    )
    return "".join(rows) + "\n"


def analysis(heads: Sequence[int]) -> Analysis:
    labels = tuple("dep" if head else "root" for head in heads)
    return Analysis(("w",) * 4, ("X",) * 4, ("_",) * 4, tuple(heads), labels)


@pytest.mark.reaches(0.3)
@each_seed(cases(200))
def test_a_gain_pays_if_it_is_greater_than_its_standard_error(seed: int, reached: Reached) -> None:
    rng = random.Random(seed)
    gains = [rng.choice([-2, -1, 0, 0, 0, 0, 1, 1, 2, 3]) for _ in range(rng.randint(2, 40))]
    error = sqrt(len(gains) * variance(gains))
    if sum(gains) != pytest.approx(error):
        assert pays(gains) == (sum(gains) > error)
        reached(sum(gains) > 0)


def test_what_gains_nothing_does_not_pay() -> None:
    assert not pays([])
    assert not pays([0, 0])
    assert not pays([3, -3])
    assert not pays([5]), "one sentence may be chance"
    assert pays([1, 1])
    assert not pays([-1, -1, -1])


@pytest.mark.parametrize(("crossing", "trees"), [(1, "projective"), (2, "mh4")])
def test_the_class_that_pays_is_chosen(
    model: Model, monkeypatch: pytest.MonkeyPatch, crossing: int, trees: str
) -> None:
    dev = bank(*[PROJECTIVE] * (4 - crossing), *[CROSSING] * crossing)

    def best_parses(model: Model, sentences: Sequence[Sentence]) -> list[Analysis]:
        in_class = {"projective": lambda heads: analysis(PROJECTIVE), "mh4": analysis}[model.trees]
        return [in_class([int(word.head) for word in sentence.words]) for sentence in sentences]

    monkeypatch.setattr(class_choice, "best_parses", best_parses)
    choice = chosen_class(model, dev)
    scores = {"projective": 100 * (16 - crossing) / 16, "mh4": 100.0}
    assert choice.trees == trees
    assert choice.tried["projective"].right == [4] * (4 - crossing) + [3] * crossing
    of_each = {name: {"UAS": round(score, 2), "LAS": round(score, 2)} for name, score in scores.items()}
    assert choice.information == {"trees": trees, "trees_tried": of_each}
    assert choice.scores == of_each[trees]


def test_a_dev_part_without_edges_that_cross_is_not_parsed_at_all(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_choice, "best_parses", None)
    choice = chosen_class(model.with_trees("mh4"), bank(PROJECTIVE))
    assert choice == ("projective", {})
    assert (choice.information, choice.scores) == ({"trees": "projective"}, {})


def test_the_same_model_gets_the_same_class_each_time(model: Model) -> None:
    dev = bank(PROJECTIVE, CROSSING)
    one, other = chosen_class(model, dev), chosen_class(model, dev)
    assert one.information == other.information
