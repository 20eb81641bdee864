"""Texts become expressions as precedence says, and every mistake is told with its line and column."""

from __future__ import annotations

from random import Random

import pytest
from cases import each

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.language.syntax import (
    DEEPEST,
    LARGEST_TEXT,
    parse_text,
)
from treewhile.incremental.constraints.language.written import (
    Expression,
    Include,
    OtherPenalty,
    WordSet,
    WrittenConstraint,
)
from treewhile.oracles import InputError


def written(formula: str) -> Expression:
    (item,) = parse_text(f"constraint c penalty 1, X: {formula}", "f")
    assert isinstance(item, WrittenConstraint)
    return item.formula


def shown(expression: Expression) -> str:
    """An expression with all its brackets."""
    operands = [shown(operand) for operand in expression.operands]
    match expression.form:
        case "operation":
            return f"({f' {expression.value} '.join(operands)})" if operands[1:] else f"(not {operands[0]})"
        case "attribute":
            return f"{operands[0]}.{expression.value}"
        case "call":
            return f"{expression.value}({', '.join(operands)})"
        case "set":
            return "{" + ", ".join(expression.value.places) + "}"
        case "number":
            return f"{expression.value:g}"
    return str(expression.value)


@each(
    "formula, expected",
    [
        ("a and b or c and d", "((a and b) or (c and d))"),
        ("a -> b -> c", "(a -> (b -> c))"),
        ("a or b -> c <-> d", "(((a or b) -> c) <-> d)"),
        ("not a = b and c", "((not (a = b)) and c)"),
        ("a and b and c", "(a and b and c)"),
        ("1 + 2 * 3 - 4 < 5", "(((1 + (2 * 3)) - 4) < 5)"),
        ("8 / 4 / 2 = 1", "(((8 / 4) / 2) = 1)"),
        ("X.head.tag in {a, b} or c", "((X.head.tag in {a, b}) or c)"),
        ("(a or b) and has(X.head, {obj})", "((a or b) and has(X.head, {obj}))"),
        ('X."Number[psor]" = Sing', "(X.Number[psor] = Sing)"),
        ("a # nothing of this\n and b", "(a and b)"),
    ],
)
def test_operators_bind_as_documented(formula: str, expected: str) -> None:
    assert shown(written(formula)) == expected


def test_items_come_in_order_with_their_sections() -> None:
    text = """
    include universal
    set A = {nsubj, "nsubj:pass", "say \\"hi\\""}
    constraint one penalty 0, X: true
    section "two edges"
    constraint "the second" penalty 1 - X.distance, X and Y under one head: false
    penalty one 0.5
    """
    include, words, first, second, other = parse_text(text, "f")
    assert isinstance(include, Include)
    assert include.name == "universal"
    assert isinstance(words, WordSet)
    assert [*words.words.places] == ["nsubj", "nsubj:pass", 'say "hi"']
    assert isinstance(first, WrittenConstraint)
    assert (first.name, first.section, first.relation) == ("one", "", "")
    assert isinstance(second, WrittenConstraint)
    assert (second.section, second.relation) == ("two edges", "under one head")
    assert isinstance(other, OtherPenalty)
    assert str(other.place) == "f:7:5"


def test_what_is_said_is_cut_at_its_braces() -> None:
    (item,) = parse_text('constraint c, X: says = says marks X.head says "*{X.next}* is {odd}!"', "f")
    assert isinstance(item, WrittenConstraint)
    assert item.penalty is None
    assert shown(item.formula) == "(says = says)"
    assert item.message
    assert item.message.marks
    assert shown(item.message.marks) == "X.head"
    parts = [part if isinstance(part, str) else [shown(part)] for part in item.message.parts]
    assert parts == ["*", ["X.next"], "* is ", ["odd"], "!"]


