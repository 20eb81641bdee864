"""All mistakes of a file come in one run, each with its place; names are those of a model or of UD."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from random import Random

import pytest
from cases import cases, each, each_seed

from treewhile.incremental import Model
from treewhile.incremental.constraints import (
    ConstraintSearcher,
    KnownNames,
    Mistake,
    find_mistakes,
    installed_grammars,
    known_names,
    load_grammar,
    mistakes_in,
    parse_grammar,
)
from treewhile.incremental.constraints.language.name_checks import check_names
from treewhile.oracles import InputError

KNOWN = KnownNames.of(
    ["root", "nsubj:pass", "det", "own:label"],
    ["NOUN", "MINE"],
    ["Number=Sing|Case=Acc,Nom", "Mine=Yes"],
    ["committed"],
    xpos=["NN", "NNS", "VBZ"],
)


def found(formula: str, penalty: str = "0.5") -> list[Mistake]:
    return mistakes_in(f"constraint c penalty {penalty}, X:\n{formula}", KNOWN, "f")


@each(
    "formula, column, message",
    [
        ("X.label = subj", 11, "has a label called subj: did you mean nsubj?"),
        ("X.tag = NOMEN", 9, "has a tag called NOMEN: did you mean NOUN?"),
        ("X.Numerus = Sing", 3, "has a feature called Numerus: did you mean Number?"),
        ("X.Number = Singular", 12, "has a value of Number called Singular: did you mean Sing?"),
        ("X.head.Number = Nom", 17, "has a value of Number called Nom: "),
        ("has(X, {nsubject})", 9, "has a label or relation called nsubject: did you mean nsubj?"),
        ("between(X, {DETT})", 13, "has a tag called DETT: did you mean DET?"),
        ("X.label in {det, nobody}", 18, "has a label called nobody: "),
        ('X.relation = "nsubj:pass"', 14, "compare the label with nsubj:pass, or write nsubj"),
        ('X.head.relation in {det, "nsubj:pass"}', 26, "compare the label with nsubj:pass, or write nsubj"),
        (
            "prediction_exists(comitted, X)",
            19,
            "nobody gives the predictor comitted: did you mean committed?",
        ),
        ("X.relation = DET", 14, "has a relation called DET: did you mean det?"),
        ("X.xpos = NNSX", 10, "the model gives no word the XPOS NNSX: did you mean NNS?"),
        ("X.lower = The", 11, "no word has 'The' as its lower: write 'the', or compare its form"),
        ("X.lower in {the, A}", 18, "no word has 'A' as its lower: write 'a', or compare its form"),
        ("X.shape = xX1", 11, "no word has the shape 'xX1': did you mean 'xXd'?"),
        ('X.lower matches "^ge.*t$"', 17, "^ stands for no end here; a pattern matches the whole form"),
        ('X.form matches "ge.*t$"', 16, "$ stands for no end here; a pattern matches the whole form"),
        ('X.lower matches "Ge.*t"', 17, "no word has 'G' in its lower: write 'g', or match its form"),
        ("X.distance < 0", 12, "never holds: before < stands at least 0, and behind it 0"),
        ("0 > count(X)", 3, "never holds: before > stands 0, and behind it at least 0"),
        ("probability(X) >= 2", 16, "never holds: before >= stands from 0 to 1, and behind it 2"),
        ("number of Z below X: (true) = -1", 29, "before = stands at least 0, and behind it -1"),
        ("1 / X.distance < 2", 3, "holds where this divides by 0: use max(1, ...) as divisor"),
    ],
)
def test_what_can_never_hold_is_a_mistake_at_its_name(formula: str, column: int, message: str) -> None:
    (mistake,) = found(formula)
    assert (mistake.line, mistake.column, mistake.file) == (2, column, "f")
    assert message in mistake.message


@each(
    "formula",
    [
        'X.label = "own:label" and X.relation = own and has(X, {own})',
        'X.label = "acl:relcl" or X.label in {dislocated, "obl:agent"}',
        'X.tag in {MINE, INTJ} and X.Mine = Yes and X."Number[psor]" = Dual',
        'X.Case = "Acc,Nom" or X.Case in {Gen, "Dat,Gen"}',
        "X.lower in {subj, nomen} and X.shape = Xx and starts(X, {nobody})",
        "X.label = X.head.label or has(X) or X.head = predicted_head(committed, X)",
        "1 / max(1, X.distance) < 0.5",
        "1 / (X.distance + 1) < 0.5 and 1 / (2 * (count(X) + 0.5)) < 1",
        'X.lower in {The, the} and X.form = The and X.shape in {"d.d", "x-x", "."}',
        'X.lower matches "\\\\$[$^]ge" and X.form matches "G.*" and X.xpos = NNS',
        "X.distance <= 0 and X.distance != -1 and probability(X) > 0.5 and 1 / (-X.distance - 1) < 1",
        "X.distance / 2 < 3 and X.distance / (-2) < 3",
    ],
)
def test_what_the_model_or_ud_has_is_none(formula: str) -> None:
    assert found(formula) == []


@pytest.mark.parametrize("divisor", ["X.distance", "X.distance - 1", "min(2, count(X))", "2 * X.position"])
def test_a_division_by_what_may_be_nothing_is_told(divisor: str) -> None:
    (mistake,) = found(f"1 / ({divisor}) < 2")
    assert "divides by 0" in mistake.message
    assert [one.message for one in found("true", f"1 / ({divisor})")] == [mistake.message]


MANY = """
include klingon
constraint a penalty 0.5, X: X.label = nsubj:pass
constraint b penalty 0.5, X: X.tag == DET
set A = {a b}
constraint c penalty 0.5, X: X.tag = DET AND true
penalty c 0.25
constraint d penalty 0.5, X: X.lower in A // hm
constraint e penalty 0.5, X: X.number = Sing ; 2
penalty 3

