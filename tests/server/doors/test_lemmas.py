from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from treewhile.incremental import Sentence, load_model
from treewhile.server.doors.arborator import parsed_but_for
from treewhile.server.doors.desk.parsing import parsed
from treewhile.server.doors.udpipe import PARSED, TAGGED

WORDS = ["The", "dog", "barks"]


def columns(sentence: Sentence) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(word.lemma for word in sentence.words), tuple(word.xpos for word in sentence.words)


def test_arborator_keeps_lemmas_and_xpos_that_are_there(model_file: Callable[..., Path]) -> None:
    model, plain = load_model(model_file(with_lemmas=True)), Sentence.of_words(WORDS)
    analysis = model.parse(WORDS)
    for heads in ((), ("head",)):
        [found] = parsed_but_for(model, [plain.with_columns({2: {"lemma": "hound", "xpos": "N"}})], heads)
        lemmas, xpos = columns(found)
        assert lemmas == (analysis.lemmas[0], "hound", analysis.lemmas[2])
        assert xpos == (analysis.xpos[0], "N", analysis.xpos[2])


def test_udpipe_s_tagger_tells_lemmas_and_its_parser_keeps_them(model_file: Callable[..., Path]) -> None:
    model, plain = load_model(model_file(with_lemmas=True)), Sentence.of_words(WORDS)
    analysis = model.parse(WORDS)
    assert columns(parsed(model, [plain], PARSED)[0]) == (analysis.lemmas, analysis.xpos)
    assert columns(parsed(model, [plain], TAGGED)[0]) == (("_",) * 3, ("_",) * 3)


def test_spacy_s_tokens_have_lemmas_and_xpos(model_file: Callable[..., Path]) -> None:
    spacy = pytest.importorskip("spacy")
    path = model_file(with_lemmas=True)
    pipeline = spacy.blank("xx")
    component = pipeline.add_pipe("treewhile", config={"model": str(path)})
    doc = component(spacy.tokens.Doc(pipeline.vocab, WORDS, sent_starts=[True, False, False]))
    analysis = load_model(path).parse(WORDS)
    assert tuple(token.lemma_ for token in doc) == analysis.lemmas
    assert tuple(token.tag_ for token in doc) == analysis.xpos
