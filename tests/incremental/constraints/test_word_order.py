"""The order of words in Afrikaans as the documentation writes it: gold trees keep it, wrong orders do not."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cases import each

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.constraints import (
    Grammar,
    Program,
    Situation,
    compile_grammar,
    find_conflicts,
    parse_grammar,
)
from treewhile.incremental.constraints.language.terms import Constraint

DOCS = (Path(__file__).parents[3] / "docs" / "constraints.md").read_text()
DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
DEV = DATA / "ud" / "af_afribooms" / "af_afribooms-dev.conllu"
TABLE = re.findall(r"^\| ([\w ]+) \| (\d+) \| (\d+) \|$", DOCS, re.MULTILINE)
GRAMMAR = DOCS[DOCS.index("    define IS_FINITE") : DOCS.index("| constraint | gold edges")]
MOST_BROKEN = 0.02  # of the edges where a constraint applies


def grammar() -> Grammar:
    return parse_grammar(GRAMMAR)


def applying(constraint: Constraint) -> Constraint:
    """The constraint that is broken wherever this one, an implication, applies."""
    left, _ = constraint.formula.operands
    return replace(constraint, formula=replace(constraint.formula, operation="not", operands=(left,)))


def broken(program: Program, sentence: Sentence) -> list[str]:
    words, numbers = sentence.words, program.label_numbers
    tags, features = [word.upos for word in words], [word.feats for word in words]
    situation = Situation.of(program, [word.form for word in words], tags, features)
    heads = np.array([0, *(int(word.head) for word in words)], np.int32)
    labels = np.array([0, *(numbers[word.deprel] for word in words)], np.int32)
    return [conflict.constraint for conflict in find_conflicts(situation, heads, labels)]


@pytest.mark.slow
def test_gold_trees_hardly_break_the_constraints_and_as_often_as_is_documented() -> None:
    if not DEV.is_file():
        pytest.skip("the treebank is not here")
    sentences = [*read_sentences(DEV)]
    labels = sorted({word.deprel for sentence in sentences for word in sentence.words})
    cases = replace(grammar(), constraints=tuple(map(applying, grammar().constraints)))
    counts = []
    for one in (cases, grammar()):
        program = compile_grammar(one, labels, edges_may_cross=True)
        counts.append(Counter(name for sentence in sentences for name in broken(program, sentence)))
    applies, breaks = counts
    found = [(name, str(applies[name]), str(breaks[name])) for name in grammar().numbers]
    assert found == TABLE
    assert len(found) >= 8
    assert all(breaks[name] <= MOST_BROKEN * applies[name] for name in applies)


LABELS = ("root", "nsubj", "obj", "aux", "advmod", "det", "mark", "punct", "xcomp", "case")


@cache
def compiled() -> Program:
    return compile_grammar(grammar(), LABELS)


def broken_by(written: str) -> list[str]:
    """What a tree breaks, written as words with their tags, labels and heads: Ons/PRON/nsubj/3."""
    words = [word.split("/") for word in written.split()]
    forms, tags, names, heads = zip(*words, strict=True)
    situation = Situation.of(compiled(), forms, tags, ["_"] * len(forms))
    labels = [0, *map(compiled().label_numbers.__getitem__, names)]
    found = find_conflicts(situation, np.array([0, *map(int, heads)], np.int32), np.array(labels, np.int32))
    return sorted({conflict.constraint for conflict in found})


@each(
    "written, constraints",
    [
        ("Môre/ADV/advmod/5 sal/AUX/aux/5 ons/PRON/nsubj/5 dit/PRON/obj/5 lees/VERB/root/0", []),
        (
            "Môre/ADV/advmod/5 ons/PRON/nsubj/5 sal/AUX/aux/5 dit/PRON/obj/5 lees/VERB/root/0",
            [
                "the finite auxiliary is second",
                "the subject follows an auxiliary that something else precedes",
            ],
        ),
        ("Môre/ADV/advmod/2 lees/VERB/root/0 ons/PRON/nsubj/2 dit/PRON/obj/2", []),
        (
            "Môre/ADV/advmod/3 ons/PRON/nsubj/3 lees/VERB/root/0 dit/PRON/obj/3",
            ["the finite main verb is second"],
        ),
        (
            "Ons/PRON/nsubj/3 sal/AUX/aux/3 lees/VERB/root/0 dit/PRON/obj/3",
            ["an object stands inside the verb bracket"],
        ),
        (
            "Ons/PRON/nsubj/3 sal/AUX/aux/3 lees/VERB/root/0 môre/ADV/advmod/3",
            ["an adverb stands inside the verb bracket"],
        ),
        ("omdat/SCONJ/mark/4 ons/PRON/nsubj/4 dit/PRON/obj/4 lees/VERB/root/0", []),
        (
            "omdat/SCONJ/mark/3 ons/PRON/nsubj/3 lees/VERB/root/0 dit/PRON/obj/3",
            ["the verb ends a subordinate clause"],
        ),
        ("Ons/PRON/nsubj/4 sal/AUX/aux/4 nie/ADV/advmod/4 lees/VERB/root/0 nie/PART/advmod/4", []),
        (
            "Ons/PRON/nsubj/4 sal/AUX/aux/4 nie/ADV/advmod/4 lees/VERB/root/0",
            ["nie comes twice"],
        ),
        ("Probeer/VERB/root/0 om/ADP/mark/5 dit/PRON/obj/5 te/PART/mark/5 lees/VERB/xcomp/1", []),
        ("Probeer/VERB/root/0 om/ADP/mark/4 dit/PRON/obj/4 lees/VERB/xcomp/1", ["om comes with te"]),
        (
            "Probeer/VERB/root/0 om/ADP/mark/5 te/PART/mark/5 dit/PRON/obj/5 lees/VERB/xcomp/1",
            ["te stands before its verb"],
        ),
    ],
)
def test_wrong_orders_are_broken_constraints(written: str, constraints: list[str]) -> None:
    assert broken_by(written) == constraints