@each(
    "text, message",
    [
        ("constraint c penalty 1, X:\n  (true", r"the file ends, where \) has to stand, at f:2:8"),
        ("constraint c penalty 1, X:\n  true)", r"\) stands here, where one of include, .* at f:2:7"),
        ("constraint c penalty 1, X:\n  a = b = c", r"comparisons do not follow each other.* at f:2:9"),
        ("constraint c penalty 1, X: true ; false", "the character ';' has no meaning here.* at f:1:33"),
        ('constraint "c penalty 1, X: true', 'a text in quotes has to end with " .* at f:1:12'),
        ("constraint c penalty 1 X: true", "X stands here, where , has to stand, at f:1:24"),
        ("constraint c penalty 1, Y: true", "Y stands here, where X has to stand, at f:1:25"),
        ("constraint c penalty 1, X and Y beside: true", "beside stands here, where one of under one head,"),
        ("constraint c penalty 1, X and Y under two: true", "two stands here, where one has to stand"),
        ("constraint c penalty 1e999, X: true", "the number 1e999 is too large, at f:1:22"),
        ("constraint c penalty 1, X:\n\n", "the file ends, where a term has to stand, at f:3:1"),
        ("set X = {a}", "X stands here, where the name of a set has to stand, at f:1:5"),
        ("set A = {a, not}", "not has a meaning of its own: put it into quotes in a set, at f:1:13"),
        ("set A = {}", "} stands here, where a word has to stand, at f:1:10"),
        ("rule c: true", "rule stands here, where one of include, section, .* at f:1:1"),
        ("section", "the file ends, where the name of a section has to stand, at f:1:8"),
        ("x" * 500, "x{40}... stands here"),
        (
            "constraint c, X: true",
            "the constraint 'c' neither weighs nor says anything: give it a .* at f:1:1",
        ),
        (
            "constraint c, X: true says hm",
            "hm stands here, where a sentence in quotes has to stand, at f:1:28",
        ),
        ("constraint c, X: true marks X", "the file ends, where says has to stand, at f:1:30"),
        ('constraint c, X: true says " "', "says to people is empty: write a sentence, at f:1:28"),
        ('constraint c, X: true says "{X"', "a brace in a sentence has no counterpart: .* at f:1:28"),
        (
            'constraint c, X: true says "{X.}"',
            r"in \{X.\} the file ends, where the name of an attribute .* at f:1:28",
        ),
        ('constraint c, X: true says "{X X}"', r"in \{X X\} X stands here, where \} has to stand, at f:1:28"),
        (
            f'constraint c, X: true says "{"x" * 301}"',
            "says has more than 300 characters: shorten it, at f:1:28",
        ),
    ],
)
def test_the_first_mistake_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_text(text, "f")


@each(
    "deep",
    [
        "(" * 100_000,
        "not " * 100_000 + "true",
        "-" * 100_000 + "1 = 1",
        "true -> " * 100_000 + "true",
        "1 = 1" + " + 1" * 100_000,
        "X" + ".head" * 100_000 + ".tag = a",
        "abs(" * 100_000,
    ],
)
def test_hostile_nesting_is_refused(deep: str) -> None:
    with pytest.raises(InputError, match=f"nested more than {DEEPEST} levels deep: .* at f:1:"):
        parse_text(f"constraint c penalty 1, X: {deep}", "f")


@pytest.mark.slow
def test_long_chains_of_and_are_not_deep() -> None:
    formula = written("true" + " and true" * 10_000)
    assert formula.depth == 2


def test_nesting_up_to_the_bound_is_compiled_and_judged() -> None:
    depth = DEEPEST - 3
    for formula in [
        "(" * depth + "true" + ")" * depth,
        "not " * depth + "true",
        "1" + " + 1" * depth + " = 1",
    ]:
        assert len(parse_grammar(f"constraint c penalty 1, X: {formula}").constraints) == 1


def test_a_text_that_is_too_large_is_refused() -> None:
    with pytest.raises(InputError, match=r"more than 1048576 bytes: .* at f:1:1"):
        parse_text(" " * (LARGEST_TEXT + 1), "f")


WORDS = [
    "constraint",
    "penalty",
    "X",
    "Y",
    "and",
    "under",
    "one",
    "head",
    ":",
    ",",
    "0.5",
    "(",
    ")",
    "{",
    "}",
]
WORDS += [
    "=",
    "->",
    "not",
    ".",
    "tag",
    "DET",
    "in",
    '"',
    "has",
    "#",
    "\n",
    "set",
    "include",
    "-",
    "é",
    "\0",
    "\\",
]


def message_for(text: str) -> str:
    """What is wrong with a text; nothing if it is a grammar."""
    try:
        parse_grammar(text, "f")
    except InputError as error:
        return str(error)
    return ""


def test_any_text_is_parsed_or_refused_with_a_place() -> None:
    for seed in range(2000):
        rng = Random(seed)
        text = " ".join(rng.choices(WORDS, k=rng.randrange(30)))
        message = message_for(rng.choice(["", "constraint c penalty 0.5, X: "]) + text)
        assert not message or ", at f:" in message, seed
