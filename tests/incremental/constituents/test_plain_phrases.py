from __future__ import annotations

import io

import pytest
from cases import each

from treewhile.incremental.constituents.bracketed_trees import on_one_line, read_trees
from treewhile.incremental.constituents.plain_phrases import (
    plain_label,
    plain_trees,
    without_empties,
    without_functions,
)
from treewhile.oracles import InputError

TEXT = "( (S (NP-SBJ-1 (PRP I)) (VP (VBD left) (SBAR (-NONE- 0) (S=2 (-NONE- *T*-1)))) (-RRB- -RRB-)))\n"


def test_empty_elements_go_with_all_that_has_nothing_else() -> None:
    (tree,) = read_trees(io.StringIO(TEXT))
    left = without_empties(tree.phrase)
    assert left is not None
    assert on_one_line(left) == "( (S (NP-SBJ-1 (PRP I)) (VP (VBD left)) (-RRB- -RRB-)))"


def test_functions_go_and_tags_stay() -> None:
    (tree,) = read_trees(io.StringIO(TEXT))
    text = on_one_line(without_functions(tree.phrase))
    assert text == TEXT.strip().replace("NP-SBJ-1", "NP").replace("S=2", "S")


@each(
    "label, plain",
    [("NP", "NP"), ("NP-SBJ", "NP"), ("NP=3", "NP"), ("ADVP|PRT", "ADVP"), ("-LRB-", "-LRB-"), ("", "")],
)
def test_a_label_ends_where_its_functions_begin(label: str, plain: str) -> None:
    assert plain_label(label) == plain


def test_a_tree_that_is_plain_already_keeps_its_text() -> None:
    text = "(S  (NP (PRP I)) (VP (VBD left)))\n"
    plain, other = plain_trees(io.StringIO(text + TEXT))
    assert str(plain) == text
    assert str(other) == "( (S (NP (PRP I)) (VP (VBD left)) (-RRB- -RRB-)))\n"


def test_a_tree_of_empty_elements_alone_is_refused() -> None:
    with pytest.raises(InputError, match=r"no words but empty elements.*:2"):
        [*plain_trees(io.StringIO("(S (X a))\n(S (-NONE- *))"))]
