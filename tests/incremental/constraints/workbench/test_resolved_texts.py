"""A grammar with its includes in place is the same grammar."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from treewhile.incremental.constraints import Grammar, installed_grammars, load_grammar, parse_grammar
from treewhile.incremental.constraints.language.terms import Constraint
from treewhile.incremental.constraints.language.written import Place
from treewhile.incremental.constraints.workbench.resolved_texts import includes, introduction, resolved_text

NOWHERE = Place("", 1, 1)


def unplaced(grammar: Grammar) -> list[Constraint]:
    return [replace(constraint, place=NOWHERE) for constraint in grammar.constraints]


@pytest.mark.parametrize("name", installed_grammars())
def test_a_resolved_text_is_the_same_grammar(name: str) -> None:
    text = resolved_text(name)
    assert not [*includes(text)]
    assert unplaced(parse_grammar(text)) == unplaced(load_grammar(name))


def test_own_files_are_put_in_place(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "mine.constraints").write_text('include "more/a.constraints"\n' + constraint("c"))
    (tmp_path / "more" / "a.constraints").write_text(constraint("a") + 'include "b.constraints"\n')
    (tmp_path / "more" / "b.constraints").write_text(constraint("b"))
    grammar = load_grammar(tmp_path / "mine.constraints")
    assert [one.name for one in grammar.constraints] == ["a", "b", "c"]
    assert unplaced(parse_grammar(resolved_text(str(tmp_path / "mine.constraints")))) == unplaced(grammar)


def constraint(name: str) -> str:
    return f"constraint {name} penalty 0.5, X: X.tag = NOUN\n"


def test_sections_go_on_after_an_include_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "mine.constraints"
    path.write_text(
        "# Mine, and\n# all.\n\nsection mine # of me\n"
        'include predictors include "predictors"\n'
        "constraint c penalty 0.5, X: X.tag = include_nothing\n"
    )
    text = resolved_text(str(path))
    assert unplaced(parse_grammar(text)) == unplaced(load_grammar(path))
    assert parse_grammar(text).constraints[-1].section == "mine"
    assert "section mine # of me" in text
    assert text.count("--- begin of predictors ---") == 1
    assert introduction(text) == "Mine, and all."
