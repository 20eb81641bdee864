from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from planted_phrases import random_phrase

from treewhile.incremental.constituents.binarization import Binarization
from treewhile.incremental.constituents.grammar_models import grammar_in, grammar_sections
from treewhile.incremental.constituents.sectioned_files import read_sections, write_sections
from treewhile.incremental.constituents.treebank_grammars import read_grammar
from treewhile.oracles import InputError

FORMS = [
    Binarization(side, markov, parents, parents)
    for side, markov, parents in product(("left", "right"), (0, 2, None), (False, True))
]
TEXT = """[grammar]
start ROOT
side right
markov 2
parents no
chains no

[binary]
3 S NP VP
1 NP DT @NP:JJ_NN
1 @NP:JJ_NN JJ NN

[unary]
2 ROOT S
5 VP VB

[words]
1 DT the
1 JJ old
2 NN [
1 VB %
4 NP it
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "a.grammar").write_text(TEXT)
    return tmp_path / "a.grammar"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["a.grammar", "a.grammar.gz"])
def test_a_grammar_is_read_as_it_was_written(form: Binarization, name: str, tmp_path: Path) -> None:
    rng = random.Random(12)
    written = read_grammar([random_phrase(rng, rng.randint(1, 15)) for _ in range(40)], form)
    write_sections(tmp_path / name, grammar_sections(written))
    read = grammar_in(read_sections(tmp_path / name), name)
    assert (read.form, read.start, read.rules, read.words) == (form, "ROOT", written.rules, written.words)
    ours, theirs = written.grammar, read.grammar
    assert (ours.symbols, ours.start, ours.side) == (theirs.symbols, theirs.start, theirs.side)
    for array in ("is_incomplete", "binary", "binary_logs", "unary", "unary_logs"):
        assert np.array_equal(getattr(ours, array), getattr(theirs, array))
    words = ["the", "dog", "Unseen-word"]
    assert np.array_equal(written.lexical(words), read.lexical(words))


def test_people_can_read_and_write_it(path: Path) -> None:
    grammar = grammar_in(read_sections(path), path)
    assert (grammar.start, grammar.form) == ("ROOT", Binarization("right", 2))
    assert grammar.rules["NP", "DT", "@NP:JJ_NN"] == 1
    assert grammar.words["NN", "["] == 2
    write_sections(path, grammar_sections(grammar))
    assert sorted(path.read_text().split()) == sorted(TEXT.split())


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("start ROOT\n", "", "the grammar has no start symbol, add a line 'start ...', at {}:1"),
        ("start ROOT", "start", "has to be a name and a value.*, at {}:2"),
        ("start ROOT", "start TOP", "the start symbol 'TOP' has no rules.*, at {}:1"),
        ("start ROOT", "start @NP:JJ_NN", "the start symbol '@NP:JJ_NN' has no rules.*, at {}:1"),
        ("side right", "side up", "'side' is 'up' and has to be right or left, at {}:3"),
        ("markov 2", "markov many", "has to be all or 0 or .*, at {}:4"),
        ("parents no\n", "", "the grammar has no 'parents'.*, at {}:1"),
        ("chains no", "side right", "each name once, at {}:6"),
        ("3 S NP VP", "3 S NP", "has to be a count and 3 names.*, at {}:9"),
        ("3 S NP VP", "3 S  NP VP", "has to be a count and 3 names.*, at {}:9"),
        ("3 S NP VP", "0 S NP VP", "the count '0' has to be a number from 1.*, at {}:9"),
        ("3 S NP VP", "0.5 S NP VP", "the count '0.5' has to be a number from 1.*, at {}:9"),
        ("3 S NP VP", f"{'9' * 400} S NP VP", "has to be a number from 1.*, at {}:9"),
        ("3 S NP VP", "3 S NP XP", "'XP' has neither rules nor words.*, at {}:9"),
        ("5 VP VB", "5 ROOT S", "'ROOT S' was counted before.*, at {}:15"),
        ("5 VP VB", "5 VP @NP:JJ_NN", "the incomplete symbol '@NP:JJ_NN' cannot stand here.*, at {}:15"),
        ("side right", "side left", "'@NP:JJ_NN' cannot stand here .* binary on the left, at {}:10"),
        ("1 DT the", "1 @DT the", "'DT' has neither rules nor words, add one, at {}:10"),
        ("[unary]", "[other]", r"there is no section \[unary\] in {}"),
        (TEXT[TEXT.index("1 DT the") :], "", "there are no words, add one with a tag, at {}:17"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(path: Path, old: str, new: str, problem: str) -> None:
    path.write_text(TEXT.replace(old, new))
    with pytest.raises(InputError, match=problem.format(re.escape(str(path)))):
        grammar_in(read_sections(path), path)
