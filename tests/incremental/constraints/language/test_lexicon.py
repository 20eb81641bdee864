"""Patterns match as regular expressions do, in linear time; tables say what a word has."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random

import pytest
from cases import each

from treewhile.incremental.constraints import parse_grammar
from treewhile.incremental.constraints.language import lexicon
from treewhile.incremental.constraints.language.lexicon import (
    LONGEST_MATCHED,
    MOST_STATES,
    Pattern,
    PatternError,
)
from treewhile.oracles import InputError

SIGNS = ["a", "b", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "{2}", "{0,1}", "{1,}", r"\w", r"\."]


def test_patterns_match_as_regular_expressions_do() -> None:
    compared = 0
    for seed in range(3000):
        rng = Random(seed)
        text = "".join(rng.choices(SIGNS, k=rng.randrange(1, 8)))
        words = ["".join(rng.choices("aab.", k=rng.randrange(6))) for _ in range(20)]
        try:
            found = [Pattern(text).matches(word) for word in words]
        except PatternError:
            continue
        compared += 1
        assert found == [bool(re.fullmatch(text, word)) for word in words], text
    assert compared > 300


@each(
    "text, message",
    [
        ("a)", r"a \) has no counterpart"),
        ("(a", r"a \( has no counterpart"),
        ("*", "has nothing to repeat"),
        ("a**", "repeats a repetition: put it into parentheses"),
        ("a{3,2}", "counts backwards"),
        (r"(a)\1", r"\\1 has no meaning"),
        ("(?=a)", "has nothing to repeat"),
        ("[b-a]", "is no set of characters: bad character range"),
        ("(a{999}){999}", f"more than {MOST_STATES} states"),
        ("(" * 100, "nests more than 20 levels deep"),
        ("[a", "has no meaning"),
    ],
)
def test_other_patterns_are_refused(text: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        _ = Pattern(text).automaton
    formula = text.replace("\\", "\\\\")
    with pytest.raises(InputError, match=r"the pattern is none, since .*, at f:1:46"):
        parse_grammar(f'constraint c penalty 0.5, X: X.lower matches "{formula}"', "f")


@each("text", ["(a*)*b", "(a|a)*b", "(a?){30}a{30}", "a*a*a*a*a*b"])
def test_no_pattern_is_catastrophic(text: str) -> None:
    begun = time.perf_counter()
    assert not Pattern(text).matches("a" * 200 + "c")
    assert time.perf_counter() - begun < 1


def test_a_word_that_is_longer_than_any_real_one_matches_nothing() -> None:
    pattern = Pattern("a*")
    assert pattern.matches("a" * LONGEST_MATCHED)
    assert not pattern.matches("a" * (LONGEST_MATCHED + 1))


TABLE = 'word,frame,other\nGee,"acc,dat",\nsê,that,x\nGEE,gen,y\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "verbs.csv").write_text(TABLE)
    return tmp_path


def refused(formula: str, folder: Path, table: str = "verbs.csv") -> str:
    """Why a grammar with a table is refused; nothing if it is not."""
    text = f'table VERBS "{table}"\nconstraint c penalty 0.5, X: {formula}'
    try:
        parse_grammar(text, "f", folder=folder)
    except InputError as error:
        return str(error)
    return ""


def test_rows_of_a_word_are_joined_and_empty_cells_are_missing() -> None:
    table = lexicon.table_of("VERBS", TABLE, "verbs.csv", lexicon.Place("f", 1, 1))
    assert table.columns == ("frame", "other")
    assert table.rows == {
        "gee": {"frame": "acc,dat,gen", "other": "y"},
        "sê": {"frame": "that", "other": "x"},
    }


@each(
    "formula, message",
    [
        ("VERBS(X).frame has dat and exists(VERBS(X.head).other)", ""),
        ("agree(VERBS(X).frame, X.Case)", ""),
        ("VERBS(X).frme = dat", "the table VERBS has no column frme: did you mean frame?, at f:2:38"),
        (
            "VERBS(X).frame = date",
            "no word of the table VERBS has the frame date: did you mean dat?, at f:2:47",
        ),
        ("VERBS(X) = dat", "a column has to follow VERBS(...): .frame or .other, at f:2:30"),
        ("VERBS(X, X).frame = dat", "VERBS takes one argument, and 2 stand here"),
        ("VERB(X).frame = dat", "there is no term VERB(...): did you mean VERBS?"),
    ],
)
def test_a_table_is_asked_by_columns_and_values_that_it_has(formula: str, message: str, folder: Path) -> None:
    found = refused(formula, folder)
    assert message in found
    assert bool(message) == bool(found)


def test_a_table_that_is_none_is_refused_with_its_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in {"short": "word,a\nb", "no": "word", "quote": 'word,a\n"b'}.items():
        (folder / name).write_text(content)
    assert "short:2 has 1 cells, and the header 2, at f:1:1" in refused("true", folder, "short")
    assert "no has no header with a word and at least one other name" in refused("true", folder, "no")
    assert "cannot read" in refused("true", folder, "none.csv")
    assert "lies outside the grammar's folder" in refused("true", folder, "../verbs.csv")
    assert "lies outside the grammar's folder" in refused("true", folder, str(folder / "verbs.csv"))
    monkeypatch.setattr(lexicon, "MOST_ROWS", 1)
    assert "has more than 1 rows: keep the words that matter, at f:1:1" in refused("true", folder)


def test_a_text_without_a_folder_has_no_tables() -> None:
    with pytest.raises(InputError, match="is a file, and this text has no folder: save the text first"):
        parse_grammar('table VERBS "verbs.csv"')
