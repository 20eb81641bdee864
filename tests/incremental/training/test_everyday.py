"""The everyday sentences that models learn from, judged by UD's own validator.

`udtools` is under the GPL: tests may import it, the product may not.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from udtools.validator import Validator

from treewhile.incremental import read_sentences
from treewhile.incremental.treebanks.treebank import Sentence

ROOT = Path(__file__).parents[3]
EVERYDAY = sorted((ROOT / "incremental" / "training" / "everyday").glob("*.conllu"))
LANGUAGES = [path.stem for path in EVERYDAY]


def letters(sentence: Sentence) -> str:
    """Return a sentence as it reads without spaces, capitals and marks."""
    return "".join(word.form.lower() for word in sentence.words if word.form[:1].isalnum())


@pytest.mark.parametrize("path", EVERYDAY, ids=LANGUAGES)
def test_they_are_valid(path: Path) -> None:
    found = Validator(lang=path.stem, level=3, output=None).validate_files([str(path)])
    assert [str(one) for one in found.error_tracker if one.is_error()] == []


@pytest.mark.parametrize("path", EVERYDAY, ids=LANGUAGES)
def test_none_judges_a_model(path: Path) -> None:
    judging = ROOT / "tests" / "vectors" / "gold" / path.name
    learnt, judged = ({*map(letters, read_sentences(one))} for one in (path, judging))
    assert min(len(learnt), len(judged)) > 80
    assert not learnt & judged


def runs(sentence: Sentence) -> set[tuple[str, ...]]:
    """Return the runs of four words."""
    words = [word.form.lower() for word in sentence.words if word.form[:1].isalnum()]
    return {*zip(words, words[1:], words[2:], words[3:], strict=False)}


@pytest.mark.parametrize("path", EVERYDAY, ids=LANGUAGES)
def test_none_is_near_to_those_that_judge_a_model(path: Path) -> None:
    judging = ROOT / "tests" / "vectors" / "gold" / path.name
    judged = set[tuple[str, ...]]().union(*map(runs, read_sentences(judging)))
    near = [letters(one) for one in read_sentences(path) if len(runs(one) & judged) > 1]
    assert near == []
