from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.parsers.model_files import ModelFile, read_model, write_model
from treewhile.incremental.parsers.shipped_models import DEFAULT_MODEL, installed_models
from treewhile.incremental.sessions.messages import Append, Finish, Open
from treewhile.oracles.errors import InputError
from treewhile.server.work.engines import Engine, Engines, load_engine
from treewhile.server.work.served_models import ModelFacts, ServedModels, every_installed_model


def test_an_engine_has_a_search(model_file: Callable[..., Path]) -> None:
    engine = load_engine(str(model_file()))
    assert engine.name == "tiny"
    assert isinstance(engine.searcher, ConstraintSearcher)


def test_a_model_without_a_segmenter_serves_words(model_file: Callable[..., Path]) -> None:
    engine = load_engine(str(model_file(with_segmenter=False)))
    assert not engine.new_session().cuts_text


def test_all_models_parse_in_the_class_of_trees_that_is_asked_for(model_file: Callable[..., Path]) -> None:
    path = model_file()
    for trees, found in ((None, "projective"), ("mh4", "mh4")):
        assert load_engine(str(path), trees).model.trees == found


def test_what_a_server_has_is_known_before_it_is_loaded(
    model_file: Callable[..., Path], tmp_path: Path
) -> None:
    path, crossing = model_file(), tmp_path / "crossing.safetensors"
    file = read_model(path)
    write_model(crossing, ModelFile(file.arrays, {**file.information, "trees": "mh4"}))
    models = ServedModels([str(path), str(crossing)])
    assert models.classes == {"projective", "mh4"}
    assert {load_engine(name).model.trees for name in models.names} == models.classes
    assert ServedModels(models.names, "projective").classes == {"projective"}
    with pytest.raises(InputError, match="neither an installed model nor a file named 'none'"):
        _ = ServedModels(["none"]).classes


def test_models_have_different_names(model_file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="two models have the same name"):
        Engines(ServedModels([str(model_file()), str(model_file())]))


def test_a_model_that_takes_gold_tags_serves_nobody(model_file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="which nobody types"):
        load_engine(str(model_file(tags="gold")))


def test_events_that_a_decoder_has_made_lead_to_the_same(engines: dict[str, Engine]) -> None:
    told = []
    for name in ("receive", "receive_decoded"):
        session = engines["tiny"].new_session(clock=lambda: 0.0)
        for event in (
            Open("d", 0, words=["a"]),
            Append("d", 1, ["b"]),
            Append("d", 1, ["c"]),
            Finish("e", 2),
        ):
            getattr(session, name)(event)
        assert session.has_messages
        told.append(session.messages_to_send())
        assert (session.version_of("d"), session.version_of("e")) == (1, None)
        assert not session.has_messages
    assert told[0] == told[1]
    assert len(told[0]) == 2


def test_every_installed_model_is_served_unless_some_are_named_the_default_first() -> None:
    first, *others = every_installed_model()
    assert first == DEFAULT_MODEL
    assert others == sorted({*installed_models()} - {first})
    engines = Engines(ServedModels(every_installed_model()))
    assert (engines.names, engines.default, engines.loaded) == ([first, *others], first, {})


def test_facts_about_a_model_are_known_without_its_arrays(
    model_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = model_file(with_spans=True, with_completeness=True, with_lemmas=True)
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"nothing")
    engines = Engines(ServedModels([str(path), str(broken)]))
    engines.load()
    facts = engines.facts["tiny"]
    assert (facts.language, facts.abilities) == (
        "xx",
        ["tokenizer", "constituents", "completeness", "lemmas"],
    )
    assert engines.facts["broken"] == ModelFacts()
    assert not engines.loaded


def test_mistakes_are_told_where_the_language_has_a_grammar_or_somebody_gave_one() -> None:
    engines = Engines(ServedModels(["en", "nl", "de"], grammars={"de": ["universal"]}))
    engines.load()
    assert {name for name in engines.names if "mistakes" in engines.abilities_of(name)} == {"en", "de"}
