"""Split grammars as data: the trees that a chart may build (Nederhof 2019, Section 3).

A node collects its left children in one state and its right children in another, each side independent of the
other, which makes the chart cubic. A grammar gives the states in which a terminal starts, the change of
either state by a child of category A, and the pairs of end states that make a complete category.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from treewhile.oracles.errors import InputError
from treewhile.oracles.kernels.charts import Rules

LeftRule = tuple[str, str, str]
RightRule = tuple[str, str, str]


@dataclass(frozen=True)
class SplitGrammar:
    """Checked grammar; the fields are the rule forms of Section 3, in the paper's order of symbols.

    initial    a -> (B, C)       (B, C) -> a, exactly one a terminal
    complete   (A, B, C)         A -> (B, C)
    left       (B', A, B)        (B', _) -> A (B, _): a left child A
    right      (C', C, A)        (_, C') -> (_, C) A: a right child A
    """

    name: str
    start: str
    initial: dict[str, tuple[str, str]]
    complete: tuple[tuple[str, str, str], ...]
    left: tuple[LeftRule, ...]
    right: tuple[RightRule, ...]

    def __post_init__(self) -> None:
        self._check(bool(self.initial), "has no terminal")
        self._check(
            all(len(a) == 1 and a.isascii() for a in self.initial), "has a terminal of other than one letter"
        )
        self._check(self.start in self.categories, f"never completes its start symbol {self.start}")
        for a, b, c in self.complete:
            self._check_states(f"{a} -> ({b}, {c})", b, c)
        for after, a, before in self.left:
            self._check_child(f"({after}, _) -> {a} ({before}, _)", a, before in self.left_states)
        for after, before, a in self.right:
            self._check_child(f"(_, {after}) -> (_, {before}) {a}", a, before in self.right_states)
        for rules in (self.complete, self.left, self.right):
            self._check(len(set(rules)) == len(rules), "states a rule twice, which would count trees twice")

    def _check(self, holds: bool, complaint: str) -> None:
        if not holds:
            raise InputError(f"the split grammar {self.name!r} {complaint}")

    def _check_states(self, rule: str, b: str, c: str) -> None:
        self._check(b in self.left_states, f"has the rule {rule}, but no node ever reaches left state {b}")
        self._check(c in self.right_states, f"has the rule {rule}, but no node ever reaches right state {c}")

    def _check_child(self, rule: str, a: str, reached: bool) -> None:
        self._check(a in self.categories, f"has the rule {rule}, but nothing ever completes {a}")
        self._check(reached, f"has the rule {rule}, but no node is ever in the state that it starts from")

    @property
    def categories(self) -> set[str]:
        return {a for a, _, _ in self.complete}

    @cached_property
    def left_states(self) -> tuple[str, ...]:
        return tuple(sorted({b for b, _ in self.initial.values()} | {after for after, _, _ in self.left}))

    @cached_property
    def right_states(self) -> tuple[str, ...]:
        return tuple(sorted({c for _, c in self.initial.values()} | {after for after, _, _ in self.right}))

    def pairs_of(self, category: str) -> list[tuple[str, str]]:
        """Return the pairs of end states that complete a category."""
        return [(b, c) for a, b, c in self.complete if a == category]

    @cached_property
    def rules(self) -> Rules:
        """Grammar as numbers, for the kernel: states are indices into `left_states`, `right_states`."""
        left, right = self.left_states.index, self.right_states.index
        return Rules(
            initial=_table([(left(b), right(c)) for b, c in self.initial.values()], 2),
            start=_table([(left(b), right(c)) for b, c in self.pairs_of(self.start)], 2),
            left=_table(
                [
                    (left(after), left(d), right(b), left(before))
                    for after, a, before in self.left
                    for d, b in self.pairs_of(a)
                ],
                4,
            ),
            right=_table(
                [
                    (right(after), left(c), right(d), right(before))
                    for after, before, a in self.right
                    for c, d in self.pairs_of(a)
                ],
                4,
            ),
            left_states=len(self.left_states),
            right_states=len(self.right_states),
        )

    def terminals(self, word: str) -> npt.NDArray[np.int64]:
        """Return a string of one-letter terminals as numbers, for the kernel."""
        return self._numbers[np.frombuffer(word.encode("ascii"), dtype=np.uint8)]

    @cached_property
    def _numbers(self) -> npt.NDArray[np.int64]:
        numbers = np.full(128, -1, dtype=np.int64)
        for number, letter in enumerate(self.initial):
            numbers[ord(letter)] = number
        return numbers


def _table(rows: list[tuple[int, ...]], width: int) -> npt.NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


# Table 3 of the paper: all projective trees; node 0 may have several children.
PROJECTIVE = SplitGrammar(
    name="projective",
    start="S",
    initial={"a": ("S", "S")},
    complete=(("S", "S", "S"),),
    left=(("S", "S", "S"),),
    right=(("S", "S", "S"),),
)

# Table 4: the trees that can still be built from a stack p...p with s on top and the remaining input s...s. A
# stack element below the top takes left children only if it also takes a right one, since it must come to the
# top again.
_STRICT_RULES: tuple[LeftRule, ...] = (("S", "P", "S"), ("S", "S", "S"))
STACK_AND_INPUT = SplitGrammar(
    name="stack and remaining input",
    start="S",
    initial={"p": ("P", "P"), "s": ("S", "S")},
    complete=(("P", "P", "P"), ("S", "P", "S"), ("S", "S", "S")),
    left=(*_STRICT_RULES, ("S", "P", "P")),
    right=(("S", "P", "S"), ("S", "S", "S")),
)

# Table 4 without its last rule: no stack element below the top ever takes a left child.
STRICT_STACK_AND_INPUT = SplitGrammar(
    name="stack and remaining input, strict",
    start="S",
    initial=STACK_AND_INPUT.initial,
    complete=STACK_AND_INPUT.complete,
    left=_STRICT_RULES,
    right=STACK_AND_INPUT.right,
)


def with_single_root(grammar: SplitGrammar) -> SplitGrammar:
    """Return the grammar for strings that begin with r, the root, which takes one child, or none if alone."""
    return SplitGrammar(
        name=f"{grammar.name}, single root",
        start="W",
        initial={"r": ("R", "R"), **grammar.initial},
        complete=(("W", "R", "R"), ("W", "R", "T"), *grammar.complete),
        left=grammar.left,
        right=(("T", "R", grammar.start), *grammar.right),
    )


SINGLE_ROOT_PROJECTIVE = with_single_root(PROJECTIVE)
SINGLE_ROOT_STACK_AND_INPUT = with_single_root(STACK_AND_INPUT)
SINGLE_ROOT_STRICT_STACK_AND_INPUT = with_single_root(STRICT_STACK_AND_INPUT)
