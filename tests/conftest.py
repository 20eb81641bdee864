"""Tiny models with random weights: real code runs on them, whatever they answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from small_networks import TINY

from treewhile.incremental.parsers.completeness_layers import completeness_shapes
from treewhile.incremental.parsers.inventories import CHARACTER_CLASSES, Inventory
from treewhile.incremental.parsers.lemma_layers import LemmaShape, lemma_shapes
from treewhile.incremental.parsers.model_contents import array_shapes
from treewhile.incremental.parsers.model_files import ModelFile, write_model
from treewhile.incremental.parsers.parsing import Model, read_parser
from treewhile.incremental.parsers.span_layers import SpanShape, span_shapes
from treewhile.incremental.texts.alphabets import CLASSES, LOWER, PUNCTUATION, Alphabet
from treewhile.incremental.texts.classifiers import ONE, Classifier, Window
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.splits import Split, Splits

pytest_plugins = ["reach"]

# What `make test` leaves out, since it installs no such packages; `make test-all` has them all.
NEEDS = {
    "PYEVALB": ["incremental/constituents/test_bracket_scores.py"],
    "torch": ["server/commands/test_train.py", "server/commands/test_train_lemmas.py"],
    "udtools": [
        "incremental/parsers/test_label_rules.py",
        "incremental/scores/test_conll_scores.py",
        "incremental/scores/test_evaluation.py",
        "incremental/training/test_everyday.py",
        "server/commands/test_score.py",
    ],
    "yaml": ["server/test_cluster_examples.py"],
}
collect_ignore = [path for package, paths in NEEDS.items() if find_spec(package) is None for path in paths]

# A slow machine is no fault, and what fails today fails tomorrow. `reached` counts over all examples.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("steady")

# Pytest writes the name of a test into the environment, and with a name of megabytes no process starts.
LONGEST_NAME = 200


def pytest_make_parametrize_id(val: object) -> str | None:
    if isinstance(val, str | bytes) and len(val) > LONGEST_NAME:
        return f"{val[:40]!a} of {len(val)}"
    return None


FORMS = ("the", "dog", "barks", "cat", "sees", "very", "old", ".")
CHAINS = [["NP"], ["S", "VP"], ["VP"], ["S"], ["NP", "NP"]]
VALUES = {"predicted": (), "gold-upos": ("UPOS=NOUN", "UPOS=VERB")}
VALUES["gold"] = (*VALUES["gold-upos"], "Number=Sing", "Number=Plur")


def tiny_inventory(tags: str) -> Inventory:
    return Inventory(
        forms=FORMS,
        characters=tuple("abcdeghorstvy."),
        tags=("NOUN", "VERB", "DET", "PUNCT"),
        features=("_", "Number=Sing", "Number=Plur"),
        labels=("root", "nsubj", "nsubj:pass", "det", "obj", "punct"),
        stock=("NOUN", "VERB"),
        values=VALUES[tags],
        ngram_rows=1 << 14,
    )


def tiny_segmenter() -> Segmenter:
    """Tokens end at white space and before punctuation, sentences at blank lines."""

    def classifier(bias: int) -> Classifier:
        empty = np.zeros((CLASSES, 1), np.int8)
        hidden = np.zeros((5 * 1 + 2 * 1 + 1, 2), np.int8)
        output = np.array([[0], [0], [bias]], np.int8)
        keys, words = np.array([7], np.uint32), np.zeros((2, 1), np.int8)
        lines, second = np.zeros((1, 0), np.int8), np.zeros((3, 2), np.int8)
        return Classifier(Window(2, 2, 1, 0), keys, empty, words, lines, hidden, second, output)

    asked = np.zeros((CLASSES, CLASSES), np.uint8)
    asked[LOWER, PUNCTUATION] = 1
    splits = Splits({"cannot": Split(3, "", ("not",))}, {})
    return Segmenter(Alphabet(""), False, asked, classifier(ONE), classifier(0), splits)


def tiny_model(
    tags: str = "predicted",
    with_segmenter: bool = True,
    seed: int = 1,
    with_spans: bool = False,
    with_completeness: bool = False,
    with_lemmas: bool = False,
) -> ModelFile:
    generator, inventory = np.random.default_rng(seed), tiny_inventory(tags)
    arrays: dict[str, Any] = {
        name: generator.standard_normal(shape).astype(np.float32)
        for name, shape in array_shapes(inventory, TINY).items()
    }
    information = {"inventory": inventory.to_json(), "shape": asdict(TINY), "tags": tags, "language": "xx"}
    if with_spans:
        shapes = span_shapes(2 * TINY.state, SpanShape(3, 4), len(CHAINS))
        arrays |= {name: generator.standard_normal(one).astype(np.float32) for name, one in shapes.items()}
        information["spans"] = {"units": 3, "label_units": 4, "labels": CHAINS}
    if with_completeness:
        shapes = completeness_shapes(TINY.state, 3)
        arrays |= {name: generator.standard_normal(one).astype(np.float32) for name, one in shapes.items()}
        information["completeness"] = {"units": 3}
    if with_lemmas:
        rules = ["lower\t0\t0\t\t0\t0\t\t\t", "lower\t0\t0\t\t0\t0\ten\t\t"]
        characters = len(inventory.characters) + len(CHARACTER_CLASSES)
        shapes = lemma_shapes(TINY.state, LemmaShape(2, 3), characters, len(rules) + 2)
        arrays |= {name: generator.standard_normal(one).astype(np.float32) for name, one in shapes.items()}
        information["lemmas"] = {
            "letter": 2,
            "units": 3,
            "rules": rules,
            "xpos": ["A", "B"],
            "exceptions": {},
            "known": {"NOUN": "cat dog"},
        }
    if with_segmenter:
        segmenter = tiny_segmenter()
        arrays |= {f"segmenter.{name}": array for name, array in segmenter.arrays().items()}
        information["segmenter"] = segmenter.information()
    return ModelFile(arrays, information)


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a file with a tiny model."""

    def make(**options: Any) -> Path:
        path = tmp_path_factory.mktemp("model") / "tiny.safetensors"
        write_model(path, tiny_model(**options))
        return path

    return make


@pytest.fixture(scope="session")
def make_model(model_file: Callable[..., Path]) -> Callable[..., Model]:
    """Makes a tiny model."""
    return lambda **options: read_parser(model_file(**options))


@pytest.fixture(scope="session")
def model(make_model: Callable[..., Model]) -> Model:
    return make_model()


@pytest.fixture(scope="session")
def random_words() -> Callable[[random.Random, int], Sequence[str]]:
    """Draws known and unknown words."""
    return lambda source, count: source.choices([*FORMS, "unheard-of", "ξένος", "🎉"], k=count)
