"""Contradictions between hard constraints: no tree of a short sentence keeps both, but some keep either one.

All trees of made-up sentences are judged: each word has a tag, and perhaps a form and features, that one of
two constraints mentions. So what is found is proven; what needs longer sentences, or more work than is
allowed, is not found. Labels that a pair cannot tell apart are tried once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations, product
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.constraints.language.adaptations import with_root_labels
from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.language.known_names import FEATURES
from treewhile.incremental.constraints.language.terms import (
    FEATURE,
    SET_OPERATIONS,
    Constraint,
    Kind,
    Term,
    relation_of,
)
from treewhile.incremental.constraints.machine.judging import new_desk
from treewhile.incremental.constraints.machine.kernels import analyses
from treewhile.incremental.constraints.machine.kernels.records import ConflictColumn, TreeArrays
from treewhile.incremental.constraints.machine.programs import Program, compile_grammar
from treewhile.incremental.constraints.machine.situations import Situation

LONGEST: Final = 3  # words
MOST_JUDGED: Final = 100_000  # trees of all sentences together
MOST_OF_SENTENCE: Final = 5_000  # trees
MOST_WORDS: Final = 24  # different words of which sentences are made
OTHER_FORM: Final = "x"


class MadeUpWord(NamedTuple):
    """Word of a made-up sentence; its form is OTHER_FORM where it does not matter."""

    tag: str
    form: str
    features: str

    def __str__(self) -> str:
        form = "..." if self.form == OTHER_FORM else self.form
        return "/".join([form, self.tag, *([] if self.features == "_" else [self.features])])


class Contradiction(NamedTuple):
    """Two hard constraints, and a sentence that has trees which keep either one, but none that keeps both."""

    constraints: tuple[Constraint, Constraint]
    sentence: tuple[MadeUpWord, ...]


def contradictions(
    grammar: Grammar,
    labels: Sequence[str],
    tags: Sequence[str],
    root_labels: Sequence[str] = ("root",),
    edges_may_cross: bool = False,
) -> Iterator[Contradiction]:
    """Yield contradictions between hard constraints, of shorter sentences first, each pair once."""
    hard = [one for one in with_root_labels(grammar, root_labels).constraints if _is_hard(one)]
    pairs = [_Pair(pair, labels, tags, edges_may_cross) for pair in combinations(hard, 2)]
    left = MOST_JUDGED
    for length in range(1, 1 + LONGEST):
        for pair in [*pairs]:
            trees = pair.tree_count(length)
            if trees > MOST_OF_SENTENCE:
                continue
            for sentence in product(pair.words, repeat=length):
                left -= trees
                if left < 0:
                    return
                if pair.is_contradicted(sentence):
                    pairs.remove(pair)
                    yield Contradiction(pair.constraints, sentence)
                    break


def _is_hard(constraint: Constraint) -> bool:
    is_asking = constraint.is_scored or constraint.predictors
    return constraint.penalty == 0 and constraint.formula.operation != "truth" and not is_asking


class _Pair:
    def __init__(
        self,
        constraints: tuple[Constraint, Constraint],
        labels: Sequence[str],
        tags: Sequence[str],
        edges_may_cross: bool,
    ) -> None:
        self.constraints, self._all_labels, self._tags = constraints, labels, tags
        self._parts = [part for constraint in constraints for part in constraint.parts]
        self._may_cross, self._trees = edges_may_cross, dict[int, list[TreeArrays]]()

    @cached_property
    def words(self) -> list[MadeUpWord]:
        """Words that differ in what the constraints mention."""
        tags = self._mentioned(Kind.TAG)
        others = [tag for tag in self._tags if tag not in tags][:1]
        forms = [OTHER_FORM, *self._mentioned(Kind.FORM)]
        choices = product(["_", *self._features()], forms, [*tags, *others])
        return [MadeUpWord(tag, form, features) for features, form, tag in choices][:MOST_WORDS]

    def tree_count(self, length: int) -> int:
        """Return the number of trees of a sentence, the root with any number of children."""
        count: int = (length + 1) ** (length - 1) * len(self._labels) ** length
        return count

    def is_contradicted(self, sentence: Sequence[MadeUpWord]) -> bool:
        kept = self._kept(sentence)
        return bool(kept.any(axis=0).all() and not kept.all(axis=1).any())

    def _kept(self, sentence: Sequence[MadeUpWord]) -> npt.NDArray[np.bool_]:
        """Return kept[tree, constraint] for all trees."""
        tags, forms, features = zip(*sentence, strict=True)
        desk = new_desk(Situation(self._program, forms, tags, features), len(sentence) ** 2 * 2)
        trees = self._trees_of(len(sentence))
        kept = np.ones((len(trees), 2), np.bool_)
        for number, tree in enumerate(trees):
            analyses.cost_of_all(desk, tree)
            kept[number, desk.rows[: desk.found[0], ConflictColumn.CONSTRAINT]] = False
        return kept

    def _trees_of(self, length: int) -> list[TreeArrays]:
        if length not in self._trees:
            labels = range(len(self._labels))
            self._trees[length] = [
                TreeArrays(np.array([0, *heads], np.int64), np.array([0, *of_words], np.int64))
                for heads in product(range(1 + length), repeat=length)
                if _is_tree(heads)
                for of_words in product(labels, repeat=length)
            ]
        return self._trees[length]

    @cached_property
    def _program(self) -> Program:
        numbered = tuple(replace(one, name=str(number)) for number, one in enumerate(self.constraints))
        return compile_grammar(Grammar("pair", numbered), self._labels, self._may_cross)

    # --- what the constraints mention -----------------------------------------------------------------------

    @cached_property
    def _labels(self) -> list[str]:
        """Labels of the model, one of each class that the constraints tell apart."""
        if any(_kinds_of(part) == [Kind.LABEL, Kind.LABEL] for part in self._parts):
            return [*self._all_labels]
        mentioned = {*self._mentioned(Kind.LABEL)}
        classes = dict[tuple[str | None, ...], str]()
        for label in self._all_labels:
            told_apart = tuple(name if name in mentioned else None for name in (label, relation_of(label)))
            classes.setdefault(told_apart, label)
        return [*classes.values()]

    def _features(self) -> Iterator[str]:
        asked = {str(part.value) for part in self._parts if part.operation == "attribute"}
        for name in sorted(asked):
            if name.startswith(FEATURE):
                feature = name.removeprefix(FEATURE)
                values = self._mentioned_where(partial(_has_attribute, name))
                for value in values or FEATURES.get(feature, "").split()[:2]:
                    yield f"{feature}={value}"

    def _mentioned(self, kind: Kind) -> list[str]:
        return self._mentioned_where(lambda part: _kind_of_words(part) == kind)

    def _mentioned_where(self, is_meant: Callable[[Term], bool]) -> list[str]:
        found = (word for part in self._parts if is_meant(part) for word in sorted(_words_of(part)))
        return [*dict.fromkeys(found)]


def _is_tree(heads: Sequence[int]) -> bool:
    for node in range(1, 1 + len(heads)):
        for _ in heads:
            node = heads[node - 1] if node else 0
        if node:
            return False
    return True


def _kinds_of(part: Term) -> list[Kind]:
    return [operand.kind for operand in part.operands]


def _kind_of_words(part: Term) -> Kind | None:
    """Return the kind of the names that a term compares something with."""
    if part.operation == "same":
        return next((kind for kind in _kinds_of(part) if kind != Kind.WORD), None)
    if part.operation == "member":
        return part.operands[0].kind
    if part.operation in SET_OPERATIONS:
        return Kind.LABEL
    return {"between": Kind.TAG, "starts": Kind.FORM, "ends": Kind.FORM}.get(part.operation)


def _words_of(part: Term) -> frozenset[str]:
    match part.operation:
        case "same":
            return frozenset(operand.value for operand in part.operands if operand.operation == "word")
        case "between" | "contains":
            return frozenset(part.value[1])
        case "starts" | "ends" | "member" | "has" | "count" | "under":
            return frozenset(part.value or ())
    return frozenset()


def _has_attribute(name: str, part: Term) -> bool:
    """Return whether a term compares an attribute."""
    if part.operation == "contains":
        return bool(part.value[0] == name)
    return part.operation in ("same", "member") and any(operand.value == name for operand in part.operands)
