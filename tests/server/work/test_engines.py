from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.incremental.constraints.searcher import ConstraintSearcher
from treewhile.oracles.errors import InputError
from treewhile.server.work.engines import Engine, load_engines


def test_an_engine_runs_all_that_first_analyses_take(model_file: Callable[..., Path]) -> None:
    path = model_file()
    engines = load_engines([str(path)])
    assert [*engines] == ["tiny"]
    engines["tiny"].warm()
    assert engines["tiny"].searcher is None


def test_the_search_joins_later(engines: dict[str, Engine]) -> None:
    engine = Engine("tiny", engines["tiny"].model)
    engine.warm_rest()
    assert isinstance(engine.searcher, ConstraintSearcher)


def test_a_model_without_a_segmenter_gets_warm_too(model_file: Callable[..., Path]) -> None:
    [engine] = load_engines([str(model_file(with_segmenter=False))]).values()
    engine.warm()


def test_models_have_different_names(model_file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="two models have the same name"):
        load_engines([str(model_file()), str(model_file())])


def test_a_model_that_takes_gold_tags_serves_nobody(model_file: Callable[..., Path]) -> None:
    [engine] = load_engines([str(model_file(tags="gold"))]).values()
    with pytest.raises(InputError, match="which nobody types"):
        engine.warm()
