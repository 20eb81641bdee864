from __future__ import annotations

from treewhile.incremental.training.settings import Settings, usual_epochs


def test_small_treebanks_take_more_epochs_for_as_many_steps() -> None:
    assert usual_epochs(200_000) == usual_epochs(20_000) == 30
    assert usual_epochs(1_000) == 144
    assert [usual_epochs(words) for words in (1, 80)] == [300, 300]


def test_patience_grows_with_the_epochs() -> None:
    assert [Settings(epochs=epochs).patience for epochs in (5, 30, 40, 144)] == [10, 10, 10, 36]
