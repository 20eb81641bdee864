from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training.beliefs import Belief, Teachers, kept_beliefs
from treewhile.incremental.training.examples import Example, Examples, Lesson
from treewhile.incremental.training.sequences import Sequences, sequence_tensors
from treewhile.incremental.training.settings import Settings
from treewhile.oracles import InputError

SENTENCES = [["ta", "lom", "dovet", "."], ["dovet"], ["fusi", "lom", "sunet", "ta", "virnit", "uf", "."]]


@pytest.fixture
def teachers(make_model: Callable[..., Model]) -> list[Model]:
    return [make_model(seed=1), make_model(seed=2)]


def asked(models: list[Model]) -> list[Belief]:
    return [*Teachers(models, models[0].inventory).beliefs(SENTENCES)]


def test_one_teacher_is_believed(teachers: list[Model]) -> None:
    model = teachers[0]
    for belief, judged in zip(asked(teachers[:1]), model.judge_all(SENTENCES), strict=True):
        n = len(belief.tree)
        assert belief.heads.shape == (n, n + 1)
        assert np.allclose(belief.heads, np.exp(judged.arc_logs[: n + 1, 1 : n + 1].T), atol=1e-3)
        assert belief.tree.tolist() == list(judged.analysis.heads)
        logs = judged.label_logs(belief.tree.astype(np.intp), np.arange(1, n + 1))
        assert np.allclose(belief.labels, np.exp(logs), atol=1e-3)
        assert [model.inventory.tags[one] for one in belief.tags] == [*judged.analysis.tags]
        assert [model.inventory.features[one] for one in belief.features] == [*judged.analysis.features]


def test_several_teachers_are_believed_on_the_mean(teachers: list[Model]) -> None:
    one, other = (asked([teacher]) for teacher in teachers)
    for both, first, second in zip(asked(teachers), one, other, strict=True):
        assert np.allclose(both.heads, (first.heads + second.heads) / 2, atol=2e-3)
        assert np.allclose(both.labels.sum(1), 1, atol=1e-2)


def test_the_belief_about_some_words_knows_no_others(teachers: list[Model]) -> None:
    whole = asked(teachers)[2]._replace(tree=np.array([2, 3, 0, 5, 7, 3, 3], np.int32))
    part = whole.of_words([0, 1, 2, 4])
    assert part.heads.shape == (4, 5)
    assert np.allclose(part.heads.sum(1), 1, atol=1e-2)
    expected = whole.heads[4][[0, 1, 2, 3, 5]].astype(np.float32)
    assert np.allclose(part.heads[3], expected / expected.sum(), atol=1e-2)
    assert part.tree.tolist() == [2, 3, 0, -1]
    assert part.tags.tolist() == whole.tags[[0, 1, 2, 4]].tolist()


def test_what_teachers_believe_is_asked_once_a_run(teachers: list[Model], tmp_path: Path) -> None:
    path, beliefs = tmp_path / "beliefs", asked(teachers)
    assert kept_beliefs(path, "run", lambda: beliefs) is beliefs
    kept = kept_beliefs(path, "run", lambda: pytest.fail("asked again"))
    for one, again in zip(beliefs, kept, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(one, again, strict=True))
    assert kept_beliefs(path, "another run", lambda: beliefs[:1]) == beliefs[:1]
    path.write_bytes(b"no such file")
    with pytest.raises(InputError, match="no whole file of beliefs"):
        kept_beliefs(path, "run", lambda: beliefs)


def examples_of(teachers: list[Model]) -> list[Example]:
    inventory = teachers[0].inventory
    lessons = [
        Lesson(belief.words(words, inventory), belief=belief)
        for words, belief in zip(SENTENCES, asked(teachers), strict=True)
    ]
    return Examples(inventory, lessons, Settings(explore="none")).examples


def test_chances_of_heads_to_come_go_to_the_node_that_stands_for_the_head(teachers: list[Model]) -> None:
    examples = examples_of(teachers)
    inventory = teachers[0].inventory
    builder = Sequences(inventory, len(examples))
    for b, example in enumerate(examples):
        whole = builder.whole(example, b)
        assert whole.taught
        assert np.allclose(whole.taught.heads[:, : example.n + 1], example.belief.heads)  # type: ignore[union-attr]
        for t in range(1, example.n):
            prefix = builder.prefix(example, b, t)
            assert prefix.taught
            assert np.allclose(prefix.taught.heads.sum(1), 1, atol=1e-2)
            later = t + len(inventory.stock) + 1
            for word, head in enumerate(prefix.heads[:t]):
                to_come = prefix.taught.heads[word, t + 1 :]
                assert to_come.argmax() + t + 1 == (head if head > t else later)
                assert np.count_nonzero(to_come) <= 1


def test_rows_of_beliefs_are_those_of_the_targets(teachers: list[Model]) -> None:
    examples = examples_of(teachers)
    builder = Sequences(teachers[0].inventory, len(examples))
    sequences = [builder.whole(one, b) for b, one in enumerate(examples)]
    tensors = sequence_tensors([*sequences, *(builder.prefix(one, b, 1) for b, one in enumerate(examples))])
    taught, targets = tensors["taught"], tensors["targets"]
    assert taught["arcs"].shape == (6, *[targets["arcs"].shape[1]] * 2)
    assert len(taught["labels"]) == len(targets["labels"])
    agreed = taught["labels"].sum(1) > 0
    assert agreed[: sum(map(len, SENTENCES))].all()  # these trees are those of the teachers
    assert (taught["labels"].argmax(1) == targets["labels"])[agreed].all()