constraint f penalty 0.5, X: X.lower in A -> X.case = Nom
constraint g penalty 0.5, X: X.lower = "constraint h penalty 3
constraint "i" 0.5, X: true
constraint j penalty 3, X: true
rule k
penalty l 0.5
constraint m penalty 1, X: X.lower in A
section"""


def test_a_run_tells_the_mistakes_of_all_items_and_hints_at_what_was_meant() -> None:
    told = [(one.line, one.column, one.message) for one in mistakes_in(MANY)]
    expected = [
        (2, 1, "no grammar named 'klingon' is installed"),
        (3, 45, 'put a name with a colon into quotes, "nsubj:..."'),
        (4, 37, "write = once"),
        (5, 12, "b stands here, where } has to stand"),
        (6, 42, "write and in small letters"),
        (8, 44, "a comment begins with #"),
        (9, 31, "did you mean Number? Features are capitalized"),
        (9, 46, "';' has no meaning here"),
        (10, 9, "3 stands here, where the name of a constraint has to stand"),
        (12, 47, "did you mean Case? Features are capitalized"),
        (13, 40, 'a text in quotes has to end with "'),
        (14, 16, "0.5 stands here, where , has to stand"),
        (15, 22, "the penalty 3 has to be a number from 0 to 1"),
        (16, 1, "rule stands here"),
        (17, 1, "no constraint named 'l' stands before"),
        (19, 8, "the file ends, where the name of a section has to stand"),
    ]
    assert [one[:2] for one in told] == [one[:2] for one in expected]
    for (*_, message), (*_, part) in zip(told, expected, strict=True):
        assert part in message


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert mistakes_in("\ufeffset A = {a}") == []


def test_a_file_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.constraints"
    path.write_bytes(b"set A = {\xe9}")
    (mistake,) = find_mistakes(path)
    assert (mistake.line, mistake.column, mistake.file) == (1, 10, str(path))
    with pytest.raises(InputError, match="neither an installed grammar nor a file named 'klingon'"):
        find_mistakes("klingon")


@each("name", installed_grammars())
def test_grammars_that_come_along_serve_every_model(name: str) -> None:
    assert find_mistakes(name, KnownNames.of([], [], [], ["committed"])) == []


def test_a_searcher_refuses_names_that_can_never_hold(model: Model) -> None:
    for formula, message in [
        ("X.relation = nsubjj", "called nsubjj: did you mean nsubj\\?, at f:1:43"),
        ("prediction_exists(other, X)", "nobody gives the predictor other: .*, at f:1:48"),
        ('X.relation = "a:b"', "a relation has no subtype"),
    ]:
        grammar = parse_grammar(f"constraint c penalty 0.5, X: {formula}", "f")
        with pytest.raises(InputError, match=message):
            ConstraintSearcher(model, grammar)
    other = parse_grammar("constraint c penalty 0.5, X: prediction_exists(other, X)")
    ConstraintSearcher(model, other, {"other": lambda request: [None] * len(request.words)})


def test_a_grammar_is_loaded_for_a_model_if_its_names_are_given(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "mine.constraints"
    path.write_text("constraint c penalty 0.5, X: X.tag = NOMEN")
    assert load_grammar(path).constraints
    with pytest.raises(InputError, match="did you mean NOUN"):
        load_grammar(path, known_names(model))


DOCS = (Path(__file__).parents[4] / "docs" / "constraints.md").read_text()
WHOLE = "\n".join(line[4:] for line in DOCS.splitlines() if re.match(" {4}[^>]", line))
PARTS = re.split(r"\n(?=constraint|define|set|table|section|include)", WHOLE)
SIGNS = [
    *'(){}=:,."#<>-/ \n',
    "constraint",
    "some Z below",
    "and",
    "é",
    "\0",
    "section",
    "X",
    "0.5",
    "->",
    "has",
]


@pytest.mark.slow
@each_seed(cases(10_000))
def test_no_damage_hangs_and_each_mistake_has_its_place(seed: int) -> None:
    rng = Random(seed)
    text = "\n".join(rng.sample(PARTS, 3))
    for _ in range(rng.randrange(1, 4)):
        at, length = rng.randrange(len(text)), rng.choice([0, 0, 1, 3, 30])
        text = text[:at] + rng.choice(["", *SIGNS]) + text[at + length :]
    begun = time.perf_counter()
    own = text.split("\n")
    for line, column, message, file in mistakes_in(text, KNOWN, "f"):
        text_of_file = (
            own if file == "f" else installed_grammars()[file.partition(".")[0]].read_text().split("\n")
        )
        assert 1 <= line <= len(text_of_file), message
        assert 1 <= column <= len(text_of_file[line - 1]) + 1, message
        assert message
        assert "\n" not in message
    assert time.perf_counter() - begun < 10


def test_attributes_that_the_model_has_not_learnt_are_mistakes() -> None:
    text = "constraint c penalty 0.5, X: X.lemma = be -> X.xpos = VBD"
    assert mistakes_in(text) == mistakes_in(text, KnownNames()) == []
    (mistake,) = mistakes_in(text, KnownNames(learnt=frozenset({"lemma"})))
    assert (mistake.line, mistake.column) == (1, 48)
    assert mistake.message.startswith("the model has not learnt what the xpos of a word is: leave it out")


def test_a_name_in_a_definition_is_looked_at_once_however_often_that_is_used() -> None:
    names = ", ".join(f"A{number}" for number in range(400))
    used = " or ".join(["D(X)"] * 1000)
    text = f"define D(N): N.tag in {{{names}}}\nconstraint c penalty 0.5, X: {used}"
    start = time.process_time()
    assert len(mistakes_in(text, KNOWN)) == 400
    assert time.process_time() - start < 2  # about 10 seconds if each use is looked at


def test_of_very_many_names_the_first_thousand_are_told() -> None:
    names = ", ".join(f"A{number}" for number in range(1200))
    told = mistakes_in(f"constraint c penalty 0.5, X: X.tag in {{{names}}}", KNOWN)
    assert len(told) == 1000
    assert "called A999:" in told[-1].message


def test_a_section_that_is_off_and_has_no_constraint_is_doubted() -> None:
    known = "section agreement\nconstraint c penalty 0.5, X: true\nsection other weight 2\n"
    known += "constraint d penalty 0.5, X: true\n"
    assert mistakes_in(f"section agreement off\n{known}") == []
    (mistake,) = mistakes_in(f"{known}section agrement off\n")
    assert (mistake.line, mistake.column) == (5, 1)
    assert mistake.message == "no constraint is in the section 'agrement': did you mean agreement?"
    assert parse_grammar(f"{known}section agrement off\n").constraints, "a doubt refuses nothing"


@each(
    "refused", ['table T "missing.csv"', 'table T "../T.csv"', "define T(N): N.tag = 3", "define T(N): U(N)"]
)
def test_what_asks_for_something_refused_is_no_further_mistake(refused: str, tmp_path: Path) -> None:
    text = (
        f"{refused}\nconstraint a penalty 0.5, X: T(X)\nconstraint b penalty 0.5, X: T(X).x = y\n"
        "define V(N): T(N)\nconstraint c penalty 0.5, X: V(X)\npenalty c 0.25\n"
        "constraint d penalty 2, X: V(X)"
    )
    told = mistakes_in(text, file=str(tmp_path / "mine.constraints"), folder=tmp_path)
    assert [mistake.line for mistake in told] == [1, 7]


def test_too_long_a_formula_is_told_where_it_gets_too_long() -> None:
    doubled = [f"define D{i}(N): D{i - 1}(N) and D{i - 1}(N)" for i in range(1, 15)]
    text = "\n".join(["define D0(N): N.tag = DET", *doubled, "constraint c penalty 0.5, X: D14(X)"])
    (mistake,) = mistakes_in(text)
    assert (mistake.line, mistake.column) == (12, 27), "the second call of D10 in D11"
    assert "more than 10000 terms" in mistake.message


def test_the_first_mistake_of_a_text_is_told_first() -> None:
    with pytest.raises(InputError, match=r"penalty 2 .*given text:1:22$"):
        parse_grammar("constraint a penalty 2, X: true\nconstraint b penalty, X: true")
    names = parse_grammar(
        "constraint a penalty 0.5, X: X.tag = NOMEN\nconstraint b penalty 0.5, X: X.lower = The"
    )
    with pytest.raises(InputError, match=r"called NOMEN.*given text:1:38$"):
        check_names(names.constraints, KNOWN)


def test_files_that_are_no_regular_ones_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.constraints")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.constraints").mkdir()
    names = ['include "pipe.constraints"', 'table T "pipe.csv"', 'include "folder.constraints"']
    told = mistakes_in("\n".join(names), file=str(tmp_path / "mine.constraints"), folder=tmp_path)
    assert [mistake.line for mistake in told] == [1, 2, 3]
    assert all("is a folder, a pipe or a device: name a file" in mistake.message for mistake in told)
