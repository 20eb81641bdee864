"""UDPipe 1 has a say in the search: with it alone, the search gives its parse."""

from __future__ import annotations

from pathlib import Path

import pytest
from ufal import udpipe

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.search.searcher import ConstraintSearcher
from treewhile.incremental.constraints.search.udpipe_predictor import UdpipePredictor
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.search import SearchRequest
from treewhile.oracles import InputError
from treewhile.oracles.interrupts import Interrupt

GRAMMAR = """
constraint "head" penalty 0.5, X: prediction_exists(udpipe, X) -> X.head = predicted_head(udpipe, X)
constraint "label" penalty 0.5, X: exists(predicted_label(udpipe, X)) -> X.label = predicted_label(udpipe, X)
"""

TREES = [
    [("the", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj"), ("barks", "VERB", 0, "root")],
    [
        ("the", "DET", 3, "det"),
        ("old", "ADJ", 3, "amod"),
        ("cat", "NOUN", 4, "nsubj"),
        ("sees", "VERB", 0, "root"),
    ],
]
OPTIONS = {"tagger": "iterations=2;use_lemma=0;provide_lemma=0", "parser": "iterations=3;embedding_form=8"}


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> UdpipePredictor:
    """A parser that was trained here on two sentences, many times over."""
    text = "\n\n".join(
        "\n".join(
            f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
            for number, (form, tag, head, label) in enumerate(tree, 1)
        )
        for tree in TREES * 20
    )
    sentences, reader = udpipe.Sentences(), udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text + "\n\n")
    sentence, problem = udpipe.Sentence(), udpipe.ProcessingError()
    while reader.nextSentence(sentence, problem):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    trained = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        udpipe.Trainer.NONE,
        OPTIONS["tagger"],
        OPTIONS["parser"],
        problem,
    )
    assert not problem.occurred(), problem.message
    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(trained if isinstance(trained, bytes) else trained.encode(errors="surrogateescape"))
    return UdpipePredictor(path)


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES)
def test_with_udpipe_alone_its_parse_is_found(
    parser: UdpipePredictor, model: Model, tree: list[tuple[str, str, int, str]]
) -> None:
    parse = GrowingParse(model)
    for form, *_ in tree:
        parse.append(form)
    parse.close()
    asked = SearchRequest(model.rescore(parse.snapshot()), parse.committed(), is_open=False)
    predicted = parser(asked)
    found = ConstraintSearcher(model, parse_grammar(GRAMMAR), {"udpipe": parser}).search(asked, Interrupt())
    assert found.analysis.heads == tuple(prediction.head for prediction in predicted if prediction)
    assert found.analysis.heads == tuple(head for _, _, head, _ in tree)
    for prediction, label in zip(predicted, found.analysis.labels, strict=True):
        assert prediction
        assert prediction.label in (None, label)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        UdpipePredictor(tmp_path / "none")
    (tmp_path / "text").write_text("no model")
    with pytest.raises(InputError, match="no model of UDPipe"):
        UdpipePredictor(tmp_path / "text")
